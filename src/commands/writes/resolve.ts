import { flag, optional, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount } from '../../domain/decimal.js';
import { referenceText, type Side } from '../../domain/order.js';
import { type Advice, Failure, quoted, suggest, tryRead, usage } from '../../errors.js';
import type { Screen } from '../../terminal/screen.js';
import { table } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { Job } from '../../trading/batches/job.js';
import { resumeCommand } from '../../trading/batches/start-job.js';
import type { JournalEntry } from '../../trading/journal/entry.js';
import type { Unsettled } from '../../trading/journal/journal.js';
import {
  clientIdOf,
  isKind,
  type JournalEvent,
  marketOf,
  operationName,
  type RecordedWrite,
  type ReplaceTerms,
  type Settled,
} from '../../trading/journal/write.js';
import { isTooSmall, termsText } from '../../trading/orders/terms.js';
import type { ManualOutcome } from '../../trading/settling/manual/manual-outcome.js';
import { settleManually } from '../../trading/settling/manual/settle-manually.js';
import { localExpiry } from '../../trading/settling/poll-until-found.js';
import {
  type Resolution,
  recheckSettledWrite,
  resolve,
  unexpectedWrites,
  unplacedOf,
} from '../../trading/settling/resolve.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { idNumber, unresolvedId } from '../inputs/parsers.js';
import { orderArgs, tooLittleText } from '../order/order-args.js';
import { type Context, define } from '../session/command.js';
import { duplicateFailure } from '../session/duplicate-warnings.js';
import { settleWithdrawalAdvice } from '../withdraw/withdrawal-view.js';
import { askAgain } from './unknown-writes.js';

/** `done`, `notSent`, or what the exchange has of an order or a withdrawal: `placed=ID`. */
const manualOutcome = withCompletion({ of: 'words', words: ['done', 'notSent', 'placed='] }, (word): ManualOutcome => {
  const [, outcome = '', id] = /^(done|notSent|placed)(?:=(.*))?$/i.exec(word) ?? [];
  const isPlaced = outcome.toLowerCase() === 'placed';
  if (outcome === '' || isPlaced !== (id !== undefined))
    throw usage(
      `--as must be done, notSent or placed=ID, not ${quoted(word)}.`,
      'placed=ID is for an order or a withdrawal.',
    );
  if (id !== undefined) return { outcome: 'done', id: idNumber('The id after placed=')(id) };
  return { outcome: outcome.toLowerCase() === 'done' ? 'done' : 'notSent', id: null };
});

const RESOLVED = shape.object({
  operation: shape.text('order, orderMoreV2, replace, withdraw, call; unknown if the record is damaged'),
  clientId: shape.text('the client id of an order; for any other write, the id of its record'),
  market: shape.nullable(shape.text('null if it concerns no market')),
  outcome: shape.enumOf(
    ['placed', 'partial', 'cancelled', 'done', 'refused', 'notSent', 'unknown'],
    'partial: only some orders of a batch were placed; see the timeline',
  ),
  id: shape.nullable(shape.text('placed or cancelled, or named by an answer')),
  duplicates: shape.array(shape.id(''), 'duplicates that the network created from the same request'),
  timeline: shape.array(shape.object({ time: shape.time("by this machine's clock"), event: shape.text('') })),
});

type Row = shape.Infer<typeof RESOLVED>;

