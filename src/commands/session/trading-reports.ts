import type { Output } from '../../terminal/output.js';
import type { OutcomeWait, TradingContext } from '../../trading/trading-context.js';
import { warnOfDuplicates, warnOfDuplicateWithdrawals } from './duplicate-warnings.js';

type Reports = Pick<
  TradingContext,
  'showWait' | 'reportProgress' | 'warn' | 'reportDuplicateOrders' | 'reportDuplicateWithdrawals'
>;

/** How trading code reports to the user. Progress is for a person at a terminal alone. */
export function reportsTo(output: Pick<Output, 'note' | 'warn' | 'live'>, isTerminal: boolean): Reports {
  const countdown = new OutcomeCountdown(output, isTerminal);
  return {
    showWait: (wait) => countdown.show(wait),
    reportProgress: (message) => {
      if (isTerminal) output.note(message);
    },
    warn: (message) => output.warn(message),
    reportDuplicateOrders: (duplicates) => warnOfDuplicates(output, duplicates),
    reportDuplicateWithdrawals: (duplicates) => warnOfDuplicateWithdrawals(output, duplicates),
  };
}

/** The wait for the outcomes of writes: counted down on a terminal, and one line elsewhere. @internal for its test */
export class OutcomeCountdown {
  readonly #output: Pick<Output, 'note' | 'live'>;
  readonly #isTerminal: boolean;

  readonly #waits = new Set<OutcomeWait>();
  #hide: (() => void) | undefined;
  #isNoted = false;

  constructor(output: Pick<Output, 'note' | 'live'>, isTerminal: boolean) {
    this.#output = output;
    this.#isTerminal = isTerminal;
  }

  /** Several waits share one line. */
  show(wait: OutcomeWait): () => void {
    this.#waits.add(wait);
    if (!this.#isTerminal && !this.#isNoted) this.#output.note(waitText([wait]));
    this.#isNoted = true;
    if (this.#isTerminal) this.#hide ??= this.#output.live(() => waitText([...this.#waits]));
    return () => {
      this.#waits.delete(wait);
      if (this.#waits.size > 0) return;
      this.#hide?.();
      this.#hide = undefined;
    };
  }
}

/** The countdown, how to stop it, and what sets it. @internal for its test */
export function waitText(waits: readonly OutcomeWait[]): string {
  const left = Math.max(0, ...waits.map(({ leftMs }) => leftMs()));
  return `Outcome unknown; asking again for up to ${seconds(left)} (Ctrl-C stops, --timeout sets it).`;
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1_000))} s`;
}
