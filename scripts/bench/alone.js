// What a command cannot do without: its requests over got, signed by Node, or its question by inquirer. start.js bundles it and
// measures it beside the command. The packages are pit's own bundles, with the code that V8 has kept of them.
import { quickRequire } from '../quick-require.js';

const [, , dist, what, price] = process.argv;
const { PIT_BASE_URL, PIT_TRADE_URL, PIT_ACCESS_KEY, PIT_SECRET_KEY } = process.env;

({ depth, order, question })[what]();

async function depth() {
  const get = getter();
  console.log(JSON.stringify(JSON.parse(await get(`${PIT_BASE_URL}/data/v1/depth?market=btc_usdt&size=20`))));
  process.exit();
}

/** Prices for the guards, the order, and the list that shows whether the network repeated it. */
async function order() {
  const get = getter();
  JSON.parse(await get(`${PIT_BASE_URL}/data/v1/depth?market=btc_usdt&size=20`));
  const terms = { currency: 'btc_usdt', tradeType: '1', acctType: '0', price, amount: '0.0006' };
  const { code, id } = JSON.parse(await get(signed('order', { ...terms, customerOrderId: `alone${process.pid}` })));
  const listed = JSON.parse(await get(signed('getOrders', { currency: 'btc_usdt', pageIndex: '1', tradeType: '1' })));
  if (code !== '1000' || listed[0].id !== id) throw new Error(`the order was not placed (${code})`);
  console.log(id);
  process.exit();
}

function question() {
  const { createPromptModule } = quickRequire(dist, './inquirer.cjs', require);
  const ask = createPromptModule({ output: process.stderr });
  const choices = Array.from({ length: 20 }, (_, index) => ({ name: `coin${index}_usdt`, value: index }));
  void ask([{ type: 'select', name: 'market', message: 'Market', choices }]);
}

function getter() {
  const once = { retry: { limit: 0 }, followRedirect: false, throwHttpErrors: false };
  const { got } = quickRequire(dist, './got.cjs', require);
  const client = got.extend({ ...once, headers: { 'user-agent': 'Mozilla/5.0', accept: 'application/json' } });
  return async (url) => (await client.get(url, { timeout: { connect: 5_000, request: 15_000 } })).body;
}

function signed(method, parameters) {
  const { createHash, createHmac } = require('node:crypto');
  const all = { ...parameters, method, accesskey: PIT_ACCESS_KEY };
  const text = Object.keys(all)
    .sort()
    .map((name) => `${name}=${all[name]}`)
    .join('&');
  const key = createHash('sha1').update(PIT_SECRET_KEY).digest('hex');
  const sign = createHmac('md5', key).update(text).digest('hex');
  return `${PIT_TRADE_URL}/api/${method}?${new URLSearchParams({ ...all, sign, reqTime: String(Date.now()) })}`;
}
