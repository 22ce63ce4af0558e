// A client that puts its addresses together as those of other exchanges do: hosts, version and path. Hosts and keys are all that it is
// given; nothing in it knows pit.
import { createHash, createHmac } from 'node:crypto';
import { WebSocket } from 'ws';

const { PIT_BASE_URL, PIT_TRADE_URL, PIT_WS_URL, PIT_ACCESS_KEY, PIT_SECRET_KEY } = process.env;

class Client {
  constructor({ apiKey, secret, urls }) {
    Object.assign(this, { apiKey, secret, urls });
  }

  async loadMarkets() {
    const markets = await (await fetch(`${this.urls.public}/v1/markets`)).json();
    return Object.keys(markets).map((name) => name.toUpperCase().replace('_', '/'));
  }

  async createOrder(symbol, side, amount, price) {
    const currency = symbol.toLowerCase().replace('/', '_');
    const tradeType = side === 'buy' ? '1' : '0';
    const query = { accesskey: this.apiKey, method: 'order', currency, tradeType, amount, price };
    const text = Object.entries(query)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const key = createHash('sha1').update(this.secret).digest('hex');
    const sign = createHmac('md5', key).update(text).digest('hex');
    const url = `${this.urls.private}/order?${new URLSearchParams({ ...query, sign, reqTime: String(Date.now()) })}`;
    return (await fetch(url)).json();
  }

  watchTrades(symbol) {
    const socket = new WebSocket(this.urls.ws);
    const channel = `${symbol.toLowerCase().replace('/', '')}_trades`;
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('open', () => socket.send(JSON.stringify({ event: 'addChannel', channel })));
      let count = 0;
      socket.on('message', () => {
        count += 1;
        if (count < 2) return;
        socket.close();
        resolve(true);
      });
    });
  }
}

const client = new Client({
  apiKey: PIT_ACCESS_KEY,
  secret: PIT_SECRET_KEY,
  urls: { public: `${PIT_BASE_URL}/data`, private: `${PIT_TRADE_URL}/api`, ws: PIT_WS_URL },
});
const [symbol] = await client.loadMarkets();
const order = await client.createOrder(symbol, 'buy', '0.01', '25000');
process.stdout.write(JSON.stringify({ symbol, code: String(order.code), traded: await client.watchTrades(symbol) }));
