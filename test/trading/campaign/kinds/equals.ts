import type { Action, Breach, Fixture, Judgement, Kind, Resolved } from '../action.js';
import type { Draw } from '../draw.js';
import { documentOf } from '../program.js';
import { type Output, orderKey } from './order.js';
import { reportedOutcome } from './placing.js';
import { isOf, type Terms, uniqueTerms } from './terms.js';

interface EqualsAction extends Action {
  readonly terms: Terms;
}

const COPIES = 20;

/** The same `pit order` twenty times at once: every order is wanted, so only what the network adds is a duplicate. */
export const EQUALS: Kind<EqualsAction> = {
  name: 'equals',
  weight: 0,

  async plan(number: number, draw: Draw, fixture: Fixture): Promise<EqualsAction> {
    const terms = uniqueTerms(number, draw, fixture, true);
    const { market, side, price, amount } = terms;
    const words = ['order', side, market, amount, '--at', price, '--yes'];
    return {
      ...{ number, kind: 'equals', market, side, words, keys: [orderKey(terms)], timeout: 0 },
      ...{ clientId: undefined, copies: COPIES, terms },
    };
  },

  /** Its writes have the key of an order. */
  keyOf: () => undefined,

  judge({ terms }, evidence): Judgement {
    const { runs, writes, resolved, warned } = evidence;
    const outputs = runs.map((run) => ({ run, output: documentOf<Output>(run) }));
    const reported = outputs.map(({ run, output }) => reportedOutcome({ ...evidence, run }, output));
    const there = new Set(evidence.orders.filter((one) => isOf(terms, one)).map(({ id }) => id));
    const clientIds = writes.map(({ parameters: { customerOrderId = '' } }) => customerOrderId);
    const executed = writes.filter(({ executions }) => executions.some(({ answer = '' }) => answer.includes('"1000"')));
    const placed = outputs.flatMap(({ output }) => output?.id ?? []);
    const rows = resolved.filter(({ clientId }) => clientIds.includes(clientId));
    const settled = rows.flatMap(({ id }) => id ?? []);
    const own = new Set([...placed, ...settled]);
    const duplicates = new Set([
      ...outputs.flatMap(({ output }) => output?.duplicates ?? []),
      ...rows.flatMap((row) => row.duplicates),
      ...warned.filter(({ clientId }) => clientIds.includes(clientId)).flatMap(({ ids }) => ids),
    ]);
    const extra = there.size - executed.length;
    const breaches: (Breach | false)[] = [
      new Set(clientIds).size < clientIds.length && 'sent twice by pit',
      (new Set(placed).size < placed.length || placed.some((id) => !there.has(id))) && 'reported as done, but not done',
      own.size !== executed.length && 'lost silently',
      [...there].some((id) => !own.has(id) && !duplicates.has(id)) && 'duplicated by the network, and never reported',
      [...duplicates].some((id) => own.has(id) || !there.has(id)) && 'reported as duplicated, but is not',
      clientIds.some((clientId) => isUnsettled(rows.filter((row) => row.clientId === clientId))) && 'not settled',
    ];
    return {
      reported: reported.includes('unknown') ? 'unknown' : 'placed',
      ...{ duplicates: extra, prompt: 0, flagged: duplicates.size, isLate: false },
      breaches: breaches.filter((breach) => breach !== false),
    };
  },
};

/** Two commands at once may report the same write, while one still waits for the other. */
function isUnsettled(rows: readonly Resolved[]): boolean {
  return rows.length > 0 && rows.every(({ outcome }) => outcome === 'unknown');
}
