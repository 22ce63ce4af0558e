// A download of candles into a file: requests a second beside the one that the exchange allows, and what its memory grows by.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, PIT, serveSandbox, stopped, temporaryFolder } from './measure.js';

const PAGES = 40;
const CANDLES_PER_PAGE = 1_000;
const MINUTE = 60_000;
const SAMPLE_MS = 500;
const ENDINGS = ['csv', 'parquet'];

export async function* rows() {
  const home = temporaryFolder();
  const days = Math.ceil((PAGES * CANDLES_PER_PAGE) / 1_440) + 1;
  const history = ['--kline-since', 'first', '--history', `${days}d`];
  const sandbox = await serveSandbox(path.join(home, 'exchange'), '--no-limits', ...history);
  try {
    // the first request makes the history
    await download(sandbox, path.join(home, 'first'), 'first.csv', 10);
    // each has a home of its own, and with it a limit of its own
    const all = await Promise.all(
      ENDINGS.map((ending) =>
        download(sandbox, path.join(home, ending), `candles.${ending}`, PAGES * CANDLES_PER_PAGE),
      ),
    );
    for (const [index, { seconds, memory, size }] of all.entries()) {
      const name = `${(PAGES * CANDLES_PER_PAGE).toLocaleString('en')} candles to ${ENDINGS[index]}`;
      const rate = PAGES / seconds;
      const allowed = { beside: 1, besideWhat: 'allowed', atLeast: 0.95 };
      yield { what: name, value: rate, unit: 'requests/s', ratio: rate, ...allowed };
      yield { what: 'its file', value: size / 2 ** 20, unit: 'MiB' };
      if (memory.length > 0)
        yield { what: 'its memory, at most', value: Math.max(...memory), unit: 'MiB', atMost: 256 };
    }
  } finally {
    await stopped(sandbox);
  }
}

async function download(sandbox, home, name, candles) {
  const until = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
  const since = until - (candles - 1) * MINUTE;
  const file = path.join(path.dirname(home), name);
  const range = ['--since', new Date(since).toISOString(), '--until', new Date(until).toISOString()];
  const words = [PIT, 'kline', 'btc_usdt', '--type', '1min', ...range, '--out', file];
  const start = performance.now();
  const pit = spawn(process.execPath, words, {
    env: environmentOf(home, { PIT_BASE_URL: sandbox.baseUrl, PIT_TRADE_URL: sandbox.tradeUrl }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  pit.stderr.on('data', (text) => {
    errors += text;
  });
  const memory = [];
  const sampling = setInterval(() => memory.push(...memoryOf(pit.pid)), SAMPLE_MS);
  const [code] = await once(pit, 'close');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`pit kline ended with ${code}: ${errors}`);
  return { seconds: (performance.now() - start) / 1_000, memory, size: statSync(file).size };
}

/** In MiB; none where the system does not tell, or the process has ended. */
function memoryOf(pid) {
  try {
    const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? [] : [Number(kibibytes) / 1_024];
  } catch {
    return [];
  }
}
