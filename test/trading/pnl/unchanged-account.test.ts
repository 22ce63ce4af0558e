import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountType } from '../../../src/domain/order.js';
import { EMPTY } from '../../../src/trading/pnl/kept-history.js';
import { TERMS } from '../support/terms.js';
import { temporaryState } from '../support/trading.js';
import { DAY_MS, ForgetfulAccount } from './forgetful-account.js';

const BOTH = ['btc_usdt', 'eth_usdt'];
/** The files of what is kept. */
const [HISTORY, MARK] = ['pnl 5 test', 'pnl mark 5 test'];
/** No list of orders, and none by its id. */
const NOTHING = { asked: [], askedById: [] };

describe('an account that was read to its end', () => {
  let account: ForgetfulAccount;
  let first: Awaited<ReturnType<ForgetfulAccount['read']>>;

  beforeEach(async () => {
    account = new ForgetfulAccount('apart', temporaryState());
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 80);
    account.trade('buy', 'eth_usdt', 40);
    account.trade('sell', 'btc_usdt', 96);
    account.now += DAY_MS;
    first = await account.read();
    expect(first).toMatchObject({ orders: ['1', '2', '3'], asked: BOTH, unexplained: [] });
  });

  it('is not asked for its orders again while its balances and newest bills are the same', async () => {
    account.now += 200 * DAY_MS;
    expect(await account.read()).toEqual({ ...first, ...NOTHING });
  });

  it('is read on when it has traded', async () => {
    account.trade('sell', 'eth_usdt', 48);
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3', '4'], asked: BOTH, unexplained: [] });
  });

  it('is asked for deposits and withdrawals of the coins that have changed, and of all on request', async () => {
    account.trade('sell', 'eth_usdt', 48);
    await account.read();
    expect(account.transfersOf.toSorted()).toEqual(['eth', 'usdt']);
    await account.read();
    expect(account.transfersOf.toSorted()).toEqual([]);
    await account.read({ isWhole: true });
    expect(account.transfersOf.toSorted()).toEqual(['btc', 'eth', 'usdt']);
  });

  it('is read on when a balance has changed although no new bill is listed', async () => {
    account.trade('sell', 'eth_usdt', 48);
    for (const { id } of account.bills.slice(-3)) account.late.add(id);
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3', '4'], asked: BOTH });
  });

  it('is read on when a bill is new although the balances are as they were', async () => {
    account.trade('sell', 'eth_usdt', 48);
    for (const { id } of account.bills.slice(-2)) account.late.add(id);
    account.areBalancesLate = true;
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3', '4'], asked: BOTH });
  });

  it('is read on once bills are listed that were late together with the balances', async () => {
    account.trade('sell', 'eth_usdt', 48);
    for (const { id } of account.bills.slice(-3)) account.late.add(id);
    account.areBalancesLate = true;
    await account.read();
    account.now += DAY_MS;
    account.late.clear();
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3', '4'], bills: 13, unexplained: [] });
  });

  it('is read on if its balances could not be read, or the key may do something else', async () => {
    expect(await account.read({ account: undefined })).toMatchObject({ asked: BOTH });
    const { info } = account;
    const now = { ...info, permissions: { ...info.permissions, money: false } };
    expect(await account.read({ account: now })).toMatchObject({ asked: BOTH });
  });

  it('is asked for a market that was never read', async () => {
    account.markets.push('eth_btc', 'zz_usdt');
    expect(await account.read({ markets: ['zz_usdt'] })).toMatchObject({
      asked: [...BOTH, 'eth_btc', 'zz_usdt'].sort(),
    });
  });

  it('is known to be the same without its history being read, and is not if anything is new', async () => {
    const read = vi.spyOn(account.kept, 'read');
    const unchanged = await account.reader().unchanged();
    const keys = read.mock.calls.map(([key]) => key).filter((key) => key.startsWith('pnl'));
    expect(keys).toEqual([MARK]);
    expect(unchanged).toMatchObject({ refusedCoins: [], leftOut: [], unlisted: [] });
    expect((await account.reader().history()).id).toBe(unchanged?.id);
    expect(await account.reader({ isWhole: true }).unchanged()).toBeUndefined();
    account.trade('sell', 'eth_usdt', 48);
    expect(await account.reader().unchanged()).toBeUndefined();
    const { id } = await account.reader().history();
    expect(id).not.toBe(unchanged?.id);
    expect((await account.reader().unchanged())?.id).toBe(id);
  });

  it('is read on if what was kept is gone, or has no mark because pit was killed before it wrote that', async () => {
    const files = new Map(account.kept.files);
    for (const key of [HISTORY, MARK]) {
      account.kept.files.delete(key);
      expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], asked: BOTH });
      expect(await account.read()).toEqual({ ...first, ...NOTHING });
    }
    const { keptHistory } = account.trading;
    await keptHistory?.write(keptHistory.read() ?? EMPTY);
    expect(await account.read()).toMatchObject({ asked: BOTH });
    // that of another process
    account.kept.files.set(MARK, files.get(MARK) ?? '');
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], asked: BOTH });
  });

  it('is read on by another version of pit, which keeps its bills, and with another zone', async () => {
    account.version = '1.0.1';
    account.now += 200 * DAY_MS;
    expect(account.trading.keptHistory?.read()).toMatchObject({ matched: null });
    expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], asked: BOTH, bills: first.bills });
    expect(await account.read()).toMatchObject(NOTHING);
    account.zone = '+01:00';
    expect(await account.read()).toMatchObject({ asked: BOTH });
    expect(await account.read()).toMatchObject(NOTHING);
  });

  it('is read on once in a week, and if the clock was set back: the journal forgets what was settled long ago', async () => {
    account.elapsedMs = 6 * DAY_MS;
    expect(await account.read()).toMatchObject(NOTHING);
    account.elapsedMs = 8 * DAY_MS;
    expect(await account.read()).toMatchObject({ asked: BOTH });
    expect(await account.read()).toMatchObject(NOTHING);
    account.elapsedMs = 0;
    expect(await account.read()).toMatchObject({ asked: BOTH });
  });

  it('is read whole on request', async () => {
    expect(await account.read({ isWhole: true })).toMatchObject({ orders: ['1', '2', '3'], asked: BOTH });
  });

  it('is read on while a list of orders may still show something of a write of pit', async () => {
    const placed = account.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'a1', reqTime: 1 });
    expect(await account.read()).toMatchObject({ asked: BOTH });
    placed.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    expect(account.journal.unclosedEntries()).toHaveLength(1);
    expect(await account.read()).toMatchObject({ asked: BOTH });
    account.journal.close({ market: TERMS.market, side: TERMS.side }, new Map([['a1', 'watched']]));
    expect(await account.read()).toMatchObject(NOTHING);
  });

  it('is not read on for a withdrawal that pit has sent: it changes a balance', async () => {
    const withdrawn = { coin: 'btc', amount: '1', fee: '0', address: 'bc1q', internal: false };
    const terms = { ...withdrawn, before: { record: '0' } };
    const sent = account.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'w1', reqTime: 1 });
    sent.settle({ outcome: 'placed', id: '5', duplicates: [] }, 'accepted');
    expect(account.journal.unclosedEntries()).toHaveLength(1);
    expect(await account.read()).toMatchObject(NOTHING);
  });
});

