import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';
import type { KeychainRequest } from '../../src/config/keychain-helper.js';

/** In the place of the helper process of the keychain, which a test answers for: no process is started. */
export class FakeHelper extends EventEmitter {
  readonly requests: KeychainRequest[] = [];
  readonly signals: string[] = [];

  /** @param call the arguments of `spawn` */
  constructor(readonly call: readonly unknown[]) {
    super();
  }

  send(request: KeychainRequest, done: () => void): void {
    this.requests.push(request);
    done();
  }

  kill(signal: string): void {
    this.signals.push(signal);
  }
}

export type Answer = (helper: FakeHelper, request: KeychainRequest) => void;

/** Until the test ends, each helper that is started is one of the returned, and is answered for. */
export function fakeHelpers(answer: Answer): FakeHelper[] {
  const helpers: FakeHelper[] = [];
  const spawn = vi.spyOn(childProcess, 'spawn').mockImplementation(((...call: unknown[]) => {
    const helper = new FakeHelper(call);
    helpers.push(helper);
    setImmediate(() => {
      for (const request of helper.requests) answer(helper, request);
    });
    return helper;
  }) as unknown as typeof childProcess.spawn);
  // the program imports `spawn` by its name
  syncBuiltinESMExports();
  onTestFinished(() => {
    spawn.mockRestore();
    syncBuiltinESMExports();
  });
  return helpers;
}
