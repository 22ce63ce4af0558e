import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** Loaded before pit by `NODE_OPTIONS=--import …`: what may happen beside a command once it runs. */
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

/** Loaded before pit: a stderr that lets nothing stand before it. */
const DEAF = `
const { write } = process.stderr;
Object.defineProperty(process.stderr, 'write', { get: () => write, set: () => undefined });
`;

/** A withdrawal with a fund password past all commands, and what its failure looks like in print. */
const WITHDRAWAL = `
import { inspect } from 'node:util';
import { Budget } from './src/exchange/budget.js';
import { ExchangeClient } from './src/exchange/exchange-client.js';
import { systemHost } from './src/platform/host.js';
const host = systemHost();
const { PIT_TRADE_URL: url, PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey } = process.env;
let safePwd = '';
for await (const text of process.stdin) safePwd += text;
const client = new ExchangeClient({
  host, hosts: { baseUrl: url, tradeUrl: url }, budget: new Budget(2000, Date.now),
  credentials: () => ({ accessKey, secretKey }), trace: (line) => process.stderr.write(line + '\\n'),
});
const values = { amount: '1', currency: 'usdt', fees: '0', receiveAddr: 'a', safePwd };
const outcome = await client.write('withdraw', values).catch((error) => error);
process.stderr.write(inspect(outcome, { depth: 9, showHidden: true }) + '\\n');
`;

export interface Programs {
  readonly beside: string;
  readonly deaf: string;
  readonly withdrawal: string;
}

/** Writes the programs before the tests of a file, and removes them afterwards. */
export function programs(): Programs {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-safety-'));
  const at = (name: string) => path.join(folder, `${name}.mjs`);
  beforeAll(async () => {
    writeFileSync(at('beside'), BESIDE);
    writeFileSync(at('deaf'), DEAF);
    await build({
      stdin: { contents: WITHDRAWAL, resolveDir: process.cwd(), loader: 'js' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: at('withdrawal'),
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { beside: at('beside'), deaf: at('deaf'), withdrawal: at('withdrawal') };
}
