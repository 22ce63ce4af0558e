import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../support/fault-server.js';

export type Fault = keyof typeof FAULTS;

export const CONFIGURATION = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';
export const NOT_FOUND = '{"code":3001,"message":"order not found"}';

/** The record of an order, as getOrder gives it. */
export function record(changes: object = {}): string {
  return JSON.stringify({
    id: '202202224851151555',
    currency: 'btc_usdt',
    price: 30000,
    total_amount: 0.01,
    trade_amount: 0,
    trade_money: 0,
    trade_date: 1648461600123,
    status: 0,
    type: 1,
    ...changes,
  });
}

/** An exchange that does well in everything but a write, and answers getOrder in the given ways, the last one for ever. */
export function serveBadly(write: Fault | Answer, ...looks: (string | Answer)[]): Promise<FaultServer> {
  const answers = looks.map((look) => (typeof look === 'string' ? respond(look) : look));
  const last = answers.at(-1) ?? respond(NOT_FOUND);
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/data/v1/markets')) return respond(CONFIGURATION);
      if (target.startsWith('/api/getOrder?')) return answers.shift() ?? last;
      return typeof write === 'string' ? FAULTS[write] : write;
    },
  });
}

/** How many requests of an operation really arrived. */
export function count({ requests }: FaultServer, operation: string): number {
  return requests.filter(({ target }) => target.startsWith(`/api/${operation}?`)).length;
}

/** What a request carried, by name. */
export function query(target: string): Record<string, string> {
  return Object.fromEntries(new URL(target, 'http://localhost').searchParams);
}
