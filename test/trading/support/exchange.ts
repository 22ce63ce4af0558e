import { type Answer, FAULTS, type FaultServer, passHangs, respond, serveFaults } from '../../support/fault-server.js';
import { BOOK, marketList, NO_ORDER, type OrderRow, orderRow, parametersOf } from '../../support/wire.js';

export type Fault = keyof typeof FAULTS;

export const NOT_FOUND = NO_ORDER;

/** The record of an order, as getOrder gives it. */
export function record(changes: Partial<OrderRow> = {}): string {
  const order = { id: '202202224851151555', price: 30000, amount: 0.01, time: 1648461600123, ...changes };
  return JSON.stringify(orderRow(order));
}

export interface Behaviour {
  /** The answer to every write, or its fault. */
  readonly write: Fault | Answer;
  /** The answers to getOrder, one after the other; the last one repeats. */
  readonly reads?: readonly (string | Answer)[];
  /** The client id of the order (default: {@link CLIENT_ID}). */
  readonly clientId?: string;
  /** The answer to any other client id. */
  readonly others?: string;
  /** The first page of getOrders, of buys. */
  readonly list?: string;
  /** How old a request may be, in ms before the latest reqTime (default: a minute). */
  readonly tolerance?: number;
}

/** The client id of the order; any other id was never used. */
const CLIENT_ID = 'mine0001';

const EXPIRED = '{"code":3007,"message":"reqTime"}';

/** An exchange where everything but the writes works. */
export function serve(behaviour: Behaviour): Promise<FaultServer> {
  const { write, reads = [], others = NOT_FOUND, list = NOT_FOUND, tolerance = 60_000 } = behaviour;
  const { clientId = CLIENT_ID } = behaviour;
  const answers = reads.map((read) => (typeof read === 'string' ? respond(read) : read));
  const last = answers.at(-1) ?? respond(NOT_FOUND);
  const tooOld = ageLimit(tolerance);
  if (write === 'a hang') passHangs();
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/data/v1/markets')) return respond(marketList());
      if (target.startsWith('/data/v1/depth?')) return respond(BOOK);
      if (target.startsWith('/api/getOrders?')) return respond(query(target).side === 'buy' ? list : NOT_FOUND);
      if (!target.startsWith('/api/getOrder?')) return typeof write === 'string' ? FAULTS[write] : write;
      const { clientId: asked = clientId } = query(target);
      return tooOld(target) ?? (asked === clientId ? (answers.shift() ?? last) : respond(others));
    },
  });
}

/**
 * Refuses requests that are older than the tolerance, in ms before the latest reqTime.
 * @param now the exchange's clock at first, in ms since the Unix epoch
 */
function ageLimit(tolerance = 60_000, now = 0): (target: string) => Answer | undefined {
  let latest = now;
  return (target) => {
    const reqTime = Number(query(target).reqTime ?? latest);
    // the client's clock never goes back, so an older request is old on purpose
    latest = Math.max(latest, reqTime);
    return latest - reqTime > tolerance ? respond(EXPIRED) : undefined;
  };
}

/** `serve` with the answers to getOrder as arguments. */
export function serveBadly(write: Fault | Answer, ...reads: (string | Answer)[]): Promise<FaultServer> {
  return serve({ write, reads });
}

/** How many requests of an operation arrived. */
export function count({ requests }: FaultServer, operation: string): number {
  return requests.filter(({ target }) => target.startsWith(`/api/${operation}?`)).length;
}

/** The query parameters of a request by their names in pit. */
export function query(target: string): Record<string, string> {
  return parametersOf(new URL(target, 'http://localhost').searchParams);
}