export default define({
  summary: 'Settle writes whose outcome is unknown',
  arguments: { clientId: optional('the id from an earlier message (default: every unknown write)', unresolvedId) },
  flags: {
    as: flag(
      '--as <outcome>',
      'what you found out about a write that pit cannot look up; ID is the order, or the record of the withdrawal',
      manualOutcome,
      { excludes: ['--dry-run'] },
    ),
  },
  examples: ['resolve', 'resolve pit5b39c93435bd27d2fb168cd7 --timeout 90', 'resolve --json'],
  output: shape.array(RESOLVED),
  async run(context, { clientId, as }) {
    const journal = await context.session.journal();
    const id = clientId === undefined ? undefined : journal.idOf(clientId);
    const { isIdle, archive } = journal;
    if (isIdle && as === undefined) {
      if (id === undefined) return { data: [], show: (screen) => show(screen, [], NOTHING_UNKNOWN) };
      if (archive.find(id) === undefined) throw noSuchWrite(id);
    }
    const trading = await context.session.trading();
    const before = trading.journal.unsettled();
    const wasDamaged = before.damaged.filter((one) => (id ?? one) === one).map((one) => damagedRow(trading, one));
    if (as !== undefined) await settleManually(trading, id, as);
    const found = id === undefined ? await resolveAll(trading) : await resolveNamed(trading, id, before);
    const { damaged, unreadable } = trading.journal.unsettled();
    const left = {
      damaged: damaged.filter((one) => (id ?? one) === one),
      unreadable: id === undefined ? unreadable : [],
    };
    await warn(context, trading, found, left);
    // settled by hand, unless its record is still there
    const outcome: Row['outcome'] = left.damaged.length === 0 ? (as?.outcome ?? 'unknown') : 'unknown';
    const rows: Row[] = [...found.shown.map(rowOf).reverse(), ...wasDamaged.map((row) => ({ ...row, outcome }))];
    const unclear = [...left.damaged, ...left.unreadable.map((one) => one.id)];
    const nothing = unclear.length === 0 ? NOTHING_UNKNOWN : 'No other write has an unknown outcome.';
    const answer = { data: rows, show: (screen: Screen) => show(screen, found.shown, nothing) };
    const unknown = found.shown.filter((one) => one.outcome === 'unknown').reverse();
    const ids = [...unknown.map(({ write }) => clientIdOf(write)), ...unclear];
    const failure =
      ids.length > 0 ? stillUnknown(trading, unknown, ids, left.damaged) : carriedOutTwice(found.shown.toReversed());
    return failure === undefined ? answer : { ...answer, failure };
  },
});

const NOTHING_UNKNOWN = 'No write has an unknown outcome.';

/** What was found out. */
interface Found {
  /** Oldest first. */
  readonly shown: readonly Resolution[];
  /** Those of `shown` that were not settled before. */
  readonly resolved: readonly Resolution[];
  /** What counted as refused or not sent and exists after all. */
  readonly unexpected: readonly Settled[];
}

/** Finds out what became of one write. Naming a job ends it, even if not everything was sent. Throws as {@link openOf}. */
async function resolveNamed(trading: TradingContext, id: string, before: Unsettled): Promise<Found> {
  const open = before.damaged.includes(id) ? [] : openOf(trading, id, before);
  const resolved = await resolve(trading, open, true);
  const isOpen = trading.journal.findUnsettled(id) !== undefined;
  const settled = isOpen ? undefined : await recheckSettledWrite(trading, id);
  const shown = settled ?? resolved.find(({ write }) => write.id === id);
  return { shown: shown === undefined ? [] : [shown], resolved, unexpected: [] };
}

/** Finds out what became of every write whose outcome is unknown. */
async function resolveAll(trading: TradingContext): Promise<Found> {
  const resolved = await resolve(trading, trading.journal.unsettledEntries(), false);
  const unexpected = unexpectedWrites(trading);
  const others = unexpected.filter(({ write }) => !resolved.some((one) => one.write.id === write.id));
  return { shown: [...resolved, ...others], resolved, unexpected };
}

/**
 * The open write of an id; none if it is settled already. Throws Failure `usage` if the journal has no such id, or its record
 * cannot be read.
 */
function openOf({ journal }: TradingContext, id: string, { unreadable }: Unsettled): JournalEntry[] {
  const entry = journal.findUnsettled(id);
  if (entry !== undefined) return [entry];
  if (journal.archive.find(id) !== undefined) return [];
  const found = unreadable.find((one) => one.id === id);
  if (found !== undefined) throw found.failure;
  throw noSuchWrite(id);
}

function noSuchWrite(id: string): Failure {
  return usage(`The journal has no write with the id ${id}.`, [
    'It holds the writes of the active profile.',
    suggest('Ask the exchange', 'order', 'show', 'MARKET', '--id', id),
  ]);
}

/** Warns of what the rows do not say: what was not placed, what can be resumed, and records that cannot be read. */
async function warn(
  context: Context,
  trading: TradingContext,
  { shown, resolved, unexpected }: Found,
  { damaged, unreadable }: Pick<Unsettled, 'damaged' | 'unreadable'>,
): Promise<void> {
  for (const resolution of shown) await warnUnplaced(context, resolution);
  suggestResume(context, trading, resolved);
  warnUnexpected(context, unexpected);
  warnDamaged(context, trading, damaged);
  // they stay: the disk may return them a moment later
  for (const { failure } of unreadable) context.output.warn([failure.message, ...failure.hints]);
}

function rowOf({ write, outcome, id, duplicates, events }: Resolution): Row {
  const clientId = clientIdOf(write);
  const operation = isKind(write, 'order') && write.replaces !== undefined ? 'replace' : operationName(write.operation);
  const timeline = events.map(({ time, event }) => ({ time: isoTime(time), event }));
  return { operation, clientId, market: marketOf(write) ?? null, outcome, id, duplicates, timeline };
}

