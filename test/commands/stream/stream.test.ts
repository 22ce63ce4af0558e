import { describe, expect, it } from 'vitest';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { eventually } from '../../support/eventually.js';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { PitHome, TIME } from '../pit-home.js';
import { useFrameServer } from './frame-server.js';

/** Frames as public clients have captured them; the book and the trades are shortened. */
const TICKER =
  '{"date":"1653781987181","ticker":{"high":"29249.63","vol":"4499.6492","last":"29046.17","low":"28527.54","buy":"29039.24","sell":"29056.69","turnover":"129792765.9200","open":"28598.8","riseRate":"1.57"},"dataType":"ticker","channel":"btcusdt_ticker"}';
const DEPTH =
  '{"asks":[[32383.58,0.5],[32383.57,0.0062]],"dataType":"depth","bids":[[32380.10,1.5000],[32379,2]],"channel":"btcusdt_depth","timestamp":1653997711}';
const TRADES =
  '{"data":[{"date":1653774784,"amount":"0.0380","price":"29029.5","trade_type":"ask","type":"sell","tid":2796890056}],"dataType":"trades","channel":"btcusdt_trades"}';
const KLINE =
  '{"datas":{"data":[[1653782100000,29055.22,29055.22,29030.81,29032.9,19.3130]]},"channel":"btcusdt_kline_1min","isSuc":true}';
/** Frames that come when what was before them has been read over HTTP. */
const LATER: Readonly<Record<string, string>> = {
  btcusdt_depth: DEPTH.replace('1.5000', '1.6000'),
  btcusdt_trades: TRADES,
  btcusdt_kline_1min: KLINE,
};

const exchange = useFrameServer({
  http: {
    '/data/v1/depth': '{"timestamp":1653997700,"asks":[[32383.57,0.0062]],"bids":[[32380.10,1.5000]]}',
    '/data/v1/trades': '[]',
    '/data/v1/kline': '{"data":[],"moneyType":"usdt","symbol":"btc"}',
  },
  frames: {
    btcusdt_ticker: [TICKER],
    btcusdt_depth: [DEPTH],
  },
  subscribed: (channel, socket) => {
    const later = LATER[channel];
    if (later !== undefined) setTimeout(() => socket.send(later), 50);
  },
});
const { pit } = exchange;

