import { describe, expect, it } from 'vitest';
import type { Withdrawal, WithdrawalState } from '../../../src/domain/funds.js';
import { checkLimits, withdrawLimits, withdrawnToday } from '../../../src/trading/withdrawals/limits.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { meanwhile } from '../support/meanwhile.js';
import { tradingOf } from '../support/trading.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const EVM = '0x54121adf050566107229671be648f286eb82EB83';
const WANTED = { coin: 'btc', amount: '0.5', fee: '0.0005', address: ADDRESS, internal: false };
const MIDNIGHT = NOW - (NOW % 86_400_000);

/** A day with 0.3 withdrawn; a failed withdrawal and one of yesterday do not count. */
async function account() {
  const withdrawals = [
    withdrawal('4', '0.2', NOW),
    withdrawal('3', '7', NOW, 'failed'),
    withdrawal('2', '0.1', MIDNIGHT),
    withdrawal('1', '9', MIDNIGHT - 1),
  ];
  return { account: tradingOf(new ScriptedExchange({ withdrawals })) };
}

function withdrawal(id: string, amount: string, time: number, state: WithdrawalState = 'success'): Withdrawal {
  const common = {
    coin: 'btc',
    fee: '0.0005',
    address: ADDRESS,
    processedTime: time,
    hash: null,
    merchantOrderNo: null,
  };
  return { ...common, id, amount, time, state, status: 2 };
}

function withdrawing(one: Awaited<ReturnType<typeof account>>['account'], id: string, amount: string, reqTime = NOW) {
  const terms = { ...WANTED, amount, before: { record: '1' } };
  return one.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id, reqTime });
}

describe('a withdrawal limit of the user', () => {
  it.each([
    [{}, 'allows'],
    [{ withdrawLimit: '0.5btc' }, 'allows'],
    [{ withdrawLimit: '0.49999999btc' }, 'blocks'],
    [{ withdrawLimit: '0.1eth' }, 'allows'],
    [{ withdrawDayLimit: '0.8btc' }, 'allows'],
    [{ withdrawDayLimit: '0.79btc' }, 'blocks'],
    [{ withdrawLimit: '0.5btc', withdrawFee: 'onTop' }, 'blocks'],
    [{ withdrawLimit: '0.5005btc', withdrawFee: 'onTop' }, 'allows'],
    // two listed ones and this one, each with its fee
    [{ withdrawDayLimit: '0.8014btc', withdrawFee: 'onTop' }, 'blocks'],
    [{ withdrawDayLimit: '0.8015btc', withdrawFee: 'onTop' }, 'allows'],
    [{ withdrawAddresses: `other,${ADDRESS}` }, 'allows'],
    [{ withdrawAddresses: ADDRESS.toLowerCase() }, 'blocks'],
    [{ withdrawAddresses: 'other' }, 'blocks'],
  ])('%j %s the withdrawal', async (settings, effect) => {
    const one = await account();
    const checking = checkLimits(one.account, withdrawLimits(settings), WANTED);
    if (effect === 'allows') await expect(checking).resolves.toBeUndefined();
    else await expect(checking).rejects.toMatchObject({ kind: 'usage', hints: saying('terminal') });
  });

  it('accepts a hexadecimal address in any case', async () => {
    const one = await account();
    const limits = withdrawLimits({ withdrawAddresses: EVM.toLowerCase() });
    await expect(checkLimits(one.account, limits, { ...WANTED, address: EVM })).resolves.toBeUndefined();
  });

  it('counts a withdrawal once that is under way, unknown or not listed', async () => {
    const one = await account();
    withdrawing(one.account, 'open1', '0.01');
    withdrawing(one.account, 'moved1', '0.02').settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed');
    withdrawing(one.account, 'listed1', '0.2').settle({ outcome: 'placed', id: '4', duplicates: [] }, 'placed');
    withdrawing(one.account, 'refused1', '5').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    expect((await withdrawnToday(one.account, 'btc', { place: 'inside' })).toString()).toBe('0.33');
    expect((await withdrawnToday(one.account, 'btc', { place: 'inside', own: 'open1' })).toString()).toBe('0.32');
  });

  it('counts an unlisted withdrawal from the first millisecond of the UTC day on, and none of the day before', async () => {
    const one = await account();
    withdrawing(one.account, 'first1', '0.01', MIDNIGHT);
    withdrawing(one.account, 'before1', '0.04', MIDNIGHT - 1);
    const placed = { outcome: 'placed', id: null, duplicates: [] } as const;
    withdrawing(one.account, 'first2', '0.002', MIDNIGHT).settle(placed, 'placed');
    withdrawing(one.account, 'before2', '0.008', MIDNIGHT - 1).settle(placed, 'placed');
    expect((await withdrawnToday(one.account, 'btc', { place: 'inside' })).toString()).toBe('0.312');
  });

  it.each([
    ['a millisecond', MIDNIGHT - 1],
    ['most of a day', MIDNIGHT - 86_000_000],
  ])(
    "counts unlisted withdrawals of the exchange's day though this machine's clock was %s behind it",
    async (_, clock) => {
      const { account: one } = await account();
      const behind = tradingOf(new ScriptedExchange(), { state: one.state, elapsedMs: clock - NOW });
      withdrawing(behind, 'open1', '0.01', MIDNIGHT);
      const placed = { outcome: 'placed', id: null, duplicates: [] } as const;
      withdrawing(behind, 'moved1', '0.02', MIDNIGHT).settle(placed, 'placed');
      expect((await withdrawnToday(one, 'btc', { place: 'inside' })).toString()).toBe('0.33');
    },
  );

  it('counts the fees on top of listed and unlisted withdrawals', async () => {
    const one = await account();
    withdrawing(one.account, 'open1', '0.01');
    withdrawing(one.account, 'moved1', '0.02').settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed');
    expect((await withdrawnToday(one.account, 'btc', { place: 'onTop' })).toString()).toBe('0.3320');
  });

  it('counts unlisted duplicates, and no id twice', async () => {
    const one = await account();
    const placed = { outcome: 'placed', id: '8', duplicates: ['9', '10'] } as const;
    withdrawing(one.account, 'unlisted1', '0.01').settle(placed, 'placed');
    withdrawing(one.account, 'listed1', '0.2').settle({ ...placed, id: '4', duplicates: ['11'] }, 'placed');
    withdrawing(one.account, 'listed2', '0.1').settle({ ...placed, id: '12', duplicates: ['2'] }, 'placed');
    withdrawing(one.account, 'moved1', '0.02').settle({ ...placed, id: null, duplicates: ['13'] }, 'placed');
    withdrawing(one.account, 'late1', '0.03').settle({ outcome: 'notSent', id: null, duplicates: ['14'] }, 'not sent');
    // 0.3 listed, 3 times 0.01, unlisted 0.2 and 0.1, twice 0.02, once 0.03
    expect((await withdrawnToday(one.account, 'btc', { place: 'inside' })).toString()).toBe('0.70');
  });

  it('counts a withdrawal that is settled while the journal is read', async () => {
    const one = await account();
    const entry = withdrawing(one.account, 'moved1', '0.02');
    meanwhile(one.account.journal, () => entry.settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed'));
    expect((await withdrawnToday(one.account, 'btc', { place: 'inside' })).toString()).toBe('0.32');
  });
});
