import type { Decimal } from '../../domain/decimal.js';
import type { WallClock } from '../../domain/zone.js';
import { toCsv } from '../../terminal/csv.js';
import { isoTime } from '../../terminal/time.js';
import type { BalanceChange } from '../../trading/ledger/balance-change.js';
import type { LedgerEntry } from '../../trading/ledger/entries.js';
import type { LedgerPlace } from './journals.js';
import { dayOf, describe } from './postings.js';

/** An event as the importers of tax programs take it. Amounts have no sign; what is absent is empty. */
export interface EventRow {
  readonly time: string;
  /** The day in the zone of the ledger. */
  readonly date: string;
  readonly type: string;
  readonly sentAmount: string;
  readonly sentCoin: string;
  readonly receivedAmount: string;
  readonly receivedCoin: string;
  readonly feeAmount: string;
  readonly feeCoin: string;
  /** In the coin of `--in`, as are all values: of what was sent or received. */
  readonly value: string;
  readonly feeValue: string;
  readonly valuedIn: string;
  readonly market: string;
  readonly description: string;
  readonly bills: readonly string[];
  readonly order: string;
  readonly record: string;
  readonly hash: string;
  readonly address: string;
  readonly uncertain: string;
}

const FIELDS: readonly (keyof EventRow)[] = [
  ...([
    'time',
    'date',
    'type',
    'sentAmount',
    'sentCoin',
    'receivedAmount',
    'receivedCoin',
    'feeAmount',
    'feeCoin',
  ] as const),
  ...(['value', 'feeValue', 'valuedIn'] as const),
  ...(['market', 'description', 'bills', 'order', 'record', 'hash', 'address', 'uncertain'] as const),
];
const HEADER = FIELDS.join(',');

/** Whether a file has such rows, by its first bytes as text. */
export function isEventFile(head: string): boolean {
  return head.startsWith(`${HEADER}\n`);
}

/** A ledger as comma-separated values: a header and a row for each event, in pieces. */
export function* eventCsv(entries: readonly LedgerEntry[], { clock }: Pick<LedgerPlace, 'clock'>): Generator<string> {
  yield `${HEADER}\n`;
  for (const entry of entries) yield toCsv(eventRows(entry, clock), FIELDS, false);
}

/**
 * The rows of an entry: one, and one more for each coin that does not fit in it. What the account sent, received and paid in all rows
 * is how its balances changed.
 *
 * @internal for its test
 */
export function eventRows(entry: LedgerEntry, clock: WallClock): readonly EventRow[] {
  const { trade, worth } = entry;
  const fees = entry.fees.map((fee, index): Part => ({ ...fee, worth: worth?.fees[index] ?? null }));
  const legs =
    trade === null
      ? entry.changes.map((change, index): Part => ({ ...change, worth: worth?.changes[index] ?? null }))
      : [trade.base, trade.quote].flatMap((leg): Part[] =>
          leg.hasBill ? [{ ...leg, worth: worth?.trade ?? null }] : [],
        );
  const sent = legs.filter(({ amount }) => amount.sign < 0);
  // a bill of nothing brings in 0
  const received = legs.filter(({ amount }) => amount.sign > 0 || (legs.length === 1 && amount.sign === 0));
  const paid = fees.filter(({ amount }) => amount.sign > 0);
  const rebates = fees.filter(({ amount }) => amount.sign < 0);
  const isTrade = sent.length === 1 && received.length === 1;
  const moved = isTrade
    ? [rowOf(entry, entry.kind, sent[0], received[0], paid[0])]
    : [
        ...sent.map((change, index) => rowOf(entry, entry.kind, change, undefined, index === 0 ? paid[0] : undefined)),
        ...received.map((change, index) =>
          rowOf(entry, entry.kind, undefined, change, sent.length + index === 0 ? paid[0] : undefined),
        ),
      ];
  const rows = [
    ...moved,
    ...paid.slice(moved.length === 0 ? 0 : 1).map((fee) => rowOf(entry, 'fee', undefined, undefined, fee)),
    ...rebates.map((rebate) =>
      rowOf(entry, 'rebate', undefined, { ...rebate, amount: rebate.amount.negated() }, undefined),
    ),
  ];
  const date = dayOf(entry, clock);
  return rows.map((row) => ({ ...row, date }));
}

/** A change with what it was worth in the coin of `--in`; null if that is unknown, or was not asked for. */
interface Part extends BalanceChange {
  readonly worth: Decimal | null;
}

function rowOf(
  entry: LedgerEntry,
  type: string,
  sent: Part | undefined,
  received: Part | undefined,
  fee: Part | undefined,
): Omit<EventRow, 'date'> {
  const record = entry.deposit ?? entry.withdrawal;
  return {
    ...{ time: isoTime(entry.time), type, sentAmount: amountOf(sent), sentCoin: coinOf(sent) },
    ...{ receivedAmount: amountOf(received), receivedCoin: coinOf(received) },
    ...{ feeAmount: amountOf(fee), feeCoin: coinOf(fee), value: textOf((sent ?? received)?.worth) },
    ...{ feeValue: textOf(fee?.worth), valuedIn: entry.worth?.unit ?? '', market: entry.trade?.market ?? '' },
    ...{ description: describe(entry), bills: entry.bills, order: entry.order ?? '' },
    ...{
      record: record?.id ?? '',
      hash: record?.hash ?? '',
      address: record?.address ?? '',
      uncertain: entry.isUncertain ? 'yes' : '',
    },
  };
}

function amountOf(change: BalanceChange | undefined): string {
  return textOf(change?.amount);
}

/** Without a sign. */
function textOf(amount: Decimal | null | undefined): string {
  if (amount == null) return '';
  return (amount.sign < 0 ? amount.negated() : amount).trimmed().toString();
}

function coinOf(change: BalanceChange | undefined): string {
  return change?.coin ?? '';
}