function documents(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const PUSHED = { received: TIME, source: 'push', skipped: 0 };

describe('pit stream in a pipe', () => {
  it('prints a document on a line for each event, without --json too', async () => {
    const { code, stdout, stderr } = await pit.run('stream ticker:btc_usdt --count 1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const row = {
      ...{ market: 'btc_usdt', time: '2022-05-28T23:53:07.181Z', bid: '29039.24', ask: '29056.69', last: '29046.17' },
      ...{ open: '28598.8', high: '29249.63', low: '28527.54', change: '1.57', volume: '4499.6492' },
    };
    const expected = { channel: 'ticker:btc_usdt', time: row.time, scope: 'snapshot', ...PUSHED, data: [row] };
    expect(documents(stdout)).toEqual([expected]);
  });

  it('prints the book as pit depth does, every number as it was sent', async () => {
    const { code, stdout } = await pit.run('stream depth:BTC/USDT --count 1 --json');
    expect(code).toBe(0);
    expect(documents(stdout)).toEqual([
      {
        ...{ channel: 'depth:btc_usdt', time: '2022-05-31T11:48:31.000Z', scope: 'snapshot', ...PUSHED },
        data: {
          ...{ market: 'btc_usdt', time: '2022-05-31T11:48:31.000Z' },
          bids: [
            { price: '32380.10', amount: '1.5000' },
            { price: '32379', amount: '2' },
          ],
          asks: [
            { price: '32383.57', amount: '0.0062' },
            { price: '32383.58', amount: '0.5' },
          ],
        },
      },
    ]);
  });

  it('makes no HTTP request for the book after the first', async () => {
    await pit.run('stream depth:btc_usdt --count 1');
    const before = exchange.asked.length;
    const { stdout } = await pit.run('stream depth:btc_usdt --count 2');
    expect(documents(stdout)).toHaveLength(2);
    expect(exchange.asked.slice(before)).toEqual([]);
  });

  it('prints trades and candles as pit trades and pit kline do, each valid by its schema', async () => {
    const line = 'stream trades:btc_usdt kline:btc_usdt:1m --count 4 --json';
    const { code, stdout } = await pit.run(line);
    expect(code).toBe(0);
    const found = documents(stdout);
    for (const one of found) expect(await schemaViolations(line, one)).toEqual([]);
    const pushed = found.filter(({ source }) => source === 'push').map(({ channel, data }) => [channel, data]);
    const trade = { market: 'btc_usdt', side: 'sell', price: '29029.5', amount: '0.0380', orderSide: 'sell' };
    expect(pushed).toEqual([
      ['trades:btc_usdt', [{ id: '2796890056', time: '2022-05-28T21:53:04.000Z', ...trade }]],
      [
        'kline:btc_usdt:1min',
        [
          {
            ...{ time: '2022-05-28T23:55:00.000Z', open: '29055.22', high: '29055.22', low: '29030.81' },
            // no later candle has proven that it is over
            ...{ close: '29032.9', volume: '19.3130', closed: false },
          },
        ],
      ],
    ]);
  });

  it('prints frames exactly with --raw', async () => {
    const { stdout } = await pit.run('stream depth:btc_usdt --raw --count 1');
    expect(stdout).toBe(`${DEPTH}\n`);
  });

  it('prints a row for each level, with its event, for --csv and --fields', async () => {
    const { header, rows } = await pit.csv('stream depth:btc_usdt --count 1');
    expect(header).toBe('channel,time,received,source,scope,skipped,data.side,data.price,data.amount');
    expect(rows.map((row) => row.split(',').slice(6).join(' '))).toEqual([
      ...['ask 32383.58 0.5', 'ask 32383.57 0.0062', 'bid 32380.10 1.5000', 'bid 32379 2'],
    ]);
    const chosen = await pit.csv('stream trades:btc_usdt --count 2 --fields data.price,channel');
    expect(chosen).toEqual({ header: 'data.price,channel', rows: ['29029.5,trades:btc_usdt'] });
  });

  it('ends after --for', async () => {
    expect(await pit.run('stream ticker:btc_usdt --for 50ms')).toMatchObject({ code: 0, stderr: '' });
  });

  it('asks for each channel once however often it is named', async () => {
    const before = exchange.messages.length;
    const { code } = await pit.run('stream ticker:btc_usdt TICKER:btcusdt --count 1');
    expect(code).toBe(0);
    expect(exchange.messages.slice(before)).toEqual(['{"event":"addChannel","channel":"btcusdt_ticker"}']);
  });

  it('subscribes to channels of the account with a signature', async () => {
    const before = exchange.messages.length;
    const { code } = await pit.run('stream balances --until-silent 100ms');
    expect(code).toBe(0);
    const [message = '{}'] = exchange.messages.slice(before);
    expect(JSON.parse(message)).toEqual({
      ...{ accesskey: 'literal-access-key', channel: 'push_user_incr_asset', event: 'addChannel' },
      sign: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });
});

describe('pit stream refuses', () => {
  it.each([
    ['stream', 2, 'pit stream needs CHANNEL.', 'pit stream --help'],
    ['stream depht:btc_usdt', 2, 'There is no channel "depht:btc_usdt". Did you mean depth:btc_usdt?', 'Channels:'],
    [
      'stream depth:btc_usdd',
      2,
      'The channel depth:btc_usdd cannot be followed: There is no market btc_usdd',
      'btc_usdt',
    ],
    ['stream depth:btc_usdt balances --csv', 2, '--csv cannot show channels of different kinds.', '--json'],
    ['stream depth:btc_usdt --raw --csv', 2, '--raw and --csv exclude each other.', ''],
    ['stream depth:btc_usdt --count 0', 2, '--count must be a whole number from 1 to 999999999, not "0".', ''],
    ['stream depth:btc_usdt --for 10', 2, '"10" is not a duration.', '90s'],
  ])('%s', async (line, exitCode, message, hint) => {
    const { code, stdout, stderr } = await pit.run(line);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it('a profile without an address for streams, and says how to set it', async () => {
    const other = new PitHome(temporaryHome());
    await other.run('profile add plain --base-url http://127.0.0.1:9 --trade-url http://127.0.0.1:9');
    const { message, hint, kind } = await other.failure('stream orders:btc_usdt --profile plain', 4);
    expect({ kind, message }).toEqual({
      kind: 'credentials',
      message: 'The profile "plain" has no WebSocket address.',
    });
    expect(hint).toBe('Set it: pit profile set plain wsUrl wss://HOST/websocket');
  });

  it('hosts from the environment, which name no address for streams', async () => {
    const environment = {
      ...{ PIT_BASE_URL: 'http://127.0.0.1:9', PIT_TRADE_URL: 'http://127.0.0.1:9' },
      ...{ PIT_ACCESS_KEY: 'literal-access-key', PIT_SECRET_KEY: 'literal-secret-key' },
    };
    const { message } = await new PitHome(temporaryHome()).failure('stream balances', 4, { environment });
    expect(message).toBe('The hosts come from the environment, which names no WebSocket address.');
  });
});

describe('pit stream on a terminal', () => {
  it('draws the book with its age on another screen, and leaves the last one below the command', async () => {
    const environment = plainEnvironment(pit.home, { TERM: 'xterm', NO_COLOR: '1' });
    const { program } = exchange;
    const words = ['stream', 'depth:btc_usdt', '--count', '2'];
    const { ended, printed } = startInProcess(words, environment, { columns: 80, program });
    expect(await ended).toBe(0);
    const [, drawn = '', left = ''] = /^\u001b\[\?1049h(.*)\u001b\[\?1049l(.*)$/s.exec(printed.stdout) ?? [];
    expect(drawn).toMatch(/connecting ·.*literal ·.*q ends/);
    expect(drawn).toContain('depth:btc_usdt  waiting for the first data');
    expect(left).toMatch(/^As of .* \(UTC\)\.\n\ndepth:btc_usdt {2}changed under 1 s ago\n/);
    expect(left).toContain('1.6000');
    expect(printed.stderr).toBe('');
  });

  it('restores the terminal when a signal ends it', async () => {
    const environment = plainEnvironment(pit.home, { TERM: 'xterm', NO_COLOR: '1' });
    const command = startInProcess(['stream', 'ticker:btc_usdt'], environment, {
      ...{ columns: 80, program: exchange.program },
    });
    await eventually(() => expect(command.printed.stdout).toContain('29,046.17'));
    await command.interrupt();
    await command.ended;
    expect(
      command.printed.stdout
        .match(/\u001b\[\?(1049|25|7)[hl]/g)
        ?.slice(0, 6)
        .sort(),
    ).toEqual(['\u001b[?1049h', '\u001b[?1049l', '\u001b[?25h', '\u001b[?25l', '\u001b[?7h', '\u001b[?7l'].sort());
  });

  it('shows raw frames without what would move the cursor', async () => {
    const environment = plainEnvironment(pit.home, { TERM: 'xterm' });
    const command = startInProcess(['stream', 'ticker:btc_usdt', '--raw', '--count', '1'], environment, {
      ...{ columns: 80, program: exchange.program },
    });
    expect(await command.ended).toBe(0);
    expect(command.printed.stdout).toBe(`${TICKER}\n`);
  });
});
