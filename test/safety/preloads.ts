import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const BESIDE = `
const secret = process.env.PIT_ACCESS_KEY + ' ' + process.env.PIT_SECRET_KEY;
const timer = setInterval(() => {
  if (process.listenerCount('uncaughtException') === 0) return;
  clearInterval(timer);
  process.emitWarning('beside: ' + secret);
  process.stderr.write(Buffer.from('bytes: ' + secret + '\\n'));
  console.error({ deep: { secret: [secret] } });
  // a warning is printed a moment later
  setImmediate(() => {
    if (process.env.BESIDE === 'throw') throw new Error('thrown: ' + secret);
    if (process.env.BESIDE === 'reject') Promise.reject(new Error('rejected: ' + secret));
    if (process.env.BESIDE === 'emit') process.stdin.emit('error', new Error('emitted: ' + secret));
  });
}, 1);
`;

const UNREDACTED = `
const { write } = process.stderr;
Object.defineProperty(process.stderr, 'write', { get: () => write, set: () => undefined });
`;

interface Preloads {
  /** Throws, rejects or emits outside of the command, as the variable BESIDE says. */
  readonly beside: string;
  /** Keeps pit from putting its redaction before stderr. */
  readonly unredacted: string;
}

/** Modules for `NODE_OPTIONS=--require`, there for the tests of a file. */
export function preloads(): Preloads {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-safety-'));
  const at = (name: string) => path.join(folder, `${name}.cjs`);
  beforeAll(() => {
    writeFileSync(at('beside'), BESIDE);
    writeFileSync(at('unredacted'), UNREDACTED);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { beside: at('beside'), unredacted: at('unredacted') };
}
