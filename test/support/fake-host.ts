import { PassThrough } from 'node:stream';
import type { Host } from '../../src/platform/host.js';
import { Redaction } from '../../src/platform/redaction.js';

export interface FakeHost extends Host {
  /** How long each wait was, in milliseconds. */
  readonly sleeps: readonly number[];
  /** Everything that was written to stdout and to stderr. */
  printed(): string;
}

/** The signing examples' own moment. */
export const NOW = 1_540_295_995_557;

/** A host whose clock advances only in its sleeps, which take no real time, and whose random numbers are always the middle. */
export function fakeHost(): FakeHost {
  const sleeps: number[] = [];
  const output = new PassThrough();
  const errors = new PassThrough();
  const texts: string[] = [];
  for (const stream of [output, errors]) stream.on('data', (chunk) => texts.push(String(chunk)));
  let now = NOW;
  return {
    arguments: [],
    self: { command: 'pit', arguments: [] },
    environment: {},
    input: new PassThrough(),
    output,
    errors,
    directories: { config: '/nowhere', state: '/nowhere', cache: '/nowhere' },
    redaction: new Redaction(),
    now: () => now,
    monotonic: () => now - NOW,
    random: () => 0.5,
    randomBytes: (count) => new Uint8Array(count).fill(0xab),
    sleep: (milliseconds) => {
      sleeps.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
    holdProgram: () => undefined,
    limitMemory: () => Promise.resolve(),
    limitDnsLookups: () => undefined,
    onInterrupt: () => () => undefined,
    redirectInterrupts: () => () => undefined,
    endSignal: undefined,
    onExit: () => () => undefined,
    jobControl: { onStop: () => () => undefined, press: () => undefined },
    isProgram: () => Promise.resolve(true),
    run: () => Promise.resolve(0),
    runWithInput: () => Promise.resolve(0),
    pipeTo: () => Promise.resolve({ input: new PassThrough(), ended: Promise.resolve(0) }),
    sleeps,
    printed: () => texts.join(''),
  };
}
