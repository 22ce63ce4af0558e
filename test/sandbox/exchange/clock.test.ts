import { describe, expect, it } from 'vitest';
import { BackInTime, Clock, type ClockState, clockCodec } from '../../../src/sandbox/exchange/clock.js';

function clockAt(time: number) {
  const real = { time };
  const changes: ClockState[] = [];
  const clock = new Clock(
    () => real.time,
    undefined,
    (state) => changes.push(state),
  );
  return { real, clock, changes };
}

describe('the clock of the exchange', () => {
  it("follows the machine's clock until it is driven, without storing anything", () => {
    const { real, clock, changes } = clockAt(1000);
    expect(clock.now()).toBe(1000);
    real.time = 1500;
    expect(clock.now()).toBe(1500);
    expect(changes).toEqual([]);
  });

  it('stays while it is stopped and continues from there', () => {
    const { real, clock } = clockAt(1000);
    clock.stop();
    real.time = 9000;
    expect(clock.now()).toBe(1000);
    clock.start();
    real.time = 9250;
    expect(clock.now()).toBe(1250);
  });

  it('keeps its time when its speed changes', () => {
    const { real, clock } = clockAt(1000);
    clock.run(60);
    expect(clock.now()).toBe(1000);
    real.time = 1100;
    expect(clock.now()).toBe(7000);
    clock.run(0.5);
    real.time = 1200;
    expect(clock.now()).toBe(7050);
  });

  it('can be set to a later time, running or stopped, and never back', () => {
    const { real, clock } = clockAt(1000);
    clock.set(5000);
    real.time = 1010;
    expect(clock.now()).toBe(5010);
    clock.stop();
    clock.set(6000);
    real.time = 2000;
    expect(clock.now()).toBe(6000);
    expect(() => clock.set(5999)).toThrow(BackInTime);
    expect(clock.now()).toBe(6000);
  });

  it("does not go back when the machine's clock does", () => {
    const { real, clock } = clockAt(1000);
    real.time = 1400;
    expect(clock.now()).toBe(1400);
    real.time = 900;
    expect(clock.now()).toBe(1400);
    clock.run(2);
    real.time = 800;
    expect(clock.now()).toBe(1400);
  });

  it('continues from its stored state', () => {
    const { real, clock, changes } = clockAt(1000);
    clock.set(50_000);
    clock.run(10);
    const stored = clockCodec.decode(clockCodec.encode(changes.at(-1) as ClockState), 'only');
    const again = new Clock(
      () => real.time,
      stored,
      () => undefined,
    );
    real.time = 1100;
    expect(again.now()).toBe(51_000);
    expect(again.state).toEqual({ shown: 51_000, real: 1100, speed: 10, stopped: false });
  });
});
