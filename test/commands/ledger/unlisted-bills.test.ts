import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const START = Date.parse('2024-03-01T00:00:00Z');

function bill(id: number, coin: string, change: string, balance: string) {
  const showDate = '2024-03-01 00:00:00';
  const entry = { id, currencyName: coin, changeAmount: `${change}${coin}`, total: balance, date: START, showDate };
  return { ...entry, balance: `${balance}${coin}`, typeDesc: 'Airdrop', remark: '' };
}

function coin(name: string, available: string) {
  const names = { enName: name.toUpperCase(), cnName: name, showName: name.toUpperCase(), unitTag: name };
  const flags = { isCanWithdraw: true, isCanRecharge: true, canLoan: false, unitDecimal: 8, fundstype: 1 };
  return { ...names, ...flags, available, freez: '0.00', key: name };
}

describe('pit ledger of an account whose old bills are no longer listed', () => {
  const listed = [bill(2, 'BTC', '+1', '3')];
  const held = [coin('btc', '3.5'), coin('xrp', '7')];
  const exchange = useLiteralExchange({
    '/data/v1/markets': '{"btc_usdt":{"amountScale":4,"priceScale":2,"minAmount":0.001,"minSize":5}}',
    '/api/getAccountInfo': () => JSON.stringify({ result: { coins: held, base: BASE }, ...GRANTED }),
    '/api/getSpotBills': (parameters) => {
      const isPage = parameters.get('dataType') === '1' && parameters.get('pageIndex') === '1';
      return JSON.stringify({ code: 1000, message: 'ok', result: isPage ? listed : [] });
    },
    '*': '{"code":3001,"message":"none"}',
  });
  const GRANTED = { assetPerm: true, leverPerm: false, entrustPerm: true, moneyPerm: true };
  const BASE = { username: 'u', trade_password_enabled: true, auth_google_enabled: true, auth_mobile_enabled: true };

  it('opens with what the first bill and the account show, and names what neither explains, with exit code 9', async () => {
    const home = new PitHome(temporaryHome());
    const { code, stdout, stderr } = await home.run('ledger --format csv', exchange.extra);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',').slice(2, 7));
    expect(rows).toEqual([
      ['opening', '', '', '2', 'btc'],
      ['opening', '', '', '7', 'xrp'],
      ['other', '', '', '1', 'btc'],
    ]);
    expect([code, stderr]).toEqual([9, expect.stringContaining('The ledger lacks 0.5 btc.')]);
  });
});
