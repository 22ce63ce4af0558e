import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';

export type Fault = keyof typeof FAULTS;

export const CONFIGURATION = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';
/** A book around 30000, which the guards of an order look at. */
export const DEPTH = '{"asks":[[30001,5]],"bids":[[29999,5]],"timestamp":1648461600}';
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

export interface Behaviour {
  /** What happens to a write. */
  readonly write: Fault | Answer;
  /** The answers to getOrder, the last one for ever. */
  readonly looks?: readonly (string | Answer)[];
  /** The answer to a client id that was never used. */
  readonly others?: string;
  /** The first page of getOrders, of both sides. */
  readonly list?: string;
  /** How old a request may be, in milliseconds by the latest time that was asked with; a minute unless told. */
  readonly tolerance?: number;
}

/** The client id of the order that the looks are for; any other is one that was never used. */
export const CLIENT_ID = 'mine0001';

const EXPIRED = '{"code":3007,"message":"reqTime"}';

/** An exchange that does well in everything but a write. */
export function serve(behaviour: Behaviour): Promise<FaultServer> {
  const { write, looks = [], others = NOT_FOUND, list = NOT_FOUND, tolerance = 60_000 } = behaviour;
  const answers = looks.map((look) => (typeof look === 'string' ? respond(look) : look));
  const last = answers.at(-1) ?? respond(NOT_FOUND);
  const tooOld = ageLimit(tolerance);
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/data/v1/markets')) return respond(CONFIGURATION);
      if (target.startsWith('/data/v1/depth?')) return respond(DEPTH);
      if (target.startsWith('/api/getOrders?')) return respond(list);
      if (!target.startsWith('/api/getOrder?')) return typeof write === 'string' ? FAULTS[write] : write;
      const { customerOrderId = CLIENT_ID } = query(target);
      return tooOld(target) ?? (customerOrderId === CLIENT_ID ? (answers.shift() ?? last) : respond(others));
    },
  });
}

/**
 * Refuses what is older than the exchange takes, in milliseconds by the latest time that was asked with.
 * @param now the exchange's clock at first, in ms since the Unix epoch
 */
export function ageLimit(tolerance = 60_000, now = 0): (target: string) => Answer | undefined {
  let latest = now;
  return (target) => {
    const reqTime = Number(query(target).reqTime ?? latest);
    // the client's clock only goes on, so that an older request is meant to be old
    latest = Math.max(latest, reqTime);
    return latest - reqTime > tolerance ? respond(EXPIRED) : undefined;
  };
}

/** The same, with the answers to getOrder one after the other. */
export function serveBadly(write: Fault | Answer, ...looks: (string | Answer)[]): Promise<FaultServer> {
  return serve({ write, looks });
}

/** How many requests of an operation really arrived. */
export function count({ requests }: FaultServer, operation: string): number {
  return requests.filter(({ target }) => target.startsWith(`/api/${operation}?`)).length;
}

/** What a request carried, by name. */
export function query(target: string): Record<string, string> {
  return Object.fromEntries(new URL(target, 'http://localhost').searchParams);
}

/** The looks at the order itself: the getOrder requests that name it. */
export function looksAt({ requests }: FaultServer): number {
  const looks = requests.map(({ target }) => target).filter((target) => target.startsWith('/api/getOrder?'));
  return looks.filter((target) => (query(target).customerOrderId ?? CLIENT_ID) === CLIENT_ID).length;
}
