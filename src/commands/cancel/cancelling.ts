import { grouped } from '../../domain/decimal.js';
import { progressBar } from '../../terminal/progress.js';
import type { CancelAttempt } from '../../trading/cancel/cancel-orders.js';
import { type CancelledMarket, type CancelTarget, cancelTargets } from '../../trading/cancel/cancel-targets.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { WriteContext } from '../writes/write.js';

/** Fewer end before a bar could be read. */
const WORTH_SHOWING = 10;
const REDRAW_MS = 200;

/** The cancellations of a command: their progress on a terminal, and what is known of each so far, which a signal prints. */
export class Cancelling {
  readonly #output: WriteContext['output'];
  readonly #attempts = new Map<string, CancelAttempt>();
  readonly #done: CancelledMarket[] = [];
  #answers = 0;
  /** The orders whose cancellation was answered. One that failed is sent again, and answered twice. */
  readonly #answered = new Set<string>();
  #requests: number;

  /** @param requests how many are known to be sent */
  constructor({ output }: Pick<WriteContext, 'output'>, requests = 0) {
    this.#output = output;
    this.#requests = requests;
  }

  /** Cancels what the targets name. The bar counts the answers in one market, or the markets. */
  async run(
    trading: TradingContext,
    targets: readonly CancelTarget[],
    signal: AbortSignal,
    isWhole = false,
  ): Promise<readonly CancelledMarket[]> {
    const [first, ...others] = targets;
    const isOne = first !== undefined && others.length === 0;
    let hide: (() => void) | undefined;
    const show = () => {
      if (isOne && this.#requests < WORTH_SHOWING) return;
      hide ??= this.#showBar(
        () => (isOne ? `Cancelling in ${first.market}` : `Cancelling in all markets${this.#answeredText}`),
        () => (isOne ? [this.#answers, this.#requests] : [this.#done.length, targets.length]),
      );
    };
    signal.addEventListener('abort', () => hide?.(), { once: true });
    show();
    try {
      return await cancelTargets(trading, targets, signal, {
        isWhole,
        onAnswer: (attempt, requests) => {
          // without a code, nothing was sent or no answer came
          if (attempt.result.code !== null) {
            this.#answers += 1;
            this.#answered.add(orderOf(attempt));
          }
          this.#requests = requests;
          this.#keep(attempt);
          if (!signal.aborted) show();
        },
        onMarket: (done) => {
          this.#done.push(done);
          for (const attempt of done.attempts) this.#keep(attempt);
        },
      });
    } finally {
      hide?.();
    }
  }

  /** The same in one market. Throws its Failure if nothing was sent. */
  async inMarket(
    trading: TradingContext,
    target: CancelTarget,
    signal: AbortSignal,
    isWhole = false,
  ): Promise<CancelledMarket> {
    const [done] = await this.run(trading, [target], signal, isWhole);
    if (done === undefined) throw new Error('a target is never left out');
    if (done.failure !== null && done.attempts.length === 0) throw done.failure;
    return done;
  }

  /** What is known of each order that the user asked to cancel. */
  get attempts(): readonly CancelAttempt[] {
    return [...this.#attempts.values()];
  }

  /** The markets that are over. */
  get done(): readonly CancelledMarket[] {
    return this.#done;
  }

  /** For how many orders the exchange has answered a cancellation. */
  get answeredOrders(): number {
    return this.#answered.size;
  }

  /** `5 of 10 answers had arrived.` */
  get progressText(): string {
    return `${this.#answers} of ${this.#requests} answers had arrived.`;
  }

  get #answeredText(): string {
    return this.#answers === 0 ? '' : `, ${grouped(String(this.#answers))} answered`;
  }

  #showBar(label: () => string, of: () => readonly [done: number, total: number]): () => void {
    const output = this.#output;
    const text = (room: number) => {
      const [done, total] = of();
      const before = `${label()}: `;
      return `${before}${progressBar(output.errorScreen, { done, total }, room - before.length)}`;
    };
    return output.live(text, undefined, REDRAW_MS);
  }

  #keep(attempt: CancelAttempt): void {
    this.#attempts.set(orderOf(attempt), attempt);
  }
}

function orderOf({ result: { market, id, clientId } }: CancelAttempt): string {
  return `${market} ${id ?? clientId}`;
}
