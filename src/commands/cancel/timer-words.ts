import type { Answer } from '../../terminal/answer.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime, zonedTime } from '../../terminal/time.js';
import { MINUTE_MS, type Timer } from '../../trading/timed-cancel/timer.js';

/** When the exchange cancels: by its own clock for programs, by this machine's for people. */
export function timerAnswer(market: string, timer: Timer): Answer {
  return {
    data: { market, cancelsAt: isoTime(timer.cancelsAt) },
    show: ({ width, paint }) => wrapped(stateWords(market, timer), width).split('\n').map(paint.strong).join('\n'),
  };
}

/** What a timer that is left alone comes to; a later start of it may have arrived where one got no answer. */
export function stateWords(market: string, { sent }: Timer, isUncertain = false): string {
  const when = `at ${timeOfDay(sent + MINUTE_MS)}${isUncertain ? ' at the earliest' : ''}`;
  return `The exchange cancels every order of ${market} ${when}, unless the timer is started again; there is no operation that takes it back.`;
}

/** `08:27:39 (UTC+01:00)`: a minute ahead needs no date. */
export function timeOfDay(ms: number): string {
  return zonedTime(ms).replace(/^\S+ /, '');
}
