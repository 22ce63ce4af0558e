import path from 'node:path';
import { expect, it } from 'vitest';
import { ExchangeClock } from '../../src/exchange/exchange-clock.js';
import { REHEARSAL_CLOCK, RehearsalClock, sleepOfMarket, writeClock } from '../../src/platform/rehearsal-clock.js';
import { temporaryHome } from '../support/pit.js';

const EXCHANGE = 'http://127.0.0.1:4000';
const SHOWN = Date.parse('2023-03-01T00:00:00Z');
const REAL = Date.parse('2026-05-01T00:00:00Z');
const anchor = { exchange: EXCHANGE, shown: SHOWN, real: REAL, speed: 60 };

/** This machine in a rehearsed program, and how long it has slept. */
class Machine {
  readonly file = path.join(temporaryHome(), 'clock');
  readonly environment: Record<string, string> = { [REHEARSAL_CLOCK]: this.file, PIT_TRADE_URL: EXCHANGE };
  time = REAL;
  readonly slept: number[] = [];
  readonly now = () => this.time;
  readonly monotonic = () => this.time - REAL;
  readonly sleep = async (ms: number) => void this.slept.push(ms);
}

it('stands where the tape begins until the first request, and then runs as much faster', () => {
  const machine = new Machine();
  writeClock(machine.file, { ...anchor, real: null });
  const clock = RehearsalClock.of(machine);
  machine.time += 5_000;
  expect(clock?.now()).toBe(SHOWN);
  writeClock(machine.file, anchor);
  expect(clock?.now()).toBe(SHOWN + 5_000 * 60);
  machine.time += 1_000;
  expect(clock?.now()).toBe(SHOWN + 6_000 * 60);
});

it('is the time of the exchange, whatever the responses show', () => {
  const machine = new Machine();
  writeClock(machine.file, anchor);
  const clock = new ExchangeClock(machine, undefined, RehearsalClock.of(machine));
  clock.addSample({ date: SHOWN - 900_000, sent: REAL, received: REAL });
  machine.time += 500;
  expect([clock.isKnown, clock.now()]).toEqual([true, SHOWN + 30_000]);
});

it('makes waits for the market shorter', async () => {
  const machine = new Machine();
  writeClock(machine.file, anchor);
  await sleepOfMarket(machine)(60_000);
  expect(machine.slept).toEqual([1_000]);
});

it('is not that of another exchange, and outside of a rehearsal there is none', async () => {
  const machine = new Machine();
  writeClock(machine.file, anchor);
  machine.environment.PIT_TRADE_URL = 'https://trade.example.com';
  expect(RehearsalClock.of(machine)).toBeUndefined();
  delete machine.environment[REHEARSAL_CLOCK];
  await sleepOfMarket(machine)(60_000);
  expect(machine.slept).toEqual([60_000]);
});

it('has to be in the file that the variable names', () => {
  const machine = new Machine();
  expect(() => RehearsalClock.of(machine)).toThrow(`PIT_CLOCK names no clock of a rehearsal: ${machine.file}.`);
});
