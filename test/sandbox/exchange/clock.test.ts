import { describe, expect, it } from 'vitest';
import { BackInTime, Clock, type ClockState } from '../../../src/sandbox/exchange/clock.js';

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

  it('sets the clock to a later time, running or stopped, and never back', () => {
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

  it('goes forward to a time, and not to one that has passed meanwhile', () => {
    const shown: number[] = [];
    let real = 1000;
    // a millisecond passes at each look
    const clock = new Clock(
      () => real++,
      undefined,
      (state) => shown.push(state.shown),
    );
    clock.forward(clock.now());
    expect(shown).toEqual([]);
    clock.forward(5000);
    clock.forward(4000);
    expect(shown).toEqual([5000]);
    expect(clock.now()).toBeGreaterThanOrEqual(5000);
  });

  it("never goes back when the machine's clock does", () => {
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
    const stored = changes.at(-1);
    const again = new Clock(
      () => real.time,
      stored,
      () => undefined,
    );
    real.time = 1100;
    expect(again.now()).toBe(51_000);
    expect(again.state).toEqual({ shown: 51_000, real: 1100, speed: 10, stopped: false });
  });

  it("accepts a client's reqTime within the tolerance, and no further", () => {
    const { clock } = clockAt(100_000);
    expect(clock.believable(60_000)).toEqual([{ from: 40_000, to: 160_000 }]);
    clock.set(180_000);
    expect(clock.believable(60_000)).toEqual([{ from: 120_000, to: 240_000 }]);
  });

  it('accepts the reqTime of a client that learned the time and has counted on while the clock stood still or ran faster', () => {
    const { real, clock } = clockAt(100_000);
    clock.stop();
    real.time = 400_000;
    expect(clock.believable(60_000)).toEqual([{ from: 40_000, to: 460_000 }]);
    clock.start();
    expect(clock.believable(60_000)).toEqual([{ from: 40_000, to: 160_000 }]);
    clock.run(60);
    real.time = 402_000;
    expect(clock.believable(60_000)).toEqual([{ from: 42_000, to: 280_000 }]);
  });

  it("accepts the reqTime of a client with the machine's time from the moment that it was set an hour away", () => {
    const { real, clock } = clockAt(100_000);
    clock.set(3_700_000);
    expect(clock.believable(60_000)).toHaveLength(1);
    clock.set(3_700_001);
    expect(clock.believable(60_000)[1]).toEqual({ from: 100_000, to: 160_000 });
    real.time = 200_000;
    expect(clock.believable(60_000)[1]).toEqual({ from: 140_000, to: 260_000 });
  });

  it('ends a wait for a time when it is set to that time, also while it stands still', async () => {
    const { clock } = clockAt(1000);
    clock.stop();
    let woken = 0;
    const waited = clock.reaches(5000).then(() => {
      woken = clock.now();
    });
    clock.set(4999);
    await Promise.resolve();
    expect(woken).toBe(0);
    clock.set(5000);
    await waited;
    expect(woken).toBe(5000);
  });

  it('ends a wait for a time as fast as it runs', async () => {
    const start = Date.now();
    const clock = new Clock(Date.now, undefined, () => undefined);
    clock.run(100_000);
    await clock.reaches(start + 3_600_000);
    expect(clock.now()).toBeGreaterThanOrEqual(start + 3_600_000);
  });
});
