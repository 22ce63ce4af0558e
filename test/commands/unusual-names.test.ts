import { expect, it, onTestFinished } from 'vitest';
import { startDocumentExchange } from '../support/document-exchange.js';
import { runPit, temporaryHome } from '../support/pit.js';

const RULES = '{"priceScale":2,"amountScale":4,"minAmount":0.0001,"minSize":5}';
const TICKER = '{"high":"9","low":"7","buy":"8","sell":"8.5","last":"8","open":"8","riseRate":"0","vol":"1"}';

/** Names that the document has no rule against, and can be asked for. */
const UNUSUAL = ['luna-2', 'bnb.s', '猫币', 'ñandú'];
/** Names that cannot be asked for, and what is shown of them. */
const HOSTILE = {
  'BAD\u001b[31m': 'bad\ufffd[31m',
  'a b': 'a b',
  'usd"\n    assets:x  4000 USD': 'usd"\ufffd    assets:x  4000 usd',
};

let serial = 10;
const bill = (coin: string, change: string) => {
  serial += 1;
  const [name, text] = [JSON.stringify(coin), JSON.stringify(`${change} ${coin}`)];
  return `{"id":${serial},"currencyName":${name},"changeAmount":${text},"total":"5","date":1648461600123,"showDate":"2022-03-28 18:00:00","typeDesc":"Gift"}`;
};

const EMPTY = '{"code":1000,"message":{"des":"","isSuc":true,"datas":{"list":[]}}}';

async function exchangeWith(coins: readonly string[], markets: Readonly<Record<string, string>> = {}) {
  const result = coins.map((coin) => bill(coin, '5')).join(',');
  const entries = coins.map((coin) => `{"key":${JSON.stringify(coin)},"available":"5","freez":"0"}`);
  const exchange = startDocumentExchange({
    markets: `{${Object.entries({ btc_usdt: RULES, ...markets })
      .map(([name, rules]) => `${JSON.stringify(name)}:${rules}`)
      .join(',')}}`,
    allTicker: `{${Object.keys(markets)
      .map((name) => `${JSON.stringify(name)}:${TICKER}`)
      .join(',')}}`,
    ticker: `{"ticker":${TICKER},"date":"1648461600123"}`,
    getSpotBills: (given) => `{"code":1000,"message":"","result":[${given.get('dataType') === '1' ? result : ''}]}`,
    getAccountInfo: `{"result":{"coins":[${entries.join(',')}]}}`,
    getOrders: '[]',
    getChargeRecord: EMPTY,
    getWithdrawRecord: EMPTY,
  });
  onTestFinished(() => exchange.close());
  const run = (line: string) => runPit(line.split(' '), { home: temporaryHome(), environment: exchange.environment });
  const json = async (line: string) => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    return { code, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  return { exchange, run, json };
}

it.each(UNUSUAL)('reads, values and exports a coin called %s like any other', async (coin) => {
  const { exchange, run, json } = await exchangeWith([coin], { [`${coin}_usdt`]: RULES });
  expect(await json('bills')).toMatchObject({ code: 0, value: [{ coin, change: '5' }] });
  expect(await json(`bills ${coin} --all`)).toMatchObject({ code: 0, value: [{ coin }] });
  expect(await json('balance --in usdt')).toMatchObject({ code: 0, value: [{ coin, value: '40' }] });
  const { value: listed } = await json('markets');
  expect(listed).toContainEqual(expect.objectContaining({ market: `${coin}_usdt`, base: coin }));
  expect(await json(`ticker ${coin}_usdt`)).toMatchObject({ code: 0, value: [{ market: `${coin}_usdt`, last: '8' }] });
  const draft = `order buy ${coin}_usdt 1 --at 8 --dry-run`;
  expect(await json(draft)).toMatchObject({ code: 0, value: { dryRun: true } });
  const ledger = await run('ledger --format beancount');
  expect([ledger.code, ledger.stderr]).toEqual([0, '']);
  expect(ledger.stdout).toContain(`coin: "${coin}"`);
  expect(ledger.stdout).toMatch(/ 5 [A-Z][A-Z0-9.-]+\n/);
  const pnl = await json(`pnl --by coin --in usdt`);
  expect([pnl.code, pnl.value?.[0]]).toEqual([0, expect.objectContaining({ coin })]);
  expect(exchange.broken).toEqual([]);
});

it.each(Object.entries(HOSTILE))('shows a coin called %j, and leaves it out of books by name', async (coin, shown) => {
  const { exchange, run, json } = await exchangeWith([coin, 'btc']);
  expect((await json('bills')).value).toEqual(expect.arrayContaining([expect.objectContaining({ coin: shown })]));
  expect((await json('balance')).value).toEqual(expect.arrayContaining([expect.objectContaining({ coin: shown })]));
  for (const line of [
    'pnl --by coin --in usdt',
    'ledger --format hledger',
    'ledger --format beancount',
    'ledger --format csv',
  ]) {
    const { code, stdout, stderr } = await run(line);
    expect([line, code, stderr]).toEqual([line, 9, expect.stringContaining(JSON.stringify(shown).slice(1, 4))]);
    expect(stderr).toMatch(/cannot be asked for, so they are left out/);
    expect(stdout.toLowerCase()).toContain('btc');
    expect(stdout).not.toMatch(/4000|a b|31m/);
  }
  expect(exchange.broken).toEqual([]);
});

it('names each market that cannot be asked for, and lists the others', async () => {
  const markets = { BTCUSDT: RULES, 'a b_usdt': RULES, 'luna-2_usdt': RULES, ETH_USDT: RULES };
  const { json } = await exchangeWith([], markets);
  for (const line of ['markets', 'ticker']) {
    const { code, value, stderr } = await json(line);
    expect([code, value.map(({ market }: { market: string }) => market)]).toEqual([
      9,
      ['btc_usdt', 'eth_usdt', 'luna-2_usdt'],
    ]);
    expect(stderr).toMatch(/btcusdt.*has no name of the form base_quote/);
    expect(stderr).toMatch(/a b_usdt.*has no name of the form base_quote/);
  }
});
