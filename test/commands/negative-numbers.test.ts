import { describe, expect, it, onTestFinished } from 'vitest';
import { startDocumentExchange } from '../support/document-exchange.js';
import { temporaryHome } from '../support/pit.js';
import { PitHome } from './pit-home.js';

const PRICES = '"high":"4","low":"1","buy":"2","sell":"3","last":"2","open":"2","riseRate":"-1.5","vol":"9"';
const TICKER = (wrong: string) =>
  `{"ticker":{${PRICES.replace(...(wrong.split('>') as [string, string]))}},"date":"1648461600123"}`;
const TRADE = '[{"date":1648461600,"price":31000.5,"amount":0.01,"tid":7,"trade_type":"bid","type":"buy"}]';
const DEPTH = '{"asks":[[31000.4,0.5]],"bids":[[31000.3,0.25]],"timestamp":1648461600}';
const KLINE = '{"data":[[1648461600000,31000.1,31010.2,30990.3,31005.4,12.5]],"moneyType":"USDT","symbol":"BTC"}';

describe('market data with a price or an amount below zero', () => {
  it.each([
    ['ticker btc_usdt', 'ticker', TICKER('"buy":"2">"buy":"-2"'), 'ticker.buy'],
    ['ticker btc_usdt', 'ticker', TICKER('"vol":"9">"vol":-9'), 'ticker.vol'],
    ['depth btc_usdt', 'depth', DEPTH.replace('31000.3', '-31000.3'), 'bids.0.0'],
    ['depth btc_usdt --chart', 'depth', DEPTH.replace('0.5]', '-0.5]'), 'asks.0.1'],
    ['trades btc_usdt', 'trades', TRADE.replace('31000.5', '-31000.5'), '0.price'],
    ['trades btc_usdt', 'trades', TRADE.replace('0.01', '-1e-2'), '0.amount'],
    ['kline btc_usdt', 'kline', KLINE.replace('30990.3', '-30990.3'), 'data.0.3'],
    ['kline btc_usdt --chart', 'kline', KLINE.replace('12.5', '-12.5'), 'data.0.5'],
    ['markets', 'markets', '{"btc_usdt":{"amountScale":4,"minAmount":-1,"minSize":5,"priceScale":2}}', 'minAmount'],
    ['order buy btc_usdt 0.01 --at ask --dry-run', 'depth', DEPTH.replace('31000.4', '-31000.4'), 'asks.0.0'],
  ])(
    'makes pit %s fail on the answer to %s, with nothing on stdout and the field named',
    async (line, name, body, field) => {
      const exchange = startDocumentExchange({ [name]: body });
      onTestFinished(() => exchange.close());
      const { environment } = exchange;
      const failure = await new PitHome(temporaryHome()).failure(line, 1, { environment });
      expect(failure.message).toContain(`field "${field}": expected a decimal number of 0 or more, got “-`);
    },
  );

  it('does not concern a change of the price, which may be negative', async () => {
    const exchange = startDocumentExchange({ ticker: TICKER('x>x') });
    onTestFinished(() => exchange.close());
    const { environment } = exchange;
    const [row] = await new PitHome(temporaryHome()).json<{ change: string }[]>('ticker btc_usdt', { environment });
    expect(row?.change).toBe('-1.5');
  });
});
