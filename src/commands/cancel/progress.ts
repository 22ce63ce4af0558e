import type { Context } from '../../cli/context.js';
import { type Advice, suggest } from '../../errors.js';

interface Progress {
  /** Called for each answer; `orders` where more have been found since. */
  readonly answered: (answers?: number, orders?: number) => void;
  readonly end: () => void;
}

/** Fewer are over before anybody has read of them. */
const WORTH_SHOWING = 10;

/** Shows how far the cancellations are, and tells of it where a signal ends them. */
export function showProgress({ host, output }: Context, market: string, count: number, isAll = false): Progress {
  let [done, total] = [0, count];
  const words = () => `Cancelling in ${market}: ${done} of ${total}`;
  const hide = total < WORTH_SHOWING ? () => {} : output.live(words);
  const forget = host.onInterrupt(() => {
    hide();
    output.warn(interruptedNote(market, done, total, isAll));
  });
  return {
    answered: (answers = done + 1, orders = total) => {
      [done, total] = [answers, orders];
    },
    end: () => {
      hide();
      forget();
    },
  };
}

function interruptedNote(market: string, done: number, total: number, isAll: boolean): Advice {
  return [
    `${done} of ${total} answers had come.`,
    suggest('Find out what became of those that were sent', 'resolve'),
    ...(isAll ? [suggest('Cancel what is left', 'cancel', market, '--all')] : []),
  ];
}
