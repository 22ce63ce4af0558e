import { describe, expect, it } from 'vitest';
import { readDepositAddress, readDepositAddresses, readWithdrawalAddress } from '../../src/exchange/lists/addresses.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf, failureOf } from './support.js';

const NO_ADDRESS = '{"code":1001,"message":"there is no address for this coin yet"}';
const NO_PERMISSION = '{"code":1012,"message":"no permission"}';
const FEES = {
  open: '{"code":1000,"message":"ok","result":{"XRP":[{"chainName":"XRP","mainChainName":"XRP","fee":0.10,"canDeposit":true,"canWithdraw":false}]}}',
  mixed:
    '{"code":1000,"result":{"XRP":[{"chainName":"A","mainChainName":1,"fee":"1e-3","canDeposit":true,"canWithdraw":1},{"chainName":"B","mainChainName":"B","fee":2.50,"canDeposit":"false","canWithdraw":"true"}]}}',
};

function described(datas: string): string {
  return `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${datas}}}`;
}

/** An exchange of literal answers by operation; any other is refused. */
async function exchange(answers: Readonly<Record<string, string>>) {
  const server = await serveFaults({
    answer: ({ target }) => respond(answers[/^\/api\/(\w+)/.exec(target)?.[1] ?? ''] ?? NO_ADDRESS),
  });
  const asked = () => server.requests.map(({ target }) => /^\/api\/(\w+)/.exec(target)?.[1]).join(' ');
  return { client: clientOf(server.url).client, asked };
}

describe('readDepositAddresses', () => {
  it('returns one address per chain, with the account as the address if there is a memo', async () => {
    const { client, asked } = await exchange({
      getPayinAddress: described(
        `[{"blockChain":"TRC20","canDeposit":true,"canWithdraw":false,"isUseMemo":false,"address":"TAddress"},
          {"blockChain":"EOS","canDeposit":false,"canWithdraw":true,"isUseMemo":true,"account":"boxaccount","memo":"12345678"}]`,
      ),
    });
    expect(await readDepositAddresses(client, 'usdt')).toEqual([
      {
        ...{ coin: 'usdt', chain: 'TRC20', address: 'TAddress', memo: null, needsMemo: false },
        ...{ canDeposit: true, canWithdraw: false },
      },
      {
        ...{ coin: 'usdt', chain: 'EOS', address: 'boxaccount', memo: '12345678', needsMemo: true },
        ...{ canDeposit: false, canWithdraw: true },
      },
    ]);
    expect(asked()).toBe('getPayinAddress');
  });

  it.each([
    // a number and texts where others are stated, and a leading zero that is a part of the memo
    ['{"blockChain":1,"canDeposit":"true","canWithdraw":0,"isUseMemo":"true","account":"a","memo":"007"}', 'a', '007'],
    ['{"isUseMemo":1,"account":"a","memo":104532}', 'a', '104532'],
    ['{"isUseMemo":true,"address":"a","memo":"7"}', 'a', '7'],
    ['{"isUseMemo":"0","address":"a","memo":""}', 'a', null],
    ['{"isUseMemo":false,"address":"a","account":"b","memo":"7"}', 'a', null],
  ])('reads the entry %s', async (entry, address, memo) => {
    const { client } = await exchange({ getPayinAddress: described(`[${entry}]`) });
    expect(await readDepositAddresses(client, 'eos')).toEqual([
      expect.objectContaining({ address, memo, needsMemo: memo !== null }),
    ]);
  });

  it('reports that a memo is needed although none was sent', async () => {
    const { client } = await exchange({ getPayinAddress: described('[{"isUseMemo":true,"account":"a","memo":null}]') });
    expect(await readDepositAddresses(client, 'eos')).toEqual([
      expect.objectContaining({ chain: null, address: 'a', memo: null, needsMemo: true, canDeposit: null }),
    ]);
  });

  it.each([
    ['refused', NO_ADDRESS],
    ['refused with isSuc', '{"code":1000,"message":{"des":"no","isSuc":false,"datas":null}}'],
    ['an empty list', described('[]')],
    ['nothing', described('null')],
    ['chains without an address', described('[{"blockChain":"A","isUseMemo":false,"address":""}]')],
  ])('falls back to the single-chain operation if the other one returns %s', async (_name, getPayinAddress) => {
    const { client, asked } = await exchange({
      getPayinAddress,
      getUserAddress: described('{"key":"1Single"}'),
      getFeeInfo: FEES.open,
    });
    expect(await readDepositAddresses(client, 'btc')).toEqual([
      {
        ...{ coin: 'btc', chain: null, address: '1Single', memo: null, needsMemo: false },
        ...{ canDeposit: true, canWithdraw: false },
      },
    ]);
    expect(asked()).toBe('getPayinAddress getUserAddress getFeeInfo');
  });

  it.each([
    [NO_PERMISSION, 'refused', 1012],
    ['{"code":1003,"message":"signature"}', 'credentials', 1003],
    ['{"code":4001,"message":"locked"}', 'limited', 4001],
  ])('never falls back if the key is refused: %s', async (getPayinAddress, kind, code) => {
    const { client, asked } = await exchange({ getPayinAddress, getUserAddress: described('{"key":"1Single"}') });
    expect(await failureOf(readDepositAddresses(client, 'btc'))).toMatchObject({ kind, code });
    expect(asked()).toBe('getPayinAddress');
  });

  it.each([NO_ADDRESS, described('{"key":""}'), described('{}'), described('null')])(
    'fails with a hint to obtain an address first: %s',
    async (getUserAddress) => {
      const { client } = await exchange({ getUserAddress });
      const failure = await failureOf(readDepositAddresses(client, 'btc'));
      expect(failure).toMatchObject({
        kind: 'refused',
        hints: ["Obtain it first in the exchange's app or on its website."],
      });
      expect(failure.message).toMatch(/^The exchange has no deposit address for btc/);
    },
  );
});