/** Nothing is sent from here: to place the rest of a job, the user resumes it. */
function suggestResume({ output }: Context, { journal }: TradingContext, done: readonly Resolution[]): void {
  for (const { write } of done) {
    const entry = journal.findUnsettled(write.id);
    if (entry?.isKind('batch') && !entry.isUnderWay)
      output.note(suggest('To continue the job', ...resumeCommand(new Job(entry))));
  }
}

/** The row of a damaged record. What the write was cannot be read, so only the user can find out whether the exchange has it. */
function damagedRow({ journal }: TradingContext, id: string): Row {
  const timeline = journal.damagedEvents(id).map(({ time, event }) => ({ time: isoTime(time), event }));
  return { operation: 'unknown', clientId: id, market: null, outcome: 'unknown', id: null, duplicates: [], timeline };
}

/** Warns of damaged records, whose writes may have been sent. */
function warnDamaged({ output }: Context, { journal }: TradingContext, ids: readonly string[]): void {
  for (const id of ids)
    output.warn([
      `The record of ${id} is damaged: ${journal.fileOf(id)}. Until you settle it, no order or withdrawal is sent.`,
      // its record has another name than an order with a client id that the user chose
      suggest('Check whether the exchange has it', 'orders', 'MARKET', '--state', 'all'),
      suggest('Or, for a withdrawal', 'withdrawals', 'COIN'),
    ]);
}

/**
 * Warns of what counted as refused or not sent and exists after all. The warning is repeated until the user asks for the write
 * by its id, because a warning may be missed.
 */
function warnUnexpected({ output }: Context, unexpected: readonly Settled[]): void {
  for (const { write } of unexpected)
    output.warn([
      `This exists on the exchange, although it counted as not sent or rejected: ${writeText(write)}.`,
      suggest('See it and stop this warning', 'resolve', write.id),
    ]);
}

/** Warns of a replacement that was not placed. It is not placed here, because the user may want something else by now. */
async function warnUnplaced({ output, session }: Context, resolution: Resolution): Promise<void> {
  const order = unplacedOf(resolution);
  if (order === undefined) return;
  const market = await tryRead(async () => (await session.markets()).find(order.market));
  const isTooLittle = market !== undefined && isTooSmall(market, Decimal.of(order.price), Decimal.of(order.amount));
  const rest = isTooLittle ? tooLittleText(order) : suggest('To place it', ...orderArgs(order));
  output.warn([`${writeText(resolution.write)}: the order is cancelled, and its replacement was not placed.`, rest]);
}

/**
 * The failure that names what is still unknown.
 * @param ids the ids of these writes, and of those whose records cannot be read
 * @param damaged the ids of those whose records are damaged
 */
function stillUnknown(
  trading: TradingContext,
  unknown: readonly Resolution[],
  ids: readonly string[],
  damaged: readonly string[],
): Failure {
  const [first = ''] = ids;
  const isOne = ids.length === 1;
  const what = isOne ? `The outcome of ${first} is` : `The outcomes of ${ids.length} writes are`;
  const reasons = unknown.flatMap(({ why, write }) => (why === undefined ? [] : `${write.id}: ${why.reason}.`));
  const only = isOne ? unknown[0]?.why : undefined;
  const message =
    only === undefined ? [`${what} still unknown.`, ...reasons].join(' ') : `${what} unknown: ${only.reason}.`;
  const again = () => askAgain('Check again', latestExpiry(trading, unknown), ...(isOne ? [first] : []));
  const hint = settledByUser(trading, unknown, damaged) ?? again();
  return new Failure('unknown', message, { clientId: first, hint });
}

/** The failure that names the writes that the network carried out more than once; undefined if there are none. */
function carriedOutTwice(shown: readonly Resolution[]): Failure | undefined {
  const [first, ...others] = shown.filter(({ duplicates }) => duplicates.length > 0).map(({ write }) => write);
  if (first === undefined) return undefined;
  const what =
    others.length === 0 ? `${writeText(first)}: carried out` : `${others.length + 1} writes were carried out`;
  const market = marketOf(first);
  const see =
    market === undefined
      ? suggest('See them', 'withdrawals', ...(isKind(first, 'withdraw') ? [first.terms.coin] : []))
      : suggest('See the orders', 'orders', market, '--state', 'all');
  return duplicateFailure(what, clientIdOf(first), see);
}

