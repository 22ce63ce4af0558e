import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { accountInfo, billPage, billRow, marketList, parametersOf } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const START = Date.parse('2024-03-01T00:00:00Z');

describe('pit ledger of an account whose old bills are no longer listed', () => {
  const amounts = { change: '+1BTC', balance: '3BTC', total: '3' };
  const listed = [
    billRow({ id: 2, coin: 'BTC', kind: 'Airdrop', time: START, shownTime: '2024-03-01 00:00:00', ...amounts }),
  ];
  const exchange = useLiteralExchange({
    '/data/v1/markets': marketList(),
    '/api/getAccountInfo': accountInfo({ btc: '3.5', xrp: '7' }),
    '/api/getSpotBills': (parameters) => {
      const { bills, pageNumber } = parametersOf(parameters);
      return billPage(bills === 'old' && pageNumber === '1' ? listed : []);
    },
    '*': '{"code":3001,"message":"none"}',
  });

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