describe('a single address', () => {
  const MEMO = described('[{"blockChain":"XRP","isUseMemo":true,"account":"rBox","memo":"9"}]');
  const PLAIN = described(
    '[{"blockChain":"A","isUseMemo":false,"address":"a"},{"isUseMemo":true,"account":"b","memo":"9"}]',
  );

  it.each([
    ['rBox_12_3', MEMO, 'rBox', '12_3'],
    ['rBox_12', PLAIN, 'rBox_12', null],
    ['rBox_12', NO_ADDRESS, 'rBox_12', null],
    ['rBox_12', described('[]'), 'rBox_12', null],
    ['rBox', MEMO, 'rBox', null],
    ['_12', MEMO, '_12', null],
  ])('splits %s with chains %s into %s and the memo %s', async (key, getPayinAddress, address, memo) => {
    const { client } = await exchange({
      getPayinAddress,
      getUserAddress: described(`{"key":"${key}"}`),
      getWithdrawAddress: described(`{"key":"${key}"}`),
      getFeeInfo: FEES.mixed,
    });
    const expected = { coin: 'xrp', chain: null, address, memo, needsMemo: memo !== null };
    const gates = { canDeposit: null, canWithdraw: true };
    expect(await readDepositAddress(client, 'xrp')).toEqual({ ...expected, ...gates });
    expect(await readWithdrawalAddress(client, 'xrp')).toEqual({ ...expected, ...gates });
  });

  it('reports a missing single address by its own name', async () => {
    const { client } = await exchange({});
    expect((await failureOf(readWithdrawalAddress(client, 'xrp'))).message).toBe(
      'The exchange has no verified withdrawal address for xrp (getWithdrawAddress: rejected by the exchange: “there is no address for this coin yet”).',
    );
  });
});

describe('fees', () => {
  it('keeps every digit of fees in whatever form they are sent', async () => {
    const { client } = await exchange({ getFeeInfo: FEES.mixed });
    expect(await client.fees({ coin: 'xrp' })).toEqual([
      { coin: 'xrp', chain: 'A', mainChain: '1', fee: '0.001', canDeposit: true, canWithdraw: true },
      { coin: 'xrp', chain: 'B', mainChain: 'B', fee: '2.50', canDeposit: false, canWithdraw: true },
    ]);
    const other = await exchange({ getFeeInfo: FEES.open });
    expect(await other.client.fees({})).toMatchObject([{ fee: '0.10', mainChain: 'XRP' }]);
  });

  it.each(['{"code":1000,"result":{}}', '{"code":3008,"message":"no record"}'])(
    'reads no fees from %s',
    async (getFeeInfo) => {
      expect(await (await exchange({ getFeeInfo })).client.fees({})).toEqual([]);
    },
  );
});
