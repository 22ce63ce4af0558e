import { counted, formatAmount, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { type OrderReference, referenceText } from '../../domain/order.js';
import { type Advice, suggest } from '../../errors.js';
import { Job } from '../batches/job.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal, Unsettled } from '../journal/journal.js';
import { clientIdOf, isKind, marketOf, replacedOrder, type WriteKind } from '../journal/write.js';

/** A write of the journal that was or may have been sent, and whose outcome is unknown. */
export interface UnknownWrite {
  /** The id of its record. */
  readonly id: string;
  /** The client id that its order carries; for any other write, the id of its record. */
  readonly clientId: string;
  /** Null if the record cannot be read. */
  readonly operation: WriteKind | null;
  /** Null if it concerns no market, or its record does not say which. */
  readonly market: string | null;
  /** The coins whose balance it may change; null if its record does not say which. */
  readonly coins: readonly string[] | null;
  /** The order that it replaces, and may have cancelled. */
  readonly replaces: OrderReference | null;
  /** What it may have done, and the command that settles it. */
  readonly advice: Advice;
}

/**
 * The writes with an unknown outcome, oldest first. It leaves out writes whose processes still wait for an answer.
 */
export function unknownWrites(journal: Journal, { entries, damaged, unreadable }: Unsettled): UnknownWrite[] {
  const undescribed = { operation: null, market: null, coins: null, replaces: null };
  return [
    ...entries.flatMap((entry) => unknownWrite(entry) ?? []).filter(({ id }) => journal.isUnsettled(id)),
    ...damaged.map((id): UnknownWrite => {
      const text = `The record ${id} is damaged, so it is unknown whether its write was sent.`;
      return { ...undescribed, id, clientId: id, advice: [text, suggest('Settle it', 'resolve', id)] };
    }),
    ...unreadable.map(({ id, failure }): UnknownWrite => {
      const advice = [failure.message, ...failure.hints, suggest('Settle it', 'resolve', id)];
      return { ...undescribed, id, clientId: id, advice };
    }),
  ];
}

/** All of these writes in one sentence, and the command that settles them; undefined if there are none. */
export function unknownWritesAdvice(writes: readonly UnknownWrite[]): Advice | undefined {
  const [first] = writes;
  if (writes.length <= 1) return first?.advice;
  const counts = new Map<string, number>();
  for (const { operation } of writes) {
    const noun = operation === null ? 'damaged record' : NOUNS[operation];
    counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  const kinds = [...counts].map(([noun, count]) => counted(count, noun)).join(', ');
  return [`${writes.length} earlier writes have an unknown outcome: ${kinds}.`, suggest('Find out', 'resolve')];
}

const NOUNS: Readonly<Record<WriteKind, string>> = {
  order: 'order',
  batch: 'batch',
  replace: 'replacement',
  withdraw: 'withdrawal',
  call: 'call',
};

function unknownWrite(entry: JournalEntry): UnknownWrite | undefined {
  const { id, operation } = entry.write;
  const clientId = clientIdOf(entry.write);
  const advice = adviceOf(entry);
  if (advice === undefined) return undefined;
  const market = marketOf(entry.write) ?? null;
  const replaces = replacedOrder(entry.write) ?? null;
  return { id, clientId, operation, market, coins: coinsOf(entry, market), replaces, advice };
}

function adviceOf(entry: JournalEntry): Advice | undefined {
  if (entry.isKind('batch')) {
    if (new Job(entry).uncertainKeys().size === 0) return undefined;
    const text = `Some orders of ${entry.write.id} (${entry.write.terms.side}) may have been placed.`;
    // without its id, which would close the job as it is
    return [text, suggest('Find out', 'resolve')];
  }
  return entry.isOutcomeUnknown
    ? [whatMayBeDone(entry), suggest('Find out', 'resolve', clientIdOf(entry.write))]
    : undefined;
}

function whatMayBeDone({ write }: JournalEntry): string {
  if (isKind(write, 'order')) {
    const { side, amount, market, price } = write.terms;
    return `An earlier order may have been placed: ${side} ${formatAmount(amount)} ${market} at ${grouped(price)}.`;
  }
  if (isKind(write, 'withdraw')) {
    const { amount, coin, address } = write.terms;
    return `An earlier withdrawal may have been sent: ${formatAmount(amount)} ${coin} to ${address}.`;
  }
  if (isKind(write, 'replace')) {
    const { order, market } = write.terms;
    const what = `order ${referenceText(order)} in ${market} may have been cancelled`;
    return `An earlier command is unsettled: ${what}, and not replaced.`;
  }
  return isKind(write, 'call') ? `An earlier call of ${write.terms.method} may have been executed.` : '';
}

/** The coins that a write may change; null for a call, because the interface does not describe what it changes. */
function coinsOf({ write }: JournalEntry, market: string | null): readonly string[] | null {
  if (isKind(write, 'withdraw')) return [write.terms.coin];
  const names = market === null ? undefined : splitMarket(market);
  return names === undefined ? null : [names.base, names.quote];
}

/** Whether a write may concern this market. A record that does not say its market may concern any. */
export function concernsMarket({ market, coins }: UnknownWrite, name: string): boolean {
  return market === null ? coins === null : market === name;
}

/** Whether a write may concern this market or, if none is named, any market. */
export function concernsMarketOrAny(write: UnknownWrite, name: string | undefined): boolean {
  return name === undefined ? write.operation !== 'withdraw' : concernsMarket(write, name);
}

/** Whether a write may change the balance of this coin. */
export function concernsCoin({ coins }: UnknownWrite, coin: string): boolean {
  return coins === null || coins.includes(coin);
}

/** Whether a write may have placed an order. */
export function mayPlace({ operation }: UnknownWrite): boolean {
  return operation !== 'withdraw';
}
