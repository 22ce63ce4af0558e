import { Agent, get } from 'node:http';
import { type Keys, signedUrl } from '../signing.js';

/** The changes that were acknowledged to a customer. */
export class Acknowledged {
  readonly placed = new Map<string, string>();
  readonly cancelled = new Set<string>();
  readonly withdrawn = new Set<string>();
  readonly bills = new Set<string>();
}

interface Where {
  readonly tradeUrl: string;
}

/** A customer with its own connection, which is lost with the sandbox. */
export class Customer {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(
    readonly name: string,
    readonly keys: Keys & { readonly safePwd: string },
  ) {}

  /** The body of the answer. Rejects if the connection ends before it is complete. */
  ask(where: Where, method: string, parameters: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = get(signedUrl(where, this.keys, method, parameters), { agent: this.#agent }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          body += piece;
        });
        response.on('end', () => (response.complete ? resolve(body) : reject(new Error('cut off'))));
        response.on('error', reject);
      });
      asked.on('error', reject);
    });
  }

  /** Orders, cancels, withdraws and reads its bills until the sandbox is gone. */
  async trade(where: Where, acknowledged: Acknowledged, draw: () => number, round: number): Promise<void> {
    try {
      for (let number = 0; ; number += 1) await this.#act(where, acknowledged, draw, `${this.name}r${round}n${number}`);
    } catch {
      // the sandbox was killed
    }
  }

  async #act(where: Where, acknowledged: Acknowledged, draw: () => number, clientId: string): Promise<void> {
    const choice = draw();
    if (choice < 0.6) await this.#order(where, acknowledged, draw, clientId);
    else if (choice < 0.8) await this.#cancel(where, acknowledged, draw);
    else if (choice < 0.87) await this.#batch(where, acknowledged);
    else if (choice < 0.9) await this.#withdraw(where, acknowledged);
    else for (const id of await this.bills(where)) acknowledged.bills.add(id);
  }

  /** Some rest far away, and some trade with each other or with simulated traders. */
  async #order(where: Where, acknowledged: Acknowledged, draw: () => number, customerOrderId: string): Promise<void> {
    const tradeType = draw() < 0.5 ? '1' : '0';
    const near = draw() < 0.4;
    const price = near === (tradeType === '1') ? '60000' : '9000';
    const order = { amount: '0.0002', currency: 'btc_usdt', customerOrderId, price, tradeType };
    const [, id] = /^\{"code":"1000",.*"id":"(\d+)"\}$/.exec(await this.ask(where, 'order', order)) ?? [];
    if (id !== undefined) acknowledged.placed.set(id, customerOrderId);
  }

  async #cancel(where: Where, acknowledged: Acknowledged, draw: () => number): Promise<void> {
    const ids = [...acknowledged.placed.keys()];
    const id = ids[Math.floor(draw() * ids.length)];
    if (id === undefined) return;
    const body = await this.ask(where, 'cancelOrder', { currency: 'btc_usdt', id });
    if (body.startsWith('{"code":1000,')) acknowledged.cancelled.add(id);
  }

  async #batch(where: Where, acknowledged: Acknowledged): Promise<void> {
    const tradeParams = '[[9100,0.0002],[9200,0.0002],[9300,0.0002]]';
    const body = await this.ask(where, 'orderMoreV2', { market: 'btc_usdt', tradeParams, tradeType: '1' });
    const [, ids] = /^\{"code":"1000",.*"data":\[([\d,]+)\]\}$/.exec(body) ?? [];
    for (const id of ids?.split(',') ?? []) acknowledged.placed.set(id, '');
  }

  async #withdraw(where: Where, acknowledged: Acknowledged): Promise<void> {
    const found = /"key":"([^"]+)"/.exec(await this.ask(where, 'getWithdrawAddress', { currency: 'ltc' }));
    const wanted = { amount: '0.1', currency: 'ltc', fees: '0.001', receiveAddr: found?.[1] ?? '' };
    const body = await this.ask(where, 'withdraw', { ...wanted, safePwd: this.keys.safePwd });
    const [, id] = /^\{"code":1000,.*"id":"(\d+)"\}$/.exec(body) ?? [];
    if (id !== undefined) acknowledged.withdrawn.add(id);
  }

  /** The newest fifty. */
  async bills(where: Where, page = '1'): Promise<string[]> {
    const body = await this.ask(where, 'getSpotBills', { pageIndex: page, pageSize: '50' });
    return [...body.matchAll(/\{"id":(\d+),"currencyName"/g)].map(([, id]) => id ?? '');
  }

  /** The newest fifty of ltc. */
  async withdrawals(where: Where, pageIndex: string): Promise<string[]> {
    const body = await this.ask(where, 'getWithdrawRecord', { currency: 'ltc', pageIndex, pageSize: '50' });
    return [...body.matchAll(/\{"id":(\d+),"amount"/g)].map(([, id]) => id ?? '');
  }
}
