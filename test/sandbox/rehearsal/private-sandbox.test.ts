import { expect, onTestFinished, test } from 'vitest';
import { newKeys } from '../../../src/sandbox/lifecycle/files.js';
import { PrivateSandbox } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import { temporaryHome } from '../../support/pit.js';

const KLINE = '/data/v1/kline?market=btc_usdt&type=1min';

async function open(now = () => 1_000): Promise<PrivateSandbox> {
  const sandbox = await PrivateSandbox.open({
    ...{ directory: `${temporaryHome()}/sandbox`, keys: newKeys('rehearsal') },
    ...{ time: Date.UTC(2026, 0, 5), markets: ['btc_usdt'], rules: [], funds: undefined, faults: [], latencyMs: 0 },
    ...{ now, sleep: async () => undefined },
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

test('limits hold for a program that asks over the network, and not for the report on it, which is asked on a clock that jumps', async () => {
  const sandbox = await open();
  const listener = await sandbox.listen(() => undefined);
  onTestFinished(() => listener.close());
  const asked = async () => (await fetch(listener.url + KLINE)).text();
  const answered = async () => {
    const { reply } = await sandbox.answer(KLINE);
    return reply.kind === 'whole' ? String(reply.body) : '';
  };
  const refusal = /too frequent|limit/i;
  expect([refusal.test(await asked()), refusal.test(await asked())]).toEqual([false, true]);
  expect([refusal.test(await answered()), refusal.test(await answered())]).toEqual([false, false]);
});

test('limits count the seconds of the market, whatever the speed of its clock', async () => {
  let time = 1_000;
  const sandbox = await open(() => time);
  sandbox.start(6_000);
  const listener = await sandbox.listen(() => undefined);
  onTestFinished(() => listener.close());
  const isRefused = async () => /too frequent|limit/i.test(await (await fetch(listener.url + KLINE)).text());
  expect([await isRefused(), await isRefused()]).toEqual([false, true]);
  time += 1;
  expect(await isRefused()).toBe(false);
});
