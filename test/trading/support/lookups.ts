import { type Outcome, type Request, ScriptedExchange, type Shown } from '../../support/scripted-exchange.js';

/** The client id of the order; any other id was never used. */
export const CLIENT_ID = 'mine0001';

interface Lookups {
  /** What lookups of the order show, one after the other; the last one repeats (default: none). */
  readonly shows?: readonly Shown[];
  /** The client id of the order (default: {@link CLIENT_ID}). */
  readonly clientId?: string;
  /** What a lookup by any other client id shows (default: none). */
  readonly others?: Shown;
  /** The first page of the buys (default: nothing). */
  readonly list?: Shown;
}

/** An exchange where each write has the same outcome, and reads show what the test says, whatever came of the writes. */
export function lookedUp(outcome: Outcome, { shows = [], clientId, others = 'none', list = [] }: Lookups = {}) {
  const exchange = new ScriptedExchange();
  const left = [...shows];
  const last = left.at(-1) ?? 'none';
  exchange.usually = outcome;
  exchange.onRequest = (request) => {
    if (request.kind === 'list') return request.side === 'buy' && request.page === 1 ? list : [];
    if (request.kind !== 'lookup') return undefined;
    return isOfOrder(request, clientId) ? (left.shift() ?? last) : others;
  };
  return exchange;
}

/** How many lookups were of the order. */
export function lookupsOf(exchange: ScriptedExchange): number {
  return exchange.arrived('lookup').filter((request) => isOfOrder(request)).length;
}

function isOfOrder({ order }: Extract<Request, { readonly kind: 'lookup' }>, clientId = CLIENT_ID): boolean {
  return 'id' in order || order.clientId === clientId;
}
