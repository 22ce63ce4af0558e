import type { Passing } from '../../../support/proxy.js';
import type { Action, Breach, Evidence, Fixture, Judgement, Kind, ReportedOutcome } from '../action.js';
import { chosen, type Draw } from '../draw.js';
import type { Listed } from '../exchange.js';
import { isPrompt } from '../network.js';
import { documentOf, type Run, wasKilled } from '../program.js';
import { doneLater, executedAfterRefusal, reportedLater, unreportedRepetitions } from './late-executions.js';
import { isOf, plain, type Terms, uniqueTerms } from './terms.js';

interface BatchAction extends Action {
  readonly lines: readonly Terms[];
}

/** What `pit order batch --json` prints. */
interface Output {
  readonly job: string;
  readonly orders: readonly { readonly outcome: string; readonly id: string | null }[];
  readonly duplicates: readonly string[];
}

/** A long ladder reaches beyond the price band. */
const SEND = ['--yes', '--override', 'price-band'];

/** `pit order batch`: a ladder of unique terms. The rest of it is placed in the end with `--resume`. */
export const batch: Kind<BatchAction> = {
  name: 'batch',
  weight: 3,

  async plan(number: number, draw: Draw, fixture: Fixture): Promise<BatchAction> {
    const first = firstTerms(number, draw, fixture);
    const { market, side, price, amount } = first;
    const count = chosen(draw, fixture.batches);
    // a whole coin apart and away from the market, with the same cents, which no other action has
    const step = side === 'buy' ? -1 : 1;
    const decimals = amount.split('.')[1]?.length ?? 0;
    const lines = Array.from({ length: count }, (_, index) => ({
      ...first,
      price: plain((Number(price) + step * index).toFixed(2)),
    }));
    const ladder = `${price}:${lines.at(-1)?.price}:${count}`;
    const total = (Number(amount) * count).toFixed(decimals);
    const words = ['order', 'batch', side, market, '--ladder', ladder, '--amount', total, ...SEND];
    return {
      number,
      kind: 'batch',
      market,
      side,
      words,
      keys: [batchKey(first)],
      timeout: 0,
      clientId: undefined,
      lines,
    };
  },

  keyOf({ operation, parameters: { market = '', tradeType, tradeParams = '' } }: Passing) {
    const [, price = '', amount = ''] = /^\[\[([\d.]+),([\d.]+)\]/.exec(tradeParams) ?? [];
    const side = tradeType === '1' ? 'buy' : 'sell';
    return operation === 'orderMoreV2' ? batchKey({ market, side, price, amount: plain(amount) }) : undefined;
  },

  ordersOf: ({ lines }) => lines,

  finish(action, jobs) {
    const job = jobs.find(({ market, lines: [first] }) => market === action.market && first === firstOf(action));
    return job === undefined ? undefined : ['order', 'batch', action.side, action.market, '--resume', job.id, ...SEND];
  },

  judge(action, evidence): Judgement {
    const { run, finished } = evidence;
    const [output, final] = [run, finished].map((one) => (one === undefined ? undefined : documentOf<Output>(one)));
    const reported = outcomeOf(run, output);
    const orders = action.lines.map((line) => evidence.orders.filter((one) => isOf(line, one)));
    const extra = orders.reduce((sum, own) => sum + Math.max(0, own.length - 1), 0);
    const own = named(output, orders);
    const later = madeLater(evidence);
    const late = new Set([...doneLater(reported, output, orders, evidence)].filter((id) => !later.has(id)));
    const isFlagging = mustFlag(reported, evidence);
    const breaches = [
      ...sentAgain(action, evidence, orders),
      ...truthful(reported, output, orders, new Set([...later, ...late])),
      ...finishedRightly(evidence, final, orders),
      ...(isFlagging && !covers(own, orders)
        ? ['duplicated by the network before the check, and not flagged' as const]
        : []),
      ...flagged([...own, ...named(final, orders), ...warnedOf(evidence)], orders),
      ...reportedLater(late, [...(final?.duplicates ?? []), ...warnedOf(evidence)]),
      ...falseAlarms([...(output?.duplicates ?? []), ...(final?.duplicates ?? [])], orders, new Set()),
      ...falseAlarms(
        warnedOf(evidence),
        orders,
        new Set([...late, ...unreportedRepetitions(reported, orders, evidence), ...executedAfterRefusal(evidence)]),
      ),
      ...archivedRightly(final, evidence),
    ];
    const flags = output?.duplicates.length ?? 0;
    return {
      reported,
      duplicates: extra,
      prompt: isFlagging ? extra : 0,
      flagged: flags,
      isLate: late.size > 0,
      breaches: [...new Set(breaches)],
    };
  },
};

/** Only in a market whose price leaves room for all the steps. */
function firstTerms(number: number, draw: Draw, fixture: Fixture): Terms {
  const rests = draw() < 0.8;
  let terms = uniqueTerms(number, draw, fixture, rests);
  while (!['btc_usdt', 'eth_usdt'].includes(terms.market)) terms = uniqueTerms(number, draw, fixture, rests);
  return terms;
}

function batchKey({ market, side, price, amount }: Terms): string {
  return `batch ${side} ${amount} ${market} at x.${Number(price).toFixed(2).slice(-2)}`;
}

function firstOf({ lines: [first] }: BatchAction): string {
  return `${first?.price} ${first?.amount}`;
}

/** The outcome of the whole batch; exit 9 means a part. */
function outcomeOf(run: Run, output: Output | undefined): ReportedOutcome {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  if (output === undefined)
    return code === 3 || code === 4 || code === 7 ? 'refused' : code === 2 || code === 5 ? 'notSent' : 'failed';
  if (code === 0 || (code === 9 && output.orders.every(({ outcome }) => outcome === 'placed'))) return 'placed';
  if (code === 6) return 'unknown';
  return code === 9 ? 'partial' : 'failed';
}

/** A line that was sent again while its order existed, or could still result from the earlier request. */
function sentAgain({ lines }: BatchAction, { writes }: Evidence, orders: readonly (readonly Listed[])[]): Breach[] {
  const isTwice = lines.some((line, index) => {
    const requests = writes.filter(({ parameters: { tradeParams = '' } }) =>
      pairsOf(tradeParams).some((pair) => isOf(line, pair)),
    );
    return requests.slice(1).some((request, before) => {
      const earlier = requests.slice(0, before + 1).flatMap(({ executions }) => executions);
      const isLater = earlier.some(
        ({ begun, answer = '' }) => begun > request.time && answer.startsWith('{"code":"1000"'),
      );
      return isLater || (orders[index] ?? []).some(({ time }) => time < request.time);
    });
  });
  return isTwice ? ['sent twice by pit'] : [];
}

function pairsOf(tradeParams: string) {
  return [...tradeParams.matchAll(/\[([\d.]+),([\d.]+)\]/g)].map(([, price = '', amount = '']) => ({ price, amount }));
}

/** Ids of the orders that later commands placed when they resumed it on a calm network. */
function madeLater({ writes, run }: Evidence): ReadonlySet<string> {
  const later = writes.filter(({ time }) => time >= run.ended);
  const answers = later.flatMap(({ executions }) => executions.map(({ answer = '' }) => answer));
  return new Set(answers.flatMap((answer) => /"data":\[([\d,]*)\]/.exec(answer)?.[1]?.split(',') ?? []));
}

/** Checks the reported outcome of each line; without a report of the lines, no order may exist. */
function truthful(
  reported: ReportedOutcome,
  output: Output | undefined,
  orders: readonly (readonly Listed[])[],
  later: ReadonlySet<string>,
): Breach[] {
  if (reported === 'killed') return [];
  return orders.flatMap((own, index): Breach[] => {
    const { outcome, id } = output?.orders[index] ?? { outcome: 'notSent', id: null };
    if (outcome === 'placed') return own.some((one) => one.id === id) ? [] : ['reported as done, but not done'];
    const isThere = own.some((one) => !later.has(one.id));
    if (outcome === 'unknown' || !isThere) return [];
    return [reported === 'failed' ? 'lost silently' : 'reported as not done, but done'];
  });
}

/** In the end each line has its order, or is refused and has none; a job without a record may have no orders. */
function finishedRightly(
  { finished }: Evidence,
  final: Output | undefined,
  orders: readonly (readonly Listed[])[],
): Breach[] {
  if (finished === undefined) return orders.some((own) => own.length > 0) ? ['lost silently'] : [];
  if (final === undefined) return finished.code === 3 ? refusedAll(orders) : ['not settled'];
  return orders.flatMap((own, index): Breach[] => {
    const { outcome, id } = final.orders[index] ?? { outcome: 'unknown', id: null };
    if (outcome === 'unknown' || outcome === 'notSent') return ['not settled'];
    const isRight = outcome === 'placed' ? own.some((one) => one.id === id) : own.length === 0;
    return isRight ? [] : ['settled wrongly'];
  });
}

function refusedAll(orders: readonly (readonly Listed[])[]): Breach[] {
  return orders.some((own) => own.length > 0) ? ['settled wrongly'] : [];
}

/** No order is both a line's and a duplicate, and the journal agrees with the answer. */
function archivedRightly(final: Output | undefined, { resolved }: Evidence): Breach[] {
  if (final === undefined) return [];
  const ids = new Set(final.orders.flatMap(({ id }) => id ?? []));
  const row = resolved.filter(({ clientId, isArchived }) => clientId === final.job && isArchived === true).at(-1);
  const isSame = [...(row?.duplicates ?? [])].sort().join() === [...final.duplicates].sort().join();
  return isSame && !final.duplicates.some((id) => ids.has(id)) ? [] : ['settled wrongly'];
}

/** The ids that an answer names, for lines and as duplicates. */
function named(output: Output | undefined, orders: readonly (readonly Listed[])[]): string[] {
  const ids = orders.flatMap((_, index) => output?.orders[index]?.id ?? []);
  return [...ids, ...(output?.duplicates ?? [])];
}

function covers(ids: readonly string[], orders: readonly (readonly Listed[])[]): boolean {
  const known = new Set(ids);
  return orders.filter((own) => own.length > 1).every((own) => own.every(({ id }) => known.has(id)));
}

/** Whether all duplicates existed before pit got a reply, and it did not report a failed check. */
function mustFlag(reported: ReportedOutcome, { run, writes }: Evidence): boolean {
  if (reported !== 'placed' || run.stderr.includes('pit could not check')) return false;
  return writes.filter(({ time }) => time <= run.ended).every(isPrompt);
}

function flagged(ids: readonly string[], orders: readonly (readonly Listed[])[]): Breach[] {
  return covers(ids, orders) ? [] : ['duplicated by the network, and never reported'];
}

function falseAlarms(
  alarms: readonly string[],
  orders: readonly (readonly Listed[])[],
  late: ReadonlySet<string>,
): Breach[] {
  const isTwice = (id: string) => orders.some((own) => own.length > 1 && own.some((one) => one.id === id));
  const isOne = (id: string) => late.has(id) || isTwice(id);
  return alarms.every(isOne) ? [] : ['reported as duplicated, but is not'];
}

function warnedOf({ warned, finished }: Evidence): string[] {
  const job = finished?.words[finished.words.indexOf('--resume') + 1];
  return warned.filter(({ clientId }) => clientId === job).flatMap(({ ids }) => ids);
}
