import { describe, expect, it } from 'vitest';
import { asFailure } from '../../src/errors.js';
import { requestsOf } from '../support/sent-requests.js';
import { STILL_MARKETS } from '../support/world/still-markets.js';
import { lastError, useWorld } from './pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

/** What a new user types, and what must be in the answer: the cause and the next step. */
type Mistake = readonly [line: string, message: RegExp, hint: RegExp | null];

const WRONG_LINES: readonly Mistake[] = [
  ['depth', /missing.*market/, /pit depth --help/],
  ['dept btc_usdt', /unknown command 'dept'/, /depth/],
  ['depth btc_usdt --siz 3', /unknown option '--siz'/, /--size/],
  ['depth btc_usdt eth_usdt', /too many arguments/, /pit depth --help/],
  ['ticker --jsn', /unknown option '--jsn'/, /^Did you mean --json\?$/],
  ['ticker --nope', /unknown option '--nope'/, /pit ticker --help/],
  ['order show btc_usdt 17 --ioc', /unknown option '--ioc'/, /pit order show --help/],
  ['profile', /command is missing/i, /pit profile --help/],
  ['profile ad', /unknown command 'ad'/, /add/],
  ['help dpeth', /unknown command 'dpeth'/, /depth/],
  ['help profile ad', /unknown command 'ad'/, /add/],
  [
    'order buy shib_usdt 1000000000 --price 0.00001',
    /unknown option '--price'/,
    /pit order buy shib_usdt 1000000000 --at 0\.00001$/,
  ],
  ['buy btc_usdt 0.01 --at 28000', /unknown command 'buy'/, /pit order buy btc_usdt 0\.01 --at 28000$/],
  ['sell btc_usdt 0.01 --at ask', /unknown command 'sell'/, /pit order sell btc_usdt 0\.01 --at ask$/],
  ['book btc_usdt --size 3', /unknown command 'book'/, /pit depth btc_usdt --size 3$/],
  ['candles btc_usdt', /unknown command 'candles'/, /pit kline btc_usdt$/],
  ['order cancel btc_usdt 17', /unknown command 'order cancel'/, /pit cancel btc_usdt 17$/],
  ['order buy btc_usdt 1 --price 2', /unknown option '--price'/, /pit order buy btc_usdt 1 --at 2$/],
  ['order buy btc_usdt 1 --price=2', /unknown option '--price/, /pit order buy btc_usdt 1 --at 2$/],
  ['kline btc_usdt --type 1M', /^--type must be one of 1min, .*, 1week, not "1M"\.$/, null],
  ['depth btc_usdt --size ten', /^--size must be a whole number from 1 to 50, not "ten"\.$/, null],
  ['depth btc_usdt --timeout 0', /^--timeout must be a number of seconds .*, not "0"\.$/, null],
  ['depth btc_usdt --csv', /--json and --csv/, /one of them/],
  ['kline btc_usdt --type 2min', /^--type must be one of 1min, 3min, .*, 1week, not "2min"\.$/, null],
  ['kline btc_usdt --since 2099-01-01', /--since is in the future: 2099-01-01T/, /age such as 2h/],
  ['kline btc_usdt --since 1h --until 2h', /--since is after --until/, /earlier time/],
  ['kline btc_usdt --since yesterday', /"yesterday" is not a time/, /2h/],
  ['trades btc_usdt --since latest', /^--since must be an id from the exchange, not "latest"\.$/, /digits/],
  [
    'trades btc_usdt --since 99999999999999999999999999',
    /^--since is too long for an id from the exchange: "9{26}"\.$/,
    /at most 19 digits/,
  ],
  [
    'cancel btc_usdt 20220220220220220220',
    /^The order id is too long for an id from the exchange: "20220220220220220220"\.$/,
    /at most 19 digits/,
  ],
  [
    'order show btc_usdt',
    /^pit order show needs ORDER or --id\.$/,
    /^Add ORDER or --id CLIENT_ID\. .*: pit order show --help$/,
  ],
  ['order show btc_usdt 17 --id mine1', /^ORDER and --id exclude each other\.$/, /one of them/],
  ['order replace btc_usdt --at 5', /^pit order replace needs ORDER or --id\.$/, /--help$/],
  ['order replace btc_usdt 17 --id mine1 --at 5', /^ORDER and --id exclude each other\.$/, /one of them/],
  // who names an order does not want all of them cancelled
  ['cancel 12345', /^The market is missing\.$/, /^Name the market: pit cancel MARKET 12345; .*: pit orders$/],
  ['cancel', /^pit cancel needs ID, --id or --all\.$/, /^Add ID, --id CLIENT_ID or --all\. .*: pit cancel --help$/],
  ['cancel --id mine0001', /^--id needs MARKET\.$/, /^Add MARKET: the market/],
  ['cancel --all', /^--all needs MARKET or --all-markets\.$/, /^Add MARKET or --all-markets\.$/],
  ['cancel btc_usdt', /^pit cancel needs ID, --id or --all\.$/, /^Add ID, --id CLIENT_ID or --all\./],
  ['cancel btc_usdt 17 --all', /^ID and --all exclude each other\.$/, /one of them/],
  ['cancel btc_usdt --id ab', /^The client order id "ab" is too short\.$/, /4 to 36/],
  [`order show btc_usdt --id ${'a'.repeat(37)}`, /^The client order id "a+" is too long\.$/, /4 to 36/],
  ['cancel-after btc_usdt eth_usdt', /^"eth_usdt" is neither the market nor a command after --\.$/, /--hold -- /],
  ['halt --for 0s', /^The duration "0s" is zero\.$/, /90s/],
  ['withdraw btc 101% --to x', /^The share is more than 100%\.$/, /100%/],
  ['withdraw btc 0.1 --to= --dry-run', /^The address of --to is empty\.$/, /^Give the whole address/],
  ['withdraw btc 0.1 --to= --confirm-address=', /^The address of --to is empty\.$/, /^Give the whole address/],
  ['ticker btc_usdt --sort size', /^--sort must be one of change, volume, market, not "size"\.$/, null],
];

const WRONG_MARKETS: readonly Mistake[] = [
  ['depth btc_usd', /no market btc_usd/, /btc_usdt/],
  ['trades etc_usdt', /no market etc_usdt/, /eth_usdt|btc_usdt/],
  ['ticker btc_usdt nope_nope', /no market nope_nope/, /pit markets/],
  ['order buy btc_usd 0.01 --at 20000 --yes', /no market btc_usd/, /btc_usdt/],
  ['depth btcxyz', /"btcxyz" is not a market/, /btc_usdt/],
  ['depth bchabc_usdt', /bchabc/, /bch_usdt/],
  ['depth BCHSV/USDT', /bchsv/, /bsv_usdt/],
  ['markets --base hsr', /hsr/, /hc/],
  ['balance nxwc', /nxwc/, /xwc/],
  ['order sell hsr_usdt 1 --at 2 --yes', /hsr/, /hc_usdt/],
];

const WRONG_ORDERS: readonly Mistake[] = [
  ['order buy btc_usdt 0.01 --yes', /price is missing/, /--at/],
  ['order --dry-run', /side is missing/, /pit order buy btc_usdt 0\.01 --at ask --dry-run\b/],
  ['order sell', /market is missing/, /^Write it after sell/],
  ['order sell eth_usdt', /amount is missing/, /^Write it after the market/],
  ['order sell eth_usdt --stop 1500', /needs a side, a market and an amount/, /^Write them before the flags/],
  ['withdraw', /coin is missing/, /pit balance/],
  ['withdraw eth', /amount is missing/, /^Write it after the coin/],
  ['withdraw eth 1', /address is missing/, /^Give it with --to ADDRESS/],
  ['order hold btc_usdt 0.01 --at 20000 --yes', /^The side must be one of buy, sell, not "hold"\.$/, null],
  ['order buy btc_usdt 0.00005 --at 20000 --yes', /0\.00005 is below the minimum of 0\.0001 btc/, /0\.0001/],
  [
    'order buy btc_usdt 0.01 --at 1 --yes',
    /0\.01 usdt is below the minimum of 1 usdt/,
    /^Check the price, or use an amount of 1 btc or more\.$/,
  ],
  ['order buy btc_usdt -0.01 --at 20000 --yes', /"-0\.01" is below zero/, /above zero/],
  ['order buy btc_usdt 0.0123456 --at 20000 --yes', /0\.0123456 has more decimals/, /6 decimals.*0\.000001/],
  ['order buy btc_usdt 0.01 --at 20000.123 --yes', /20000\.123 has more decimals/, /2 decimals.*0\.01/],
  ['order buy btc_usdt 0.01 --at cheap --yes', /"cheap" is not a price/, /bid, ask or mid/],
  ['order buy btc_usdt 0.01 --at bid-1.5ticks --yes', /not a price/, /whole/],
  ['order buy btc_usdt 0.01 --at bid-100% --yes', /not above zero/, /smaller offset/],
  [
    'order buy btc_usdt 0.01 --at 20000 --account savings --yes',
    /^--account must be one of spot, isolated, cross, not "savings"\.$/,
    null,
  ],
  ['order buy btc_usdt 0.01 --at 20000 --id my-order --yes', /"my-order"/, /4 to 36/],
  ['orders --side buy --page 2', /^--page needs MARKET\.$/, /^Add MARKET: /],
];

describe('a wrong command line fails with its cause and a hint, and sends nothing', () => {
  it.each([...WRONG_LINES, ...WRONG_MARKETS, ...WRONG_ORDERS])('pit %s', async (line, message, hint) => {
    const error = await pit.failure(line, 2);
    expect(error).toMatchObject({ kind: 'usage', code: null, clientId: null });
    expect(error.message).toMatch(message);
    expect(error.hint).toEqual(hint === null ? null : expect.stringMatching(hint));
  });

  it('a global flag without its value at the end of the line is a usage error', async () => {
    const { code, stdout, stderr } = await pit.run('depth btc_usdt --json --profile');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(lastError(stderr).message).toContain("'--profile <name>' argument missing");
  });

  it('none of these orders reached the exchange', async () => {
    expect(await pit.json('orders btc_usdt --state all --all')).toEqual([]);
  });
});

describe('a confirmation without a terminal', () => {
  it('pit reads no confirmation from a pipe', async () => {
    const [error, requests] = await requestsOf(() =>
      pit.failure('order buy btc_usdt 0.01 --at 20000', 8, { input: 'y\ny\nyes\n' }),
    );
    expect(error.hint).toContain('--yes');
    expect(requests).toEqual([]);
    expect(await pit.json('orders btc_usdt')).toEqual([]);
  });
});

it.each([
  ['markets --timeout 0.000001', '--timeout must be a number of seconds from 0.001 to 86400, not "0.000001".', null],
  ['order buy btc_usdt -- -1 --at 100', '"-1" is below zero.', /^Use a number above zero\.$/],
  ['order buy btc_usdt -- 1 --at 100', '"--at" comes after --, so it is not a flag.', /^Write flags before --\.$/],
  ['sandbox clock advance 100000d', 'The duration "100000d" is too long.', /^Use at most 3650d\.$/],
  ['sandbox price btc_usdt 25000 --over 100000d', 'The duration "100000d" is too long.', /^Use at most 365d\.$/],
  ['stream ticker:btc_usdt --for 30d', 'The duration "30d" is too long.', /^Use at most 24d\.$/],
  ['kline btc_usdt --since 17955000000', '"17955000000" is not a time.', /as Unix seconds or milliseconds/],
])('pit %s is answered with what fits', async (line, message, hint) => {
  const error = await pit.failure(line, 2);
  expect(error).toMatchObject({ message, hint: hint === null ? null : expect.stringMatching(hint) });
});

describe('wrong keys', () => {
  /** Keys that the exchange rejects, with its code. */
  const wrong = (): [keys: Readonly<Record<string, string>>, code: number][] => {
    const { PIT_ACCESS_KEY = '', PIT_SECRET_KEY = '' } = pit.served.environment;
    return [
      [{ PIT_SECRET_KEY: 'not-the-secret-key' }, 1003],
      [{ PIT_ACCESS_KEY: 'not-the-access-key' }, 3004],
      [{ PIT_ACCESS_KEY: PIT_SECRET_KEY, PIT_SECRET_KEY: PIT_ACCESS_KEY }, 3004],
    ];
  };

  it.each([
    'account',
    'balance',
    'balance --watch',
    'orders btc_usdt',
    'orders btc_usdt --watch',
    'fills btc_usdt',
    'bills',
    'deposits btc',
    'withdrawals btc',
    'address btc',
    'order show btc_usdt 7',
    'order buy btc_usdt 0.01 --at bid-5% --yes',
    'order batch buy btc_usdt --ladder bid-1%:bid-2%:3 --amount 0.003 --yes',
    'order replace btc_usdt 7 --at bid-5% --yes',
    'cancel btc_usdt 7',
    'cancel btc_usdt 7 8',
    'cancel btc_usdt --id mine0001',
    'cancel btc_usdt --all --yes',
    'cancel-after btc_usdt --yes',
    'cancel-after btc_usdt --hold --yes',
    'api getAccountInfo',
    'api order currency=btc_usdt price=20000 amount=0.01 tradeType=1 acctType=0 --override price-band --yes',
    'api cancelOrder currency=btc_usdt id=7 --yes',
  ])('pit %s ends with 4, says what may be wrong, and leaves no write open', async (line) => {
    for (const [keys, code] of wrong()) {
      const environment = { ...pit.served.environment, ...keys };
      const error = await pit.failure(line, 4, { environment });
      expect(error).toMatchObject({ kind: 'credentials', code });
      expect(error.hint).toMatch(
        /keys .* of another exchange.*swapped.*deleted.*PIT_ACCESS_KEY.*pit keys show.*pit keys set/,
      );
      expect(JSON.stringify(error)).not.toContain(pit.served.address.accessKey);
      const settled = await pit.failure('resolve nothing1', 2, { environment });
      expect(settled.message).toContain('The journal has no write with the id nothing1');
      expect(await pit.json('resolve', { environment })).toEqual([]);
    }
  });

  it.each(['stream orders:btc_usdt', 'stream balances'])('pit %s ends with 4 as well', async (line) => {
    const { baseUrl, tradeUrl, wsUrl } = pit.served.address;
    await pit.run(`profile add elsewhere --base-url ${baseUrl} --trade-url ${tradeUrl} --ws-url ${wsUrl}`);
    for (const [{ PIT_ACCESS_KEY, PIT_SECRET_KEY }, code] of wrong()) {
      const { accessKey, secretKey } = pit.served.address;
      const input = `${PIT_ACCESS_KEY ?? accessKey}\n${PIT_SECRET_KEY ?? secretKey}`;
      await pit.done('keys set --profile elsewhere --stdin', { input });
      const error = await pit.failure(`${line} --profile elsewhere`, 4);
      expect(error).toMatchObject({
        kind: 'credentials',
        code,
        hint: expect.stringContaining('pit --profile elsewhere keys show'),
      });
    }
  });

  it('pit reports what is missing when only one of the keys or no host is given', async () => {
    const { PIT_ACCESS_KEY = '', PIT_SECRET_KEY = '' } = pit.served.environment;
    const one = await pit.failure('account', 4, { environment: { PIT_ACCESS_KEY } });
    expect(one.message).toContain('PIT_SECRET_KEY');
    const nowhere = await pit.failure('account', 4, { environment: { PIT_ACCESS_KEY, PIT_SECRET_KEY } });
    expect(nowhere.hint).toContain('PIT_TRADE_URL');
  });
});

it('does not call it a bug if something was ended on purpose', () => {
  const { message, exitCode } = asFailure(AbortSignal.abort().reason);
  expect({ message, exitCode }).toEqual({ message: 'The command was ended before it was done.', exitCode: 1 });
});
