import { listing } from '../../../cli/answers.js';
import { fieldColumns } from '../../../cli/field-columns.js';
import { fieldNames } from '../../../cli/row-fields.js';
import * as shape from '../../../cli/shapes.js';
import { Decimal, formatAmount, formatAverage, formatPercent, formatPrice } from '../../../domain/decimal.js';
import { Failure, suggest } from '../../../errors.js';
import type { Answer } from '../../../terminal/answer.js';
import { paintSide, sideColumn, sideText } from '../../../terminal/cells.js';
import type { Paint } from '../../../terminal/palette.js';
import type { Screen } from '../../../terminal/screen.js';
import { type Column, type RecordLine, record, table } from '../../../terminal/table.js';
import { localTime, timeTitle } from '../../../terminal/time.js';
import { isTakeCancelled } from '../../../trading/algos/plan/exits.js';
import { unprotectedSince } from '../../../trading/algos/record/facts.js';
import type { AlgoView } from '../../../trading/algos/service/algo-views.js';
import { ORDER } from '../../order/order-row.js';
import { unseenDuplicatesText } from '../unwatched.js';
import { ALGO, type AlgoDocument, algoDocument } from './algo-fields.js';
import { wordsOf } from './entry-words.js';
import { algoSentences, exitWords } from './sentences.js';
import { distanceText } from './terms-text.js';

/** The same columns whatever is null: an algo order without an entry has those of the entry too. */
const CSV_HEADER = fieldNames(shape.object(ALGO));

/** One algo order: a record, its orders, and what it will do or has come to. */
export function algoAnswer(view: AlgoView, now: number): Answer<AlgoDocument> {
  const data = algoDocument(view, now);
  return {
    data,
    csv: [withoutChildren(data)],
    csvHeader: CSV_HEADER,
    show: (screen) => algoRecord(screen, view, data),
    ...problemsOf([view]),
  };
}

/** What could not be read makes an answer partial: its numbers are at least. So do duplicates that the user has not seen. */
function problemsOf(views: readonly AlgoView[]): Pick<Answer, 'failure'> {
  const problems = [...new Set(views.flatMap((view) => view.problems))];
  const doubled = views.filter(({ hasUnseenDuplicates }) => hasUnseenDuplicates);
  const sentences = [
    ...doubled.map((view) => unseenDuplicatesText(view.id, view)),
    ...(problems.length === 0
      ? []
      : [`Not everything could be read, so what is shown may be less than what has filled: ${problems.join(' ')}`]),
  ];
  if (sentences.length === 0) return {};
  const hint = doubled.map(({ id }) => suggest('See what has filled', 'algo', 'show', id));
  return { failure: new Failure('partial', sentences.join(' '), { hint }) };
}

/** Algo orders as a table. */
export function algoList(views: readonly AlgoView[], now: number, empty: string): Answer<readonly AlgoDocument[]> {
  const rows = views.map((view) => ({ ...algoDocument(view, now), view }));
  const answer = listing({
    rows: rows.map(({ view: _, ...row }) => row),
    row: shape.object(ALGO),
    columns: [],
    empty,
  });
  return {
    ...answer,
    csv: rows.map(({ view: _, ...row }) => withoutChildren(row)),
    csvHeader: CSV_HEADER,
    show: (screen) => (rows.length === 0 ? screen.paint.faint(empty) : table(screen, COLUMNS, rows)),
    ...problemsOf(views),
  };
}

/** A cell cannot hold a list of orders: their ids. */
function withoutChildren(row: AlgoDocument) {
  const children = row.children.map(({ id }) => id).join(' ');
  return {
    ...row,
    children,
    duplicates: row.duplicates.join(' '),
    fees: feesText(row, ' '),
    events: row.events.map(({ text }) => text).join(' '),
  };
}

interface ViewRow extends AlgoDocument {
  readonly view: AlgoView;
}

const column = fieldColumns<ViewRow>(shape.object(ALGO) as shape.Shape<ViewRow>);

