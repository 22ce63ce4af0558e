import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IpLock } from '../../../src/exchange/limiter/ip-lock.js';
import { saying } from '../../support/advice.js';

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

const LOCKED = {
  kind: 'limited',
  message: "The exchange has locked this machine's address until 2026-11-21 13:00:00 (UTC).",
  hints: saying(/more than 10,000 requests in a minute\. The lock ends by itself\. Nothing was sent\.$/),
};

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
  const { one, other, clock, root } = twoProcesses();
  one.recordLock();
  clock.time += 30 * MINUTE;
  other.recordLock();
  expect(one.until).toBe(NOON + 60 * MINUTE);
  expect(readdirSync(path.join(root, 'limits/host'))).toHaveLength(1);
});

it('is kept where no other user of the machine can read it', () => {
  const { one, root } = twoProcesses();
  one.recordLock();
  const [name = ''] = readdirSync(path.join(root, 'limits/host'));
  const modes = ['limits/host', `limits/host/${name}`].map((file) => statSync(path.join(root, file)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
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

it('ends for all processes if the clock was set back since, so that it would last longer than an hour', () => {
  const { one, other, clock } = twoProcesses();
  one.recordLock();
  clock.time -= 1;
  expect(one.requireFree(false)).toBe('free');
  clock.time += 1;
  expect(other.until).toBeUndefined();
});

it.each([
  ['before', `x.locked.${NOON + 60 * MINUTE}.${NOON}`],
  ['after', `locked.${NOON + 60 * MINUTE}.${NOON}.x`],
  ['in place of the time', `locked.soon.${NOON}`],
])('is not taken from a file whose name has something else %s', (_, name) => {
  const { one, other, root } = twoProcesses();
  one.recordLock();
  one.clear();
  writeFileSync(path.join(root, 'limits/host', name), '');
  expect(other.until).toBeUndefined();
});
