import type { Passing } from '../../support/proxy.js';
import type { Action, Evidence, Fixture, Resolved, Side } from './action.js';
import { archivedIn, jobsIn } from './archived.js';
import type { Listed } from './exchange.js';
import { keyOf, kindOf } from './kinds/index.js';
import { MARKET_NAMES } from './kinds/terms.js';
import { COINS } from './kinds/withdraw.js';
import { documentOf, type Program, type Run, warningsIn } from './program.js';

export interface Traces {
  readonly stage: Fixture;
  /** Orders before this time do not count, in ms since the Unix epoch. */
  readonly since: number;
  readonly runs: ReadonlyMap<Action, readonly Run[]>;
  /** The final commands that finished some of them. */
  readonly finished: ReadonlyMap<Action, Run>;
  readonly program: Program;
  /** All requests that passed the network. */
  readonly requests: readonly Passing[];
}

/** Reads the state of the exchange, and returns the evidence for each action. */
export async function evidenceOf({
  stage,
  since,
  runs,
  finished,
  program,
  requests,
}: Traces): Promise<(action: Action) => Evidence> {
  const orders = new Map<string, Listed[]>();
  for (const market of MARKET_NAMES) {
    for (const side of ['buy', 'sell'] as const) {
      orders.set(`${market} ${side}`, await stage.exchange.orders(market, side, since));
    }
  }
  const withdrawals = new Map<string, Listed[]>();
  for (const coin of COINS) withdrawals.set(coin, await stage.exchange.withdrawals(coin, since));
  const writes = grouped(requests, keyOf);
  const listings = grouped(requests, listed);
  const orderReads = requests.filter(({ operation }) => operation === 'getOrder');
  const warned = program.runs.flatMap(warningsIn);
  const printed = program.runs
    .filter(({ words }) => words[0] === 'resolve')
    .flatMap((run) => documentOf<Resolved[]>(run) ?? []);
  // a list of another command may have settled it since
  const resolved = [...printed, ...archivedIn(program.home)].filter(
    ({ outcome }, index, rows) => outcome !== 'unknown' || !isSettledLater(rows, index),
  );
  return (action) => {
    const own = runs.get(action) ?? [];
    const [run] = own;
    if (run === undefined) throw new Error(`action ${action.number} never ran`);
    const where = `${action.market} ${action.side}`;
    return {
      finished: finished.get(action),
      ...{
        run,
        runs: own,
        warned,
        resolved,
        orderReads,
        listings: listings.get(where) ?? [],
        orders: orders.get(where) ?? [],
      },
      withdrawals: withdrawals.get(action.market) ?? [],
      writes: action.keys.flatMap((key) => (writes.get(key) ?? []).map((write) => ({ ...write, key }))),
    };
  };
}

/** Finishes the actions that can be resumed, once everything is settled. */
export async function finish(actions: Iterable<Action>, program: Program): Promise<Map<Action, Run>> {
  const finished = new Map<Action, Run>();
  const jobs = jobsIn(program.home);
  for (const action of actions) {
    const words = kindOf(action).finish?.(action, jobs);
    if (words !== undefined) finished.set(action, await program.run([...words, '--json', '--timeout', '60']));
  }
  return finished;
}

function isSettledLater(rows: readonly Resolved[], index: number): boolean {
  const { clientId } = rows[index] ?? {};
  return rows.slice(index + 1).some((row) => row.clientId === clientId && row.outcome !== 'unknown');
}

function listed({ operation, parameters: { currency, tradeType } }: Passing): string | undefined {
  const side: Side = tradeType === '1' ? 'buy' : 'sell';
  if (operation === 'getWithdrawRecord') return `${currency} sell`;
  return operation === 'getOrders' ? `${currency} ${side}` : undefined;
}

function grouped<Item>(items: readonly Item[], nameOf: (item: Item) => string | undefined): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(item);
  }
  return groups;
}
