// The client of sandbox.js, in a process of its own: keeps connections busy for a while, or until so many answers
// have come, and tells the parent how many came in how long. It speaks HTTP by hand: a library would be the bottleneck.
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';

const CONNECTIONS = 64;

/**
 * @typedef {{ market: string, amount: string, bid: string, ask: string }} Market with its best prices, and how much each order asks for
 * @typedef {{ accessKey: string, secretKey: string, markets: readonly Market[] }} Account the keys, and where it trades in turn
 * @typedef {{ port: string, kind: string, milliseconds: number, answers: number, ahead?: number }} Load kind: `bare`, `depth`, `list` or one of ORDERS; ahead: the sandbox's clock, in ms
 * @typedef {{ tradeType: string, at: 'low' | 'high', orderType: string }} Order
 * @typedef {{ sent: number, answered: number, odd: string, until: number, most: number }} State
 */

/** Orders in turn. Those at `low` buy far below the market or sell into it, those at `high` the other way round. */
const [BUY, SELL] = /** @type {const} */ (['1', '0']);
/** @type {(tradeType: string, at: Order['at'], orderType?: string) => Order} */
const order = (tradeType, at, orderType = '2') => ({ tradeType, at, orderType });
/** @type {Readonly<Record<string, readonly Order[]>>} */
const ORDERS = {
  /** A quarter rests, the others find nobody. */
  order: [order(BUY, 'low'), order(SELL, 'high'), order(SELL, 'high'), order(BUY, 'low', '0')],
  /** Half of them trade. */
  trade: [order(BUY, 'low'), order(SELL, 'high'), order(BUY, 'high'), order(SELL, 'low')],
};

process.on('message', async (/** @type {Load & Account} */ load) => {
  const wanted = ORDERS[load.kind];
  const signed = load.kind === 'list' ? lists(load) : wanted && orders(wanted, load);
  const targets = signed && inTurn(signed, load.ahead);
  const path = targets ?? (() => (load.kind === 'depth' ? '/data/v1/depth?market=btc_usdt&size=50' : '/'));
  const start = performance.now();
  const state = { sent: 0, answered: 0, odd: '', until: start + load.milliseconds, most: load.answers };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => keepAsking(load.port, path, state)));
  process.send?.({ answered: state.answered, odd: state.odd, milliseconds: performance.now() - start });
});

/**
 * One connection that asks, waits for the answer and asks again.
 * @param {string} port
 * @param {(index: number) => string} path gives the target of a request
 * @param {State} state
 */
function keepAsking(port, path, state) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    const ask = () => {
      if (performance.now() >= state.until || state.sent >= state.most) {
        socket.destroy();
        resolve(undefined);
        return;
      }
      const target = path(state.sent);
      state.sent += 1;
      socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Mozilla/5.0\r\n\r\n`);
    };
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('connect', ask);
    socket.on('data', (piece) => {
      text += piece;
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (text.length < end + 4 + length) return;
      // what was refused was not done: it must not count as speed
      if (text.includes('"code"') && !text.includes('"1000"')) state.odd ||= text.slice(end + 4);
      else state.answered += 1;
      text = '';
      ask();
    });
  });
}

/**
 * The first pages of the lists of orders.
 * @param {Account} account
 */
function lists(account) {
  const pages = account.markets.map(({ market }) => ({ currency: market, pageIndex: '1', tradeType: BUY }));
  return pages.map((values) => signedTarget('getOrders', values, account));
}

/**
 * @param {readonly Order[]} wanted
 * @param {Account} account
 */
function orders(wanted, account) {
  const terms = wanted.flatMap(({ at, ...parameters }) =>
    account.markets.map(({ market, amount, bid, ask }) => {
      const price = (at === 'low' ? Number(bid) * 0.5 : Number(ask) * 1.5).toFixed(2);
      return { ...parameters, amount, currency: market, price };
    }),
  );
  return terms.map((values) => signedTarget('order', values, account));
}

/**
 * @param {readonly string[]} targets signed beforehand: a signature does not cover reqTime
 * @param {number} [ahead] how far the sandbox's clock is ahead, in ms
 * @returns {(index: number) => string}
 */
function inTurn(targets, ahead = 0) {
  return (index) => `${targets[index % targets.length]}&reqTime=${Date.now() + ahead}`;
}

/**
 * @param {string} method
 * @param {Readonly<Record<string, string>>} values
 * @param {Account} account
 */
function signedTarget(method, values, { accessKey, secretKey }) {
  const text = Object.entries({ ...values, accesskey: accessKey, method })
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
  const key = createHash('sha1').update(secretKey).digest('hex');
  return `/api/${method}?${text}&sign=${createHmac('md5', key).update(text).digest('hex')}`;
}
