import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IpLock } from '../../../src/exchange/limiter/ip-lock.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

/** Two processes of one home, with one clock. */
function twoProcesses() {
  const root = mkdtempSync(path.join(tmpdir(), 'pit-ip-lock-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const clock = { time: NOON };
  const make = () => new IpLock(root, 'limits/host', () => clock.time);
  return { clock, one: make(), other: make(), root };
}

const LOCKED = { kind: 'limited', message: expect.stringContaining('2026-11-21 13:00:00 (UTC)') };

it('lets every request through while no lock is known', () => {
  const { one, other } = twoProcesses();
  expect(() => one.requireFree(false)).not.toThrow();
  expect(other.until).toBeUndefined();
});

it('reports a lock and its end to every process', () => {
  const { one, other, clock } = twoProcesses();
  one.recordLock();
  for (const process of [one, other]) {
    expect(process.until).toBe(NOON + 60 * MINUTE);
    expect(() => process.requireFree(true)).toThrow(expect.objectContaining(LOCKED));
  }
  clock.time += 59 * MINUTE;
  expect(() => other.requireFree(false)).toThrow(expect.objectContaining(LOCKED));
  clock.time += MINUTE;
  expect(() => other.requireFree(false)).not.toThrow();
  expect(one.until).toBeUndefined();
});

it('dates a lock by the first answer that reported it', () => {
  const { one, other, clock } = twoProcesses();
  one.recordLock();
  clock.time += 30 * MINUTE;
  other.recordLock();
  expect(one.until).toBe(NOON + 60 * MINUTE);
});

it('lets one read a minute of one process try, and never a write', () => {
  const { one, other, clock } = twoProcesses();
  one.recordLock();
  clock.time += MINUTE;
  expect(() => one.requireFree(false)).toThrow(expect.objectContaining(LOCKED));
  expect(() => one.requireFree(true)).not.toThrow();
  expect(() => other.requireFree(true)).toThrow(expect.objectContaining(LOCKED));
  clock.time += MINUTE;
  expect(() => other.requireFree(true)).not.toThrow();
});

it('ends for all processes with an answer that does not report it', () => {
  const { one, other, root } = twoProcesses();
  one.recordLock();
  other.clear();
  expect(() => one.requireFree(false)).not.toThrow();
  expect(readdirSync(path.join(root, 'limits/host'))).toEqual([]);
});
