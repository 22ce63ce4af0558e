import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/exchange/stream/events.js';
import { DEPTH, depth, httpDepth, httpKline, httpTicker, KLINE, kline, TICKER, ticker, until } from './frames.js';
import { follow } from './support.js';

/** A frame of each channel with a negative number, the channel's state over HTTP, and the field that is wrong. */
const NEGATIVE: readonly (readonly [
  channel: Channel,
  frame: string,
  http: Record<string, () => string>,
  field: string,
])[] = [
  [TICKER, ticker('-29046.17'), { ticker: () => httpTicker('5') }, 'ticker.last'],
  [DEPTH, depth('-32380.10'), { depth: () => httpDepth('32380.10') }, 'bids'],
  [DEPTH, depth('32380.10').replace('0.0062', '-0.0062'), { depth: () => httpDepth('32380.10') }, 'asks'],
  [
    KLINE,
    kline('[1653782100000,29055.22,29055.22,29030.81,29032.9,-19.3]'),
    { kline: () => httpKline('[1653782100000,1,1,1,1,1]') },
    'datas.data.0.5',
  ],
];

describe('a pushed price or amount below zero', () => {
  it.each(NEGATIVE)(
    'is reported as a gap of %j that names the field, and is not passed on: %s',
    async (channel, frame, http, field) => {
      const { exchange, next, stream } = await follow([channel], http);
      const peer = await exchange.peer();
      await next();
      peer.send(frame);
      await until(() => stream.unreadable === 1);
      const event = await next();
      expect(event).toMatchObject({ type: 'gap', reason: expect.stringContaining(`: field "${field}"`) });
      expect(JSON.stringify(stream.of(channel))).not.toContain('"-');
    },
  );
});
