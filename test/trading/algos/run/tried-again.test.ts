import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import { usage } from '../../../../src/errors.js';
import type { AlgoFact } from '../../../../src/trading/algos/record/facts.js';
import { FactWriter } from '../../../../src/trading/algos/run/fact-writer.js';
import { RequestLeg } from '../../../../src/trading/algos/run/request-leg.js';
import { fakeHost } from '../../../support/fake-host.js';
import { ID } from '../support/at-work.js';
import { child, START, triggered } from '../support/examples.js';

// What has not worked is tried again after a pause that grows.

const BEST: AlgoFact = { fact: 'best', time: START, price: Decimal.of('101'), tradeId: null };

/** A writer whose disk is full, with what was written and told. */
function writing({ isFull = true, hasReserve = false } = {}) {
  const host = fakeHost();
  const disk = { isFull, hasReserve };
  const written: string[] = [];
  const told: string[] = [];
  const store = {
    add: (_: string, { fact }: AlgoFact) => {
      if (disk.isFull) throw usage('The disk is full.');
      written.push(fact);
    },
    reserve: {
      free: () => {
        if (disk.hasReserve) [disk.hasReserve, disk.isFull] = [false, false];
        else return false;
        return true;
      },
    },
  } as unknown as ConstructorParameters<typeof FactWriter>[1];
  return { host, disk, written, told, writer: new FactWriter(ID, store, host, (text) => told.push(text)) };
}

describe('a fact that the disk does not take', () => {
  it('delays the next ones by 0.5 s, 1 s and then 2 s each, and is reported once', async () => {
    const { writer, host, told } = writing();
    for (const pauseMs of [500, 1_000, 2_000, 2_000]) {
      expect([writer.isHeld, writer.trouble]).toEqual([false, null]);
      expect(writer.write(BEST)).toBe(false);
      expect([writer.isHeld, writer.trouble]).toEqual([true, 'NOT PROTECTED: The disk is full.']);
      expect(writer.dueAt).toBe(host.monotonic() + pauseMs);
      await host.sleep(pauseMs - 1);
      writer.woke();
      expect([writer.isHeld, writer.dueAt]).toEqual([true, host.monotonic() + 1]);
      await host.sleep(1);
      writer.woke();
      expect(writer.dueAt).toBe(Number.POSITIVE_INFINITY);
    }
    expect(told).toEqual(['NOT PROTECTED: The disk is full. pit tries again.']);
  });

  it('is over with the next one that the disk takes', async () => {
    const { writer, host, disk, written, told } = writing();
    writer.write(BEST);
    disk.isFull = false;
    await host.sleep(500);
    expect(writer.write(BEST)).toBe(true);
    expect([writer.isHeld, writer.dueAt, written]).toEqual([false, Number.POSITIVE_INFINITY, ['best']]);
    disk.isFull = true;
    writer.write(BEST);
    expect(writer.dueAt).toBe(host.monotonic() + 500);
    expect(told).toHaveLength(2);
  });

  it('is tried at once when the user has changed something', () => {
    const { writer } = writing();
    writer.write(BEST);
    writer.tryAgain();
    expect([writer.isHeld, writer.dueAt]).toEqual([false, Number.POSITIVE_INFINITY]);
  });

  it('takes the room that is kept for it if it is that a stop was reached, and no other does', () => {
    const reserved = writing({ hasReserve: true });
    expect(reserved.writer.write(BEST)).toBe(false);
    expect(reserved.writer.write(triggered('98'))).toBe(true);
    expect(reserved.written).toEqual(['triggered']);
    expect(writing().writer.write(triggered('98'))).toBe(false);
  });
});

describe('a leg whose request failed', () => {
  it.each([
    ['waits longer each time', false, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
    ['waits 2 s at most while a reached stop waits for it', true, [500, 1_000, 2_000, 2_000]],
  ])('%s', async (_, isUrgent, pauses) => {
    const host = fakeHost();
    const leg = new RequestLeg(host);
    for (const [index, pauseMs] of pauses.entries()) {
      expect([leg.isBusy, leg.trouble, leg.dueAt]).toEqual([false, null, Number.POSITIVE_INFINITY]);
      expect(leg.failed('No answer.', isUrgent)).toBe(index === 0);
      expect(leg.dueAt).toBe(host.monotonic() + pauseMs);
      await host.sleep(pauseMs - 1);
      leg.woke();
      expect([leg.isBusy, leg.trouble, leg.isCancelling(child(1, 'take', '1'))]).toEqual([true, 'No answer.', true]);
      await host.sleep(1);
      leg.woke();
    }
    leg.succeeded();
    expect(leg.failed('No answer.', isUrgent)).toBe(true);
    expect(leg.dueAt).toBe(host.monotonic() + 500);
  });

  it('says another reason again, and nothing once it succeeded', () => {
    const leg = new RequestLeg(fakeHost());
    expect(leg.failed('No answer.', false)).toBe(true);
    expect(leg.failed('Refused.', false)).toBe(true);
    expect(leg.trouble).toBe('Refused.');
    leg.succeeded();
    expect([leg.isBusy, leg.trouble]).toEqual([false, null]);
  });

  it('gives the exchange 1 s after too many requests, then twice as long each time, at most 30 s', () => {
    const leg = new RequestLeg(fakeHost());
    expect(Array.from({ length: 7 }, () => leg.limitMs())).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('is busy while an order is on its way, and with a cancellation for that order only', () => {
    const leg = new RequestLeg(fakeHost());
    leg.isPlacing = true;
    expect([leg.isBusy, leg.trouble]).toEqual([true, null]);
    const [one, other] = [child(1, 'take', '1'), child(2, 'take', '1')];
    leg.cancelling(one, true);
    const duplicate = { ...one, duplicate: 'proven' } as const;
    expect([one, other, duplicate].map((of) => leg.isCancelling(of))).toEqual([true, false, false]);
    leg.cancelling(one, false);
    expect(leg.isCancelling(one)).toBe(false);
  });
});
