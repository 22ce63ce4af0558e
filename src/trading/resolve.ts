import type { TradingAccount } from './account.js';
import { settleCancel } from './cancel/settle.js';
import type { Extra } from './duplicates/extra-orders.js';
import { findExtras } from './duplicates/watch.js';
import type { Entry } from './journal/entry.js';
import {
  type Intent,
  isOf,
  type JournalEvent,
  type Operation,
  type OrderTerms,
  type Outcome,
} from './journal/intent.js';
import { settleOrder } from './order/settle.js';
import { quietly } from './quietly.js';
import { settleReplace } from './replace/settle.js';

/** A write of the journal, with what is known of it now. */
export interface Resolution {
  readonly intent: Intent;
  readonly outcome: Outcome;
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly events: readonly JournalEvent[];
  /** The order that was to take the place of a cancelled one, and that nobody sent. */
  readonly unplaced?: OrderTerms;
}

export interface Resolved {
  readonly resolutions: readonly Resolution[];
  readonly extras: readonly Extra[];
}

/** Settles what can be settled of these writes, all at once within the budget, and looks for what was carried out again. */
export async function resolve(account: TradingAccount, entries: readonly Entry[]): Promise<Resolved> {
  const settled = await Promise.all(entries.map((entry) => resolveOne(account, entry)));
  const extras = await extrasEverywhere(account);
  const told = new Set(settled.map(({ intent }) => intent.id));
  const found = extras.flatMap(({ intent }) => (told.has(intent) ? [] : (account.journal.archive.find(intent) ?? [])));
  const resolutions = [...settled, ...found].map(({ intent, ...rest }) => {
    const ids = extras.find((extra) => extra.intent === intent.id)?.ids ?? [];
    return { ...rest, intent, duplicates: [...new Set([...rest.duplicates, ...ids])] };
  });
  return { resolutions, extras };
}

async function resolveOne(account: TradingAccount, entry: Entry): Promise<Resolution> {
  if (entry.isUnderWay) entry.note(`still under way in process ${entry.intent.process.pid}`);
  else await SETTLERS[entry.intent.operation](account, entry);
  const { intent, events } = entry;
  return account.journal.archive.find(intent.id) ?? { intent, events, outcome: 'unknown', id: null, duplicates: [] };
}

type Settler = (account: TradingAccount, entry: Entry) => Promise<unknown>;

const SETTLERS: Readonly<Record<Operation, Settler>> = {
  order: (account, entry) => settleOrder(account, entry as Entry<'order'>),
  cancelOrder: (account, entry) => settleCancel(account, entry as Entry<'cancelOrder'>),
  replace: (account, entry) => settleReplace(account, entry as Entry<'replace'>),
};

/** What a replacement was to place and did not, though the order before it is cancelled. */
export function unplacedOf({ intent, outcome, unplaced }: Resolution): OrderTerms | undefined {
  const isGone = outcome === 'refused' || outcome === 'notSent';
  return unplaced ?? (isOf(intent, 'order') && intent.replaces !== undefined && isGone ? intent.terms : undefined);
}

async function extrasEverywhere(account: TradingAccount): Promise<Extra[]> {
  const extras: Extra[] = [];
  for (const market of account.journal.markets()) {
    for (const side of ['buy', 'sell'] as const) {
      extras.push(...((await quietly(() => findExtras(account, { market, side }))) ?? []));
    }
  }
  return extras;
}
