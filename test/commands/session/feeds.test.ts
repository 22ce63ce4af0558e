import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createContext } from '../../../src/commands/session/context.js';
import { directoriesOf } from '../../../src/platform/files/directories.js';
import { Output } from '../../../src/terminal/output.js';
import { eventually } from '../../support/eventually.js';
import { fakeHost } from '../../support/fake-host.js';
import { useFrameServer } from '../stream/frame-server.js';

const TICKER =
  '{"date":"1653781987181","ticker":{"high":"3","vol":"9","last":"2","low":"1","buy":"2","sell":"2.5","open":"2","riseRate":"0"},"channel":"btcusdt_ticker"}';
const DEPTH = '{"asks":[[3,1]],"bids":[[2,1]],"channel":"btcusdt_depth","timestamp":1653997711}';

const exchange = useFrameServer({
  http: { '/data/v1/ticker': TICKER.replace('"last":"2"', '"last":"7"'), '/data/v1/depth': DEPTH },
  frames: { btcusdt_ticker: [TICKER], btcusdt_depth: [DEPTH] },
});

const ticker = { kind: 'ticker', market: 'btc_usdt' } as const;
const depth = { kind: 'depth', market: 'btc_usdt' } as const;

/** The session of a command with this profile. */
function sessionOf(profile: string) {
  const host = {
    ...fakeHost(),
    directories: directoriesOf(exchange.pit.home),
    ...{ now: Date.now, monotonic: () => performance.now() },
    sleep: (ms: number, cut?: AbortSignal) => delay(ms, undefined, { signal: cut }).catch(() => undefined),
  };
  const globals = { profile, format: 'table', fields: undefined, yes: false, dryRun: false, color: true } as const;
  const times = { timeoutMs: 30_000, isTimeoutGiven: false, verbose: false };
  return createContext(
    { host, globals: { ...globals, ...times }, output: new Output(host, 'table') },
    {},
    exchange.link,
  ).context.session;
}

async function feedsOf(profile: string, channels: Parameters<ReturnType<typeof sessionOf>['feeds']>[0]) {
  const feeds = await sessionOf(profile).feeds(channels);
  onTestFinished(() => feeds.close());
  return feeds;
}

describe('the feeds of a session', () => {
  beforeAll(async () => {
    const shown = await exchange.pit.json<{ baseUrl: string; tradeUrl: string }>('profile show literal');
    await exchange.pit.run(`profile add polled --base-url ${shown.baseUrl} --trade-url ${shown.tradeUrl}`);
  });

  it('takes channels that come and go over one connection', async () => {
    const feeds = await feedsOf('literal', [ticker]);
    await eventually(() => expect(feeds.of(ticker)?.isCurrent).toBe(true));
    expect(feeds.of(ticker)).toMatchObject({ value: { last: '2' }, source: 'stream', ageMs: expect.any(Number) });
    feeds.add(depth);
    await eventually(() => expect(feeds.of(depth)).toMatchObject({ source: 'stream', isCurrent: true }));
    feeds.remove(ticker);
    expect(feeds.of(ticker)).toBeUndefined();
    await eventually(() => expect(exchange.messages).toHaveLength(3));
    const sent = exchange.messages.map((message) => JSON.parse(message));
    expect(sent.map(({ event, channel }) => `${event} ${channel}`)).toEqual([
      'addChannel btcusdt_ticker',
      'addChannel btcusdt_depth',
      'removeChannel btcusdt_ticker',
    ]);
    expect(exchange.connections).toBe(1);
  });

  it('polls with a profile that has no address for streams', async () => {
    const feeds = await feedsOf('polled', [ticker]);
    expect(feeds.state).toBe('none');
    await eventually(() => expect(feeds.of(ticker)).toBeDefined());
    expect(feeds.of(ticker)).toMatchObject({ value: { last: '7' }, source: 'polling' });
  });

  it('refuses a channel of the account at once without a key', async () => {
    const keyless = expect.objectContaining({ kind: 'credentials' });
    await expect(feedsOf('polled', [{ kind: 'balances' }])).rejects.toEqual(keyless);
    const feeds = await feedsOf('polled', [ticker]);
    expect(() => feeds.add({ kind: 'balances' })).toThrow(keyless);
  });
});