const COLUMNS: readonly Column<ViewRow>[] = [
  column('id', { rowKey: ({ id }) => id, importance: 10 }),
  column('market', { importance: 9, paint: (text, _, paint) => paint.strong(text) }),
  sideColumn((row: ViewRow) => row.side, { importance: 8 }),
  column('kind', { importance: 7 }),
  column('amount', { value: ({ amount }) => formatAmount(amount), importance: 8 }),
  column('filled', { value: ({ filled }) => formatAmount(filled), importance: 6 }),
  { title: 'terms', value: ({ view }) => termsCell(view), importance: 5 },
  { title: 'acts at', value: ({ exit, view }) => priceOrNull(exit?.level, view), align: 'decimal', importance: 4 },
  column('state', {
    value: ({ state, view }) => [state, dangerOf(view)?.[0] ?? []].flat().join(', '),
    importance: 9,
    paint: (text, { view }, paint) => paintState(text, view, paint),
  }),
  column('started', { importance: 2 }),
];

/** What keeps it from acting, in capitals, and what that means; undefined if nothing does. */
function dangerOf(view: AlgoView): readonly [mark: string, meaning: string] | undefined {
  if (view.facts.ended !== null) return undefined;
  const since = unprotectedSince(view.facts, view.unsentSince);
  const isUnwatched = !view.isWatched;
  if (isUnwatched && since !== null && view.facts.exitTriggered !== null)
    return [
      'NOT PROTECTED',
      `since ${localTime(since)} its stop is reached and not known to be sent, and no process of pit acts for it`,
    ];
  if (isUnwatched) return ['NOT WATCHED', 'no process of pit acts for it'];
  return since === null ? undefined : ['NOT PROTECTED', `since ${localTime(since)} its stop is not sent`];
}

function termsCell({ terms, children }: AlgoView): string {
  const { entry, when, market } = terms;
  return [
    ...(entry === null ? [] : [wordsOf(entry).cell(entry, market)]),
    ...(when.length === 0 ? [] : [`when ${when.join(' or ')}`]),
    ...exitWords(terms, isTakeCancelled({ children })),
  ].join(', ');
}

function priceOrNull(price: string | null | undefined, { terms }: AlgoView): string | null {
  return price == null ? null : formatPrice(price, terms.market);
}

function paintState(text: string, view: AlgoView, paint: Paint): string {
  const { state } = view;
  if (dangerOf(view) !== undefined) return paint.bad(text);
  if (state === 'done') return paint.good(text);
  if (state === 'partial' || state === 'failed' || state === 'halted' || state === 'paused' || state === 'blind')
    return paint.warn(text);
  return state === 'cancelled' ? paint.faint(text) : paint.strong(text);
}

function feesText({ fees }: AlgoDocument, separator: string): string | null {
  return fees === null ? null : fees.map(({ coin, amount }) => `${formatAmount(amount)} ${coin}`).join(separator);
}

function algoRecord(screen: Screen, view: AlgoView, row: AlgoDocument): string {
  const { terms, facts } = view;
  const { market } = terms;
  const best = { bid: facts.began.bid, ask: facts.began.ask };
  const { does, onlyPitKnows } = algoSentences(terms, best, { isTakeCancelled: isTakeCancelled(view) });
  const danger = dangerOf(view);
  const isOver = row.ended !== null;
  const entries: RecordLine[] = [
    ['id', row.id],
    ['market', market.market],
    ['side', sideText(row.side), (text, paint) => paintSide(text, row.side, paint)],
    ['kind', row.kind],
    ['amount', `${formatAmount(row.amount)} ${market.base}`],
    ...(row.agent ? [['made by', 'an agent'] as RecordLine] : []),
    [
      'state',
      danger === undefined ? row.state : `${row.state}, ${danger.join(': ')}`,
      (text, paint) => paintState(text, view, paint),
    ],
    ...(row.reason === null ? [] : [['reason', row.reason] as RecordLine]),
    ...termEntries(view, row),
    ...filledEntries(view, row),
    ...(row.fees === null || row.fees.length > 0 ? [['fees', feesText(row, ', ') ?? 'unknown'] as RecordLine] : []),
    [timeTitle('started'), localTime(Date.parse(row.started))],
    ...(row.ended === null
      ? []
      : [
          [
            timeTitle('ended'),
            `${localTime(Date.parse(row.ended))}, after ${lastedText(row.durationMs)}`,
          ] as RecordLine,
        ]),
    ...view.said.map(({ said, time }): RecordLine => ['noted', `${localTime(time)}  ${said}`]),
    ...(isOver ? [] : ([...doesEntries(does), ['only pit knows', onlyPitKnows]] as RecordLine[])),
  ];
  const duplicates = new Set(row.duplicates);
  const shownChildren = row.children.map((child) => ({ ...child, isDuplicate: duplicates.has(child.id) }));
  const children = shownChildren.length === 0 ? '' : `\n\n${table(screen, CHILD_COLUMNS, shownChildren)}`;
  return `${record(screen, entries)}${children}`;
}

