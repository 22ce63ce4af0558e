import { suggest } from '../../errors.js';
import { BackInTime } from '../exchange/clock.js';
import type { Exchange } from '../exchange/exchange-service.js';
import { type AdminCall, type AdminInput, AdminRefusal, plainly } from './http.js';

/** The exchange's clock as `pit sandbox clock` shows it. */
export interface ClockReport {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly running: boolean;
  /** How many times as fast as the machine's clock. */
  readonly speed: number;
}

const FASTEST = 100_000;

/** The last moment of the year 9999, in ms: what comes after has other ISO dates. */
const LAST = 253_402_300_799_999;

/** How much is lived through in one go; the crowd leaves out what is longer than a day. */
const LONGEST = 3_650 * 86_400_000;

export function clockReport({ admin }: Exchange): ClockReport {
  const { shown, stopped, speed } = admin.clock.state;
  return { time: new Date(shown).toISOString(), running: !stopped, speed };
}

/** `POST /clock/…`: stop, start, set to a `time` in ms, run at a `speed`, advance by `ms`. Each answers the clock. */
export function clockCalls(exchange: () => Exchange): [string, AdminCall][] {
  const driving = (name: string, drive: (exchange: Exchange, input: AdminInput) => void): [string, AdminCall] => [
    `POST /clock/${name}`,
    plainly(async (input) => {
      const current = exchange();
      drive(current, input);
      current.advance();
      await current.durable();
      return clockReport(current);
    }),
  ];
  return [
    ['GET /clock', plainly(() => clockReport(exchange()))],
    driving('stop', ({ admin: { clock } }) => clock.stop()),
    driving('start', ({ admin: { clock } }) => clock.start()),
    driving('speed', ({ admin: { clock } }, input) => clock.run(input.number('speed', 0.001, FASTEST))),
    driving('set', (current, input) => set(current, input.whole('time', 0, LAST))),
    driving('advance', (current, input) => {
      const { clock } = current.admin;
      set(current, Math.min(LAST, clock.now() + input.whole('ms', 0, LONGEST)));
    }),
  ];
}

function set({ admin: { clock } }: Exchange, time: number): void {
  try {
    clock.set(time);
  } catch (error) {
    if (!(error instanceof BackInTime)) throw error;
    const [wanted, now] = [time, clock.now()].map((ms) => new Date(ms).toISOString());
    throw new AdminRefusal(
      `The exchange's clock shows ${now} and cannot go back to ${wanted}: what happened since has happened.`,
      [
        'Choose a later time, or start again.',
        suggest('Start an empty exchange', 'sandbox', 'reset'),
        suggest('Start at the beginning of a file', 'sandbox', 'replay', 'FILE'),
      ],
    );
  }
}
