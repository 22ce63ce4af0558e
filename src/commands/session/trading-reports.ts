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

/** `Outcome unknown. Checking again; certain in at most 41 s.` @internal for its test */
export function waitText(waits: readonly OutcomeWait[]): string {
  const left = Math.max(0, ...waits.map(({ leftMs }) => leftMs()));
  const expiries = waits.map(({ expiresInMs }) => expiresInMs() ?? Number.POSITIVE_INFINITY);
  const latest = Math.max(0, ...expiries);
  const when = latest < left ? `certain in at most ${seconds(latest)}` : `waiting for at most ${seconds(left)} more`;
  return `Outcome unknown. Checking again; ${when}.`;
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1_000))} s`;
}
