import type { TradingAccount } from './account.js';
import { settleJob } from './batch/settle.js';
import { timelineOf } from './batch/timeline.js';
import { settleCancel } from './cancel/settle.js';
import type { Extra } from './duplicates/extra-orders.js';
import { findExtras } from './duplicates/watch.js';
import type { Entry } from './journal/entry.js';
import type { Intent, JournalEvent, Operation, Outcome, Settled } from './journal/intent.js';
import { settleOrder } from './order/settle.js';
import { quietly } from './quietly.js';

/** A write of the journal, with what is known of it now. */
export interface Resolution {
  readonly intent: Intent;
  readonly outcome: Outcome;
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly events: readonly JournalEvent[];
}

export interface Resolved {
  readonly resolutions: readonly Resolution[];
  readonly extras: readonly Extra[];
}

/**
 * Settles what can be settled of these writes, all at once within the budget, and looks for what was carried out again.
 *
 * @param end whether jobs of which not everything was sent are ended as they are
 */
export async function resolve(account: TradingAccount, entries: readonly Entry[], end = false): Promise<Resolved> {
  const copies: Extra[] = [];
  const settled = await Promise.all(entries.map((entry) => resolveOne(account, entry, { end, copies })));
  const extras = [...copies, ...(await extrasEverywhere(account))];
  const told = new Set(settled.map(({ intent }) => intent.id));
  const found = extras.flatMap(({ intent }) => (told.has(intent) ? [] : (account.journal.archive.find(intent) ?? [])));
  const resolutions = [...settled, ...found].map(({ intent, ...rest }) => {
    const ids = extras.flatMap((extra) => (extra.intent === intent.id ? extra.ids : []));
    return { ...rest, intent, duplicates: [...new Set([...rest.duplicates, ...ids])] };
  });
  return { resolutions, extras };
}

interface Settling {
  readonly end: boolean;
  /** Takes what the network made of jobs. */
  readonly copies: Extra[];
}

async function resolveOne(account: TradingAccount, entry: Entry, settling: Settling): Promise<Resolution> {
  const { intent } = entry;
  if (entry.isUnderWay) entry.note(`still under way in process ${entry.runner?.pid}`);
  const fate = entry.isUnderWay ? undefined : await SETTLERS[intent.operation](account, entry, settling);
  // a job that was gone on with after it had been settled is in the archive and open
  const isOpen = account.journal.find(intent.id) !== undefined;
  const settled: Settled | undefined = isOpen ? undefined : account.journal.archive.find(intent.id);
  const outcome = fate?.outcome ?? 'unknown';
  return settled ?? { intent, events: timelineOf(entry.events), outcome, id: null, duplicates: [] };
}

type Settler = (account: TradingAccount, entry: Entry, settling: Settling) => Promise<{ readonly outcome: Outcome }>;

const SETTLERS: Readonly<Record<Operation, Settler>> = {
  order: (account, entry) => settleOrder(account, entry as Entry<'order'>),
  cancelOrder: (account, entry) => settleCancel(account, entry as Entry<'cancelOrder'>),
  orderMoreV2: async (account, entry, { end, copies }) => {
    const fate = await settleJob(account, entry as Entry<'orderMoreV2'>, end);
    copies.push(...fate.extras);
    return fate;
  },
};

async function extrasEverywhere(account: TradingAccount): Promise<Extra[]> {
  const extras: Extra[] = [];
  for (const market of account.journal.markets()) {
    for (const side of ['buy', 'sell'] as const) {
      extras.push(...((await quietly(() => findExtras(account, { market, side }))) ?? []));
    }
  }
  return extras;
}
