import { Failure } from '../../../errors.js';
import type { Archive } from '../../journal/archive.js';
import { ignoringDiskErrors } from '../../journal/files.js';
import type { AlgoStore } from '../record/store.js';
import type { ChildOrder } from './child-order.js';

/** Keeps in the record of an algo order what became of its children. */
export class ChildKeeper {
  readonly #algo: string;
  readonly #store: Pick<AlgoStore, 'addLine'>;
  readonly #archive: Pick<Archive, 'countFilled'>;
  /** What is on the disk already. */
  readonly #kept = new Set<string>();

  constructor(algo: string, store: Pick<AlgoStore, 'addLine'>, archive: Pick<Archive, 'countFilled'>) {
    [this.#algo, this.#store, this.#archive] = [algo, store, archive];
  }

  /** Keeps how a child has ended. */
  keepEnd(child: ChildOrder): void {
    const { end, clientId, order } = child;
    if (end === null || this.#kept.has(`closed ${clientId}`)) return;
    this.#kept.add(`closed ${clientId}`);
    this.#keep({ closed: clientId, end, order });
    const { filled = '0' } = order ?? {};
    // what it left counts for the limit of the day when it is placed again; until then it counts in full
    if (filled !== child.amount) ignoringDiskErrors(() => this.#archive.countFilled(clientId, filled));
  }

  /** The journal forgets them, and the list of what has ended counts them too. */
  keepDuplicates({ clientId, duplicates }: ChildOrder): void {
    for (const [id, { order, isProven }] of duplicates) {
      if (order === null) continue;
      const shown = `duplicate ${id} ${order.state} ${order.filled} ${isProven}`;
      if (this.#kept.has(shown)) continue;
      this.#kept.add(shown);
      this.#keep({ duplicateOf: clientId, order, isProven });
    }
  }

  /** If the disk does not take it, the exchange shows it. */
  #keep(line: Parameters<AlgoStore['addLine']>[1]): void {
    try {
      this.#store.addLine(this.#algo, line);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
}