/** How the user settles a write that pit cannot decide; undefined if there is no such write. */
function settledByUser(
  trading: TradingContext,
  unknown: readonly Resolution[],
  [damaged]: readonly string[],
): Advice | undefined {
  if (damaged !== undefined)
    return [
      `The record of ${damaged} is damaged. Check the exchange, then record what you found, done or notSent.`,
      suggest('Record it', 'resolve', damaged, '--as', 'notSent'),
    ];
  for (const { write, why } of unknown) {
    if (isKind(write, 'call'))
      return [
        `No operation reports the outcome of ${write.id}. Check the exchange, then record what you found, done or notSent.`,
        suggest('Record it', 'resolve', write.id, '--as', 'done'),
      ];
    const candidates = why !== undefined && 'candidates' in why ? why.candidates : undefined;
    if (isKind(write, 'withdraw') && (candidates !== undefined || why?.localExpiry === null))
      return settleWithdrawalAdvice(write.id, write.terms.coin, candidates ?? []);
    if (isKind(write, 'order') && why?.localExpiry === null) return settleOrderAdvice(clientIdOf(write), write.terms);
    if (isKind(write, 'batch') && latestExpiry(trading, unknown) === null)
      return settleOrderAdvice(write.id, write.terms);
  }
  return undefined;
}

/** How the user settles what pit cannot decide, although its request should have expired. */
function settleOrderAdvice(id: string, { market, side }: { readonly market: string; readonly side: Side }): Advice {
  return [
    suggest('Check again', 'resolve', id),
    'If that decides nothing, only you can settle it.',
    suggest('See the orders', 'orders', market, '--side', side, '--state', 'all'),
    suggest('Report which one it is', 'resolve', id, '--as', 'placed=ORDERID'),
    suggest('Or that it is none', 'resolve', id, '--as', 'notSent'),
  ];
}

/** When the requests of these writes have expired, by this machine's clock; null if that is over. */
function latestExpiry(trading: TradingContext, unknown: readonly Resolution[]): number | null {
  const requests = unknown.flatMap(({ write }): readonly { readonly reqTime: number }[] => {
    if (!isKind(write, 'batch')) return [write];
    const entry = trading.journal.findUnsettled(write.id);
    return entry?.isKind('batch') ? new Job(entry).openRequests : [];
  });
  return localExpiry(trading, ...requests);
}

function show(screen: Screen, resolutions: readonly Resolution[], nothing: string): string {
  const blocks = resolutions.map((resolution) => timelineTable(screen, resolution));
  return blocks.length === 0 ? screen.paint.faint(nothing) : blocks.join('\n\n');
}

function timelineTable(screen: Screen, { write, outcome, id, events }: Resolution): string {
  const named = outcome === 'unknown' ? `, the answer names ${id}` : outcome === 'placed' ? ` as ${id}` : '';
  const title = `${writeText(write)}: ${outcome}${id === null ? '' : named}`;
  const times = (count: number) => (count === 1 ? '' : ` (${count} times)`);
  return table(
    screen,
    [
      { title: timeTitle(), value: ({ time }) => localTime(time), importance: 1 },
      { title: 'event', value: ({ event, count }) => `${event}${times(count)}`, importance: 2, wraps: true },
    ],
    withoutRepeats(events),
    { title },
  );
}

/** Repeated events are one line, with the time of the first. */
function withoutRepeats(events: readonly JournalEvent[]): (JournalEvent & { count: number })[] {
  const lines: (JournalEvent & { count: number })[] = [];
  for (const event of events) {
    const last = lines.at(-1);
    if (last?.event === event.event) last.count += 1;
    else lines.push({ ...event, count: 1 });
  }
  return lines;
}

/** The write in words, for instance `buy 0.01 btc_usdt at 28,000`. */
function writeText(write: RecordedWrite): string {
  if (isKind(write, 'order'))
    return write.replaces === undefined ? termsText(write.terms) : replacementText(write.replaces);
  if (isKind(write, 'replace')) return replacementText(write.terms);
  if (isKind(write, 'call')) return write.terms.method;
  if (isKind(write, 'withdraw')) {
    const { amount, coin, address } = write.terms;
    return `withdraw ${formatAmount(amount)} ${coin} to ${address}`;
  }
  const { side, count, market } = write.terms;
  return `${side} ${counted(count, 'order')} in ${market} (job ${write.id})`;
}

function replacementText({ order, wanted }: ReplaceTerms): string {
  return `replace ${referenceText(order)} with ${termsText(wanted)}`;
}
