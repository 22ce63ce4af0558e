import { Failure } from '../../../errors.js';
import type { DuplicateOrders } from '../../settling/duplicates.js';
import type { TradingContext } from '../../trading-context.js';
import { parentOf } from '../record/child-name.js';
import type { AlgoStore } from '../record/store.js';

interface DuplicatesOptions {
  readonly store: Pick<AlgoStore, 'addLine'>;
  readonly warn: (message: string) => void;
  /** Whether somebody sees what is printed: what nobody sees does not count as reported. */
  readonly isSeen: boolean;
}

/** An algo order at work, as far as it takes its duplicates. */
interface TakesDuplicates {
  duplicated(reports: readonly DuplicateOrders[]): void;
}

/**
 * The same context for a process that watches. An algo order that is at work counts its duplicates; the record of one that has ended keeps
 * them for `pit algo show`.
 * @param atWork the algo order of an id; undefined if it has ended
 */
export function takingDuplicates(
  trading: TradingContext,
  atWork: (id: string) => TakesDuplicates | undefined,
  { store, warn, isSeen }: DuplicatesOptions,
): TradingContext {
  const take = (report: DuplicateOrders): void => {
    const parent = parentOf(report.writeId);
    if (parent === undefined) return;
    const algo = atWork(parent);
    if (algo !== undefined) {
      algo.duplicated([report]);
      return;
    }
    const { writeId: duplicateOf, shown, ids, isProven } = report;
    const said = `THE NETWORK MADE AN ORDER TWICE after this algo order had ended: ${ids.join(', ')}. See it: pit algo show ${parent}`;
    warn(`${parent}: ${said}`);
    store.addLine(parent, { said, time: trading.client.now() });
    for (const order of shown) store.addLine(parent, { duplicateOf, order, isProven });
  };
  return {
    ...trading,
    orderPushes: undefined,
    reportDuplicateOrders: (duplicates) => {
      for (const report of duplicates) take(report);
      if (isSeen) trading.reportDuplicateOrders(duplicates);
      else if (duplicates.some(({ writeId }) => parentOf(writeId) === undefined))
        throw new Failure('partial', 'Duplicates are left to a command whose output somebody sees.');
    },
  };
}