/** The entry, the exits, and where they act or have acted. */
function termEntries(view: AlgoView, { exit, trigger, ended }: AlgoDocument): RecordLine[] {
  const { entry, exits, market } = view.terms;
  const shown = (label: string, price: string | null | undefined, after = ''): RecordLine[] =>
    price == null ? [] : [[label, `${formatPrice(price, market)} ${market.quote}${after}`]];
  return [
    ...(entry === null ? [] : wordsOf(entry).rows(entry, market)),
    ...shown('take-profit', exit?.take, isTakeCancelled(view) ? ', cancelled' : ''),
    ...shown('stop', exit?.stop),
    ...(exits?.trail == null ? [] : [['trail', distanceText(exits.trail)] as RecordLine]),
    ...shown('best price', exit?.best),
    ...(ended === null ? shown('acts at', exit?.level) : []),
    ...(trigger === null
      ? []
      : [
          [
            'triggered',
            `${localTime(Date.parse(trigger.time))} at ${formatPrice(trigger.price, market)} (${trigger.source}${trigger.late ? ', found late' : ''})`,
          ] as RecordLine,
        ]),
  ];
}

/** What has filled of the entry and the exits, at which averages, and what is left as a position. */
function filledEntries({ terms, facts }: AlgoView, row: AlgoDocument): RecordLine[] {
  const { market } = terms;
  const { side, exit, position, averagePrice } = row;
  // its average is of the entry, which the trigger of an exit does not concern
  const wasTriggered = (terms.entry === null ? facts.exitTriggered : facts.entryTriggered) !== null;
  const average = (price: string, of: string) => formatAverage(price, market, of === 'buy' ? 'up' : 'down');
  return [
    ['filled', `${formatAmount(row.filled)} of ${formatAmount(row.amount)} ${market.base}`],
    ...(averagePrice === null
      ? []
      : [['average price', `${average(averagePrice, side)} ${market.quote}`] as RecordLine]),
    ...(row.slippage === null ? [] : [['slippage', slippageText(row.slippage, !wasTriggered)] as RecordLine]),
    ...(terms.entry === null || exit === null || exit.averagePrice === null
      ? []
      : [
          [
            'exit',
            `${formatAmount(exit.filled)} ${market.base} at ${average(exit.averagePrice, exit.side)}${exit.slippage === null ? '' : `, ${slippageText(exit.slippage, false)}`}`,
          ] as RecordLine,
        ]),
    ...(position === null || Decimal.of(position).sign === 0
      ? []
      : [['position', `${formatAmount(position)} ${market.base}`] as RecordLine]),
  ];
}

/** What an algo order does: a line for each sentence. */
export function doesEntries(does: readonly string[]): RecordLine[] {
  return does.map((sentence, index) => [index === 0 ? 'does' : '', sentence]);
}

type ShownChild = AlgoDocument['children'][number] & { readonly isDuplicate: boolean };

const childColumn = fieldColumns<ShownChild>(shape.object(ORDER) as shape.Shape<ShownChild>);

const CHILD_COLUMNS: readonly Column<ShownChild>[] = [
  { title: 'for', value: ({ role, isDuplicate }) => (isDuplicate ? `${role}, duplicate` : role), importance: 8 },
  childColumn('id', { title: 'order', rowKey: ({ id }) => id, importance: 9 }),
  sideColumn((row: ShownChild) => row.side, { importance: 7 }),
  childColumn('price', { importance: 8 }),
  childColumn('amount', { value: ({ amount }) => formatAmount(amount), importance: 7 }),
  childColumn('filled', { value: ({ filled }) => formatAmount(filled), importance: 7 }),
  childColumn('type', { importance: 3 }),
  childColumn('state', { importance: 6 }),
  childColumn('time', { importance: 2 }),
];

/** `0.12% worse than at the trigger`. */
function slippageText(share: string, isFromStart: boolean): string {
  const percent = Decimal.of(share).times(Decimal.of('100'));
  const size = formatPercent(percent.sign < 0 ? percent.negated() : percent);
  const than = isFromStart ? 'the price at the start' : 'the price at the trigger';
  return percent.sign === 0 ? `none against ${than}` : `${size} ${percent.sign < 0 ? 'better' : 'worse'} than ${than}`;
}

/** `2 h 5 min`, `12 s`. */
function lastedText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
