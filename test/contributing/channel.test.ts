import { expect, it, vi } from 'vitest';
import type { Ticker } from '../../src/domain/market-data.js';
import type { Channel, ChannelKind } from '../../src/exchange/exchange.js';
import type { MARKET_FEEDS as Feeds } from '../../src/sandbox/streams/market-feeds.js';
import { useWorld } from '../commands/pit-home.js';

// what CONTRIBUTING says of a channel: a description, and a row in each of three tables
vi.mock('../../src/exchange/channels/market-data.js', async (original) => {
  const module = await original<typeof import('../../src/exchange/channels/market-data.js')>();
  const { template: _, word: __, ...ticker } = module.MARKET_CHANNELS.ticker;
  const lately = { ...ticker, template: '{market}_lately', word: 'lately' };
  return { ...module, MARKET_CHANNELS: { ...module.MARKET_CHANNELS, lately } };
});

vi.mock('../../src/exchange/channels/followed.js', async (original) => {
  const module = await original<typeof import('../../src/exchange/channels/followed.js')>();
  const { MARKET_CHANNELS } = await import('../../src/exchange/channels/market-data.js');
  Object.assign(module.FOLLOWED, { lately: (MARKET_CHANNELS as Readonly<Record<string, unknown>>).lately });
  return module;
});

vi.mock('../../src/sandbox/streams/market-feeds.js', async (original) => {
  const module = await original<{ MARKET_FEEDS: typeof Feeds }>();
  const { StateFeed } = await import('../../src/sandbox/streams/feed.js');
  const lately: typeof Feeds.ticker = ({ exchange, market, channel }) =>
    new StateFeed({ channel, kind: 'lately' as 'ticker', topics: [], pace: 'market' }, () => {
      const { last, bid, ask } = exchange.market.ticker(market);
      const text = JSON.stringify({ ticker: { last, buy: bid, sell: ask }, date: '1', channel });
      return { comparable: text, text };
    });
  Object.assign(module.MARKET_FEEDS, { lately });
  return module;
});

vi.mock('../../src/commands/stream/channel-views.js', async (original) => {
  const module = await original<typeof import('../../src/commands/stream/channel-views.js')>();
  const shape = await import('../../src/cli/shapes.js');
  const row = shape.object({ market: shape.text('of the ticker'), lately: shape.nullable(shape.decimal('the price')) });
  const view: ReturnType<typeof module.viewOf> = {
    row,
    rows: (data, channel) => [{ market: (channel as { market: string }).market, lately: (data as Ticker).last }],
    size: () => 1,
    show: (_, data) => `lately ${(data as Ticker).last}`,
  };
  return {
    viewOf: (kind: ChannelKind) => (kind === ('lately' as ChannelKind) ? view : module.viewOf(kind)),
    DOCUMENTS: [...module.DOCUMENTS, shape.array(row)],
    ROWS: [...module.ROWS, row],
  };
});

const [{ channelName, CHANNEL_FORMS }, { channelKey, isPrivate }, { interfacePage }] = await Promise.all([
  import('../../src/commands/stream/channel-words.js'),
  import('../../src/exchange/channels/followed.js'),
  import('../../src/exchange/interface-page.js'),
]);

const pit = useWorld();

it('a channel that is added to the tables is parsed, completed, named in help, messages and the page of the interface', async () => {
  const channel: Channel = channelName('lately:BTC_USDT');
  expect(channel).toEqual({ kind: 'lately', market: 'btc_usdt' });
  expect([channelKey(channel), isPrivate(channel)]).toEqual(['lately:btc_usdt', false]);
  expect(channelName.completes).toMatchObject({ starts: expect.arrayContaining(['lately:']) });
  expect(CHANNEL_FORMS).toContain('lately:M');
  expect(() => channelName('latly:btc_usdt')).toThrow('Did you mean lately:btc_usdt?');
  expect(() => channelName('lately')).toThrow('names no market');
  expect(await pit.done('stream --help')).toContain('lately:M');
  expect(interfacePage()).toContain('lately');
});

it('a channel that is added to the tables is subscribed to, served by the sandbox, and printed in its form', async () => {
  const { last } = (await pit.json<readonly Ticker[]>('ticker btc_usdt'))[0] ?? {};
  expect(await pit.json('stream lately:btc_usdt --count 1')).toMatchObject({
    channel: 'lately:btc_usdt',
    source: 'push',
    data: [{ market: 'btc_usdt', lately: last }],
  });
  const { header, rows } = await pit.csv('stream lately:btc_usdt --count 1');
  expect([header, rows.length]).toEqual(['channel,time,received,source,scope,skipped,data.market,data.lately', 1]);
});
