import { suggest } from '../../errors.js';
import { BackInTime } from '../exchange/clock.js';
import type { Exchange } from '../exchange/exchange.js';
import { type AdminCall, type AdminInput, AdminRefusal, jsonCall } from './http.js';

/** The exchange's clock as `pit sandbox clock` shows it. */
export interface ClockReport {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly running: boolean;
  /** A multiple of the machine's speed. */
  readonly speed: number;
}

const FASTEST = 100_000;

/** The end of the year 9999, in ms. Later times have other ISO dates. */
const LAST = 253_402_300_799_999;

/** The longest advance, in ms. Of more than a day, only the last day is simulated. */
const LONGEST = 3_650 * 86_400_000;

export function clockReport({ clock }: Exchange): ClockReport {
  const { shown, stopped, speed } = clock.state;
  return { time: new Date(shown).toISOString(), running: !stopped, speed };
}

/** `POST /clock/…`: stop, start, set to a `time` in ms, run at a `speed`, advance by `ms`. Each answers with the clock. */
export function clockCalls(exchange: () => Exchange): [string, AdminCall][] {
  const driving = (name: string, drive: (exchange: Exchange, input: AdminInput) => void): [string, AdminCall] => [
    `POST /clock/${name}`,
    jsonCall(async (input) => {
      const current = exchange();
      drive(current, input);
      current.advance();
      await current.durable();
      return clockReport(current);
    }),
  ];
  return [
    ['GET /clock', jsonCall(() => clockReport(exchange()))],
    driving('stop', ({ clock }) => clock.stop()),
    driving('start', ({ clock }) => clock.start()),
    driving('speed', ({ clock }, input) => clock.run(input.number('speed', 0.001, FASTEST))),
    driving('set', (current, input) => set(current, input.whole('time', 0, LAST))),
    driving('advance', (current, input) => {
      const { clock } = current;
      set(current, Math.min(LAST, clock.now() + input.whole('ms', 0, LONGEST)));
    }),
  ];
}

function set({ clock }: Exchange, time: number): void {
  try {
    clock.set(time);
  } catch (error) {
    if (!(error instanceof BackInTime)) throw error;
    const [wanted, now] = [time, clock.now()].map((ms) => new Date(ms).toISOString());
    throw new AdminRefusal(`The exchange's clock shows ${now} and cannot go back to ${wanted}.`, [
      'Choose a later time, or start again.',
      suggest('Start an empty exchange', 'sandbox', 'reset'),
      suggest('Start at the beginning of a file', 'sandbox', 'replay', 'FILE'),
    ]);
  }
}
