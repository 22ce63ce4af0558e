import { Failure, tryRead } from '../../../errors.js';
import type { ChildOrder } from '../children/child-order.js';
import { ChildrenInJournal } from '../children/children-in-journal.js';
import { readChild } from '../children/settle-child.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { FactRecord } from '../record/fact-record.js';
import { type AlgoSnapshot, snapshotOf } from '../record/snapshot.js';
import type { AlgoServiceOptions } from './algo-account.js';

/** An algo order, as it is shown. */
export interface AlgoView extends AlgoSnapshot {
  /** Whether a process watches it: one that is living and not stopped. */
  readonly isWatched: boolean;
  /** Whether the network made an order of it twice and the user has not seen it. */
  readonly hasUnseenDuplicates: boolean;
  /** What could not be read: filled amounts are at least those that are shown. */
  readonly problems: readonly string[];
}

/** The open duplicates that pit does not cancel: those that may be the user's own, and those of an algo order that has ended. */
export function openDuplicates({ orders, facts }: AlgoView): readonly string[] {
  return orders.flatMap(({ order, duplicate }) => {
    const isLeft = duplicate === 'unproven' || (duplicate === 'proven' && facts.ended !== null);
    return isLeft && order?.state === 'open' ? order.id : [];
  });
}

/** Reads algo orders as they are shown. */
export class AlgoViews {
  readonly #options: AlgoServiceOptions;

  constructor(options: AlgoServiceOptions) {
    this.#options = options;
  }

  /**
   * Warns of those that cannot be shown.
   * @param from `records` reads no order of the exchange, and warns of nothing
   */
  async of(ids: readonly string[], from: 'exchange' | 'records' = 'exchange'): Promise<AlgoView[]> {
    const { store, warn } = this.#options;
    const records = ids.flatMap((id) => store.read(id) ?? []);
    // of the same moment as the records: one that was written while orders were read would be a state without the children that led to it
    const notes = new Map(records.map(({ id, facts }) => [id, facts && store.currentNoteOf(id, facts)]));
    const { isWatched } = store;
    const unseen = store.unseenDuplicates.ids;
    const views: AlgoView[] = [];
    let journal: ChildrenInJournal | undefined;
    for (const record of records) {
      const { facts } = record;
      if (facts === undefined) {
        if (from === 'records') continue;
        warn(`The algo order ${record.id} is not shown, and nothing is done for it: ${record.problem}.`);
        continue;
      }
      journal ??= this.children(records);
      const orders = journal.of(record);
      // of one that has ended, a duplicate may be open
      const problems = from === 'records' ? [] : await this.#readOrders(facts.began.terms, orders);
      const isOpen = facts.ended === null;
      views.push({
        ...snapshotOf(facts, orders, record.said, notes.get(record.id)),
        isWatched: isOpen && isWatched,
        hasUnseenDuplicates: unseen.includes(record.id),
        problems: [...tornText(record), ...problems],
      });
    }
    return this.#withLiftedHalt(views);
  }

  /** What the journal has of the children of these. */
  children(records: readonly FactRecord[]): ChildrenInJournal {
    const { host, journal } = this.#options;
    const began = records.flatMap(({ facts }) => facts?.began.time ?? []);
    return new ChildrenInJournal(journal, Math.min(host.now(), ...began));
  }

  /** Reads the orders that may have changed. Returns what could not be read. */
  async #readOrders(terms: AlgoTerms, orders: readonly ChildOrder[]): Promise<string[]> {
    const open = orders.filter(({ unfinishedIds }) => unfinishedIds.length > 0);
    if (open.length === 0) return [];
    try {
      const trading = await this.#options.account.trading();
      for (const child of open) await readChild(trading, terms.market.market, child);
      return [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [`its orders could not be read: ${error.message}`];
    }
  }

  /** What a halt has paused stays so when the halt is lifted, and is not halted any more: only the user resumes it. */
  async #withLiftedHalt(views: readonly AlgoView[]): Promise<AlgoView[]> {
    const { account } = this.#options;
    const isHalted = views.some(({ state }) => state === 'halted');
    const halt = isHalted
      ? await tryRead(async () => ({ now: await (await account.signedExchange()).halt() }))
      : undefined;
    // if it cannot be asked, the account may be halted
    if (halt === undefined || halt.now !== undefined) return [...views];
    return views.map((view) => (view.state === 'halted' ? { ...view, state: 'paused', reason: HALT_LIFTED } : view));
  }
}

const HALT_LIFTED = 'The halt that paused it is lifted; it stays paused until it is resumed';

function tornText({ torn }: FactRecord): string[] {
  if (torn === 0) return [];
  return [
    torn === 1
      ? 'a line of its record was cut off and is ignored'
      : `${torn} lines of its record were cut off and are ignored`,
  ];
}
