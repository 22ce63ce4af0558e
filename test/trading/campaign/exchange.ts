import { Agent, get, request } from 'node:http';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { signedUrl } from '../../sandbox/signing.js';

/** An order as the exchange lists it; numbers as sent, as text. */
export interface Listed {
  readonly id: string;
  readonly market: string;
  readonly price: string;
  readonly amount: string;
  readonly status: number;
  /** ms since the Unix epoch */
  readonly time: number;
}

/** Direct access to the exchange, without the proxy and without any of pit's code. */
export class Exchange {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  /** @param now the time for a request, in ms since the Unix epoch (default: this machine's) */
  constructor(
    readonly address: SandboxAddress,
    readonly now: () => number = Date.now,
  ) {}

  /** The body of the answer to a signed request. */
  ask(method: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    return this.#get(signedUrl(this.address, this.address, method, parameters, this.now()));
  }

  /** Places an order without the network, as a target of an action; returns its id, and rejects if it is refused. */
  async place(parameters: Readonly<Record<string, string>>): Promise<string> {
    const body = await this.ask('order', parameters);
    const [, id] = /^\{"code":"1000",.*"id":"(\d+)"\}$/.exec(body) ?? [];
    if (id === undefined) throw new Error(`the exchange did not take ${JSON.stringify(parameters)}: ${body}`);
    return id;
  }

  /** All orders of a side of a market that are newer than a time (ms since the Unix epoch), newest first. */
  async orders(market: string, side: 'buy' | 'sell', since: number): Promise<Listed[]> {
    const found: Listed[] = [];
    for (let page = 1; ; page += 1) {
      const tradeType = side === 'buy' ? '1' : '0';
      const body = await this.ask('getOrders', { currency: market, pageIndex: String(page), tradeType });
      const isList = body.startsWith('[') || body.startsWith('{"code":3001,');
      if (!isList) throw new Error(`no list of orders: ${body}`);
      const records = readRecords(body);
      found.push(...records.filter(({ time }) => time >= since));
      if (records.length < 10 || records.some(({ time }) => time < since)) return once(found);
    }
  }

  /** All withdrawals of a coin that are newer than a time (ms since the Unix epoch), newest first. */
  async withdrawals(coin: string, since: number): Promise<Listed[]> {
    const found: Listed[] = [];
    for (let page = 1; ; page += 1) {
      const values = { currency: coin, pageIndex: String(page), pageSize: '50' };
      const records = readWithdrawals(await this.ask('getWithdrawRecord', values), coin);
      found.push(...records.filter(({ time }) => time >= since));
      if (records.length < 50 || records.some(({ time }) => time < since)) return once(found);
    }
  }

  async order(market: string, id: string): Promise<Listed | undefined> {
    return readRecords(await this.ask('getOrder', { currency: market, id }))[0];
  }

  /** What the account has of each coin, frozen amounts included. */
  async balances(): Promise<ReadonlyMap<string, number>> {
    const coins = (await this.ask('getAccountInfo', {})).matchAll(
      /"key":"(\w+)".*?"available":"([\d.]+)","freez":"([\d.]+)"/g,
    );
    return new Map([...coins].map(([, coin = '', available, frozen]) => [coin, Number(available) + Number(frozen)]));
  }

  /** Best bid and ask of a market. */
  async best(market: string): Promise<{ bid: number; ask: number }> {
    const body = await this.#get(`${this.address.baseUrl}/data/v1/ticker?market=${market}`);
    const [bid, ask] = ['buy', 'sell'].map((name) => Number(new RegExp(`"${name}":"([\\d.]+)"`).exec(body)?.[1]));
    if (!bid || !ask) throw new Error(`no prices in ${body}`);
    return { bid, ask };
  }

  /** A call of the sandbox's admin port, such as `/faults/add`. */
  administer(call: string, input: object = {}): Promise<unknown> {
    const { adminUrl, adminToken } = this.address;
    const headers = { authorization: `Bearer ${adminToken}` };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(call, adminUrl), { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
      });
      asked.on('error', reject);
      asked.end(JSON.stringify(input));
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #get(url: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = get(url, { agent: this.#agent, headers: { 'user-agent': 'Mozilla/5.0' } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece) => {
          body += piece;
        });
        response.on('end', () => resolve(body)).on('error', reject);
      });
      asked.on('error', reject);
    });
  }
}

function readWithdrawals(body: string, coin: string): Listed[] {
  return [...body.matchAll(/\{"id":\d[^{}]*\}/g)].map(([text]) => {
    const value = (name: string) => new RegExp(`"${name}":"?([^",}]*)`).exec(text)?.[1] ?? '';
    const facts = { id: value('id'), market: coin, price: '', amount: value('amount') };
    return { ...facts, status: Number(value('status')), time: Number(value('submitTime')) };
  });
}

/** A new row moves others to the next page, where they are listed again. */
function once(listed: readonly Listed[]): Listed[] {
  return [...new Map(listed.map((one) => [one.id, one])).values()];
}

/** Read as text: an id has more digits than a double holds. */
function readRecords(body: string): Listed[] {
  return [...body.matchAll(/\{"id":"[^{}]*\}/g)].map(([text]) => {
    const value = (name: string) => new RegExp(`"${name}":"?([^",}]*)`).exec(text)?.[1] ?? '';
    return {
      id: value('id'),
      market: value('currency'),
      price: value('price'),
      amount: value('total_amount'),
      status: Number(value('status')),
      time: Number(value('trade_date')),
    };
  });
}
