// The last step of the build: runs what nearly every command runs, a request and its table included, and keeps the code
// that V8 made of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepCode, quickRequire } from './quick-require.js';

const folder = fileURLToPath(new URL('../dist', import.meta.url));
const scripts = new Map();
const load = (name) => quickRequire(folder, name, (file, script) => scripts.set(file, script));

const ANSWERS = {
  markets: '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}',
  depth: '{"asks":[[31001.5,0.2]],"bids":[[31000.5,0.1]],"timestamp":1540295995}',
};
const server = createServer(({ url }, response) => response.end(ANSWERS[url.split(/[/?]/)[3]]));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const host = `http://127.0.0.1:${server.address().port}`;
const home = mkdtempSync(path.join(tmpdir(), 'pit-build-'));
Object.assign(process.env, { PIT_HOME: home, PIT_BASE_URL: host, PIT_TRADE_URL: host });

const { main } = load('./main.cjs');
load('./conf.cjs');
for (const words of [['--help'], ['depth', 'btc_usdt'], ['depth', 'btc_usdt', '--json']]) {
  process.argv = [process.execPath, path.join(folder, '../bin/pit.js'), ...words];
  const code = await main();
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
}

server.closeAllConnections();
server.close();
rmSync(home, { recursive: true, force: true });
for (const [file, script] of scripts) keepCode(file, script);
