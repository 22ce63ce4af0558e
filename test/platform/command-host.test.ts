import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CommandHost } from '../../src/platform/command-host.js';
import type { Host } from '../../src/platform/host.js';
import { fakeHost } from '../support/fake-host.js';

/** A command whose waits take their time. */
function startedCommand(): CommandHost {
  const sleep: Host['sleep'] = (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => {});
  return new CommandHost({ ...fakeHost(), sleep }, []);
}

/** What has become of a promise after all that was due is done. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    () => {
      state = 'rejected';
    },
  );
  await delay(20);
  return state;
}

it('a wait of a command that has ended never resolves and never fails, so that nothing continues', async () => {
  const command = startedCommand();
  const before = command.host.sleep(60_000);
  const beforeInterrupt = command.host.sleep(60_000, new AbortController().signal);
  await command.interrupt('SIGINT');
  expect(await stateOf(before)).toBe('pending');
  expect(await stateOf(beforeInterrupt)).toBe('pending');
  expect(await stateOf(command.host.sleep(1))).toBe('pending');
});

it('a wait that its caller has ended resolves, also after the command has ended', async () => {
  const command = startedCommand();
  const end = new AbortController();
  const wait = command.host.sleep(60_000, end.signal);
  end.abort();
  command.end();
  expect(await stateOf(wait)).toBe('resolved');
});