it('an account whose balances are the same after trades that were made once its orders were read is read on', async () => {
  const account = new ForgetfulAccount('none', temporaryState());
  account.deposit('usdt', 10_000);
  account.trade('buy', 'btc_usdt', 80);
  account.now += DAY_MS;
  account.afterOrders = async () => {
    account.trade('buy', 'btc_usdt', 40);
    account.trade('sell', 'btc_usdt', 40);
  };
  expect(await account.read()).toMatchObject({ orders: ['1'] });
  expect(await account.read()).toMatchObject({ orders: ['1', '2', '3'], unexplained: [] });
});

describe('an account with open orders on margin, which change no balance and make no bill', () => {
  let account: ForgetfulAccount;

  beforeEach(async () => {
    account = new ForgetfulAccount();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 80);
    account.placeOnMargin('buy', 'btc_usdt', 40);
    account.now += DAY_MS;
    expect(await account.read()).toMatchObject({ orders: ['1'], asked: ['btc_usdt'] });
  });

  it('is asked for each of them by its id', async () => {
    expect(await account.read()).toMatchObject({ orders: ['1'], asked: [], askedById: ['2'] });
  });

  it('shows what they have filled, and that no bill explains it, each time', async () => {
    account.fillNewest();
    const shown = { orders: ['1', '2'], asked: ['btc_usdt'], unexplained: ['btc', 'usdt'] };
    expect(await account.read()).toMatchObject(shown);
    expect(await account.read()).toMatchObject(shown);
  });
});

describe('an account with fills on margin that another command has listed since', () => {
  let account: ForgetfulAccount;

  beforeEach(() => {
    account = new ForgetfulAccount();
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 80);
    account.now += DAY_MS;
  });

  async function fillAndList(): Promise<void> {
    account.fillNewest();
    await account.listOrders('btc_usdt');
    account.now += DAY_MS;
  }

  it('is read on if an order that was open has filled', async () => {
    account.placeOnMargin('buy', 'btc_usdt', 40);
    await account.read();
    await fillAndList();
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], unexplained: ['btc', 'usdt'] });
  });

  it('is read on if an order was placed and has filled', async () => {
    await account.read();
    account.placeOnMargin('buy', 'btc_usdt', 40);
    await fillAndList();
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], unexplained: ['btc', 'usdt'] });
  });

  it('is read on if an open order was listed, and has filled since, in a market without orders', async () => {
    account.deposit('eth', 5);
    await account.read();
    account.placeOnMargin('buy', 'eth_usdt', 40);
    await account.listOrders('eth_usdt');
    account.fillNewest();
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], unexplained: ['eth', 'usdt'] });
  });

  it('is read on if the other command listed them after it had read the orders itself', async () => {
    account.placeOnMargin('buy', 'btc_usdt', 40);
    account.beforeTransfers = fillAndList;
    expect(await account.read()).toMatchObject({ orders: ['1'] });
    expect(await account.read()).toMatchObject({ orders: ['1', '2'], unexplained: ['btc', 'usdt'] });
  });

  it('is not read on if the list shows what is known', async () => {
    const first = await account.read();
    await account.listOrders('btc_usdt');
    expect(await account.read()).toEqual({ ...first, ...NOTHING });
  });
});

describe('an account with an order on margin that pit has settled, and whose list no command has kept', () => {
  const shown = { orders: ['1', '2'], unexplained: ['btc', 'usdt'] };

  function accountWithTrade(): ForgetfulAccount {
    const account = new ForgetfulAccount('none', temporaryState());
    account.deposit('usdt', 10_000);
    account.trade('buy', 'btc_usdt', 80);
    account.now += DAY_MS;
    return account;
  }

  function settleOnMargin({ journal }: ForgetfulAccount, of: AccountType): void {
    const terms = { ...TERMS, account: of };
    const placed = journal.begin<'order'>({ operation: 'order', terms }, { id: 'm1', reqTime: 1 });
    placed.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed');
  }

  function fillAndClose(account: ForgetfulAccount): void {
    account.placeOnMargin('buy', 'btc_usdt', 40);
    account.fillNewest();
    account.journal.close({ market: TERMS.market, side: TERMS.side }, new Map([['m1', 'over']]));
    expect(account.journal.unclosedEntries()).toEqual([]);
  }

  it.each(['isolated', 'cross'] as const)('is read on, of the account %s', async (of) => {
    const account = accountWithTrade();
    await account.read();
    account.elapsedMs += DAY_MS;
    settleOnMargin(account, of);
    fillAndClose(account);
    expect(await account.read()).toMatchObject(shown);
  });

  it('is read on if it was read before while the list might still show the order', async () => {
    const account = accountWithTrade();
    settleOnMargin(account, 'cross');
    account.elapsedMs += DAY_MS;
    expect(await account.read()).toMatchObject({ orders: ['1'], unexplained: [] });
    account.elapsedMs += DAY_MS;
    fillAndClose(account);
    expect(await account.read()).toMatchObject(shown);
  });
});

it('an account of which only what is new was read is the same as after a whole read', async () => {
  const drawnMarket = fc.constantFrom('btc_usdt', 'eth_usdt', 'eth_btc');
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('trade' as const), market: drawnMarket, buys: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('place' as const), market: drawnMarket, buys: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fill', 'deposit', 'list', 'loseOrders', 'loseMark') }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  );
  let unchanged = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25, size: 'max' }), async (actions) => {
      const account = new ForgetfulAccount('apart', temporaryState());
      account.markets.push('eth_btc');
      for (const coin of ['usdt', 'btc', 'eth']) account.deposit(coin, 10_000);
      for (const [index, act] of actions.entries()) {
        const side = 'buys' in act && act.buys ? 'buy' : 'sell';
        if (act.do === 'trade') account.trade(side, act.market, 8 * (index + 10));
        if (act.do === 'place') {
          account.placeOnMargin(side, act.market, 8 * (index + 10));
          // one that pit has never seen would be found later
          await account.listOrders(act.market);
        }
        if (act.do === 'fill') account.fillNewest();
        if (act.do === 'deposit') account.deposit('usdt', index + 1);
        if (act.do === 'list') await account.listOrders('btc_usdt');
        const lost = act.do === 'loseOrders' ? 'orders' : act.do === 'loseMark' ? 'pnl mark' : undefined;
        for (const key of account.kept.files.keys()) if (lost && key.startsWith(lost)) account.kept.files.delete(key);
        account.now += DAY_MS;
        if (act.do !== 'read') continue;
        const shown = await account.read();
        unchanged += Number(shown.asked.length === 0);
        // what was kept is as if there had been no other reading
        const files = new Map(account.kept.files);
        expect(withoutRequests(shown)).toEqual(withoutRequests(await account.read({ isWhole: true })));
        account.kept.files.clear();
        for (const [key, text] of files) account.kept.files.set(key, text);
      }
    }),
    { numRuns: 15 },
  );
  expect(unchanged).toBeGreaterThan(5);
});

function withoutRequests({ asked, askedById, ...shown }: Awaited<ReturnType<ForgetfulAccount['read']>>) {
  return shown;
}
