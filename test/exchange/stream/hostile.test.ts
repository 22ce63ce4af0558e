import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Channel, StreamEvent } from '../../../src/exchange/stream/events.js';
import { anyText } from '../../support/any-text.js';
import { follow } from './support.js';

const CHANNELS: readonly Channel[] = [
  { kind: 'ticker', market: 'btc_usdt' },
  { kind: 'depth', market: 'btc_usdt' },
  { kind: 'trades', market: 'btc_usdt' },
  { kind: 'kline', market: 'btc_usdt', type: '1min' },
  { kind: 'orders', market: 'btc_usdt' },
  { kind: 'balances' },
  { kind: 'crossBalances' },
];

/** Frames that are right, to be made wrong in one place. */
const RIGHT = [
  '{"date":"1653781987181","ticker":{"high":"1","vol":"1","last":"1","low":"1","buy":"1","sell":"1","open":"1","riseRate":"1"},"channel":"btcusdt_ticker"}',
  '{"asks":[[2,1]],"bids":[[1,1]],"channel":"btcusdt_depth","timestamp":1653997711}',
  '{"data":[{"date":1653774784,"amount":"1","price":"1","trade_type":"ask","type":"sell","tid":1}],"channel":"btcusdt_trades"}',
  '{"datas":{"data":[[1653782100000,1,1,1,1,1]]},"channel":"btcusdt_kline_1min","isSuc":true}',
  '{"channel":"push_user_incr_record","market":"btcusdtdefault","record":[["1","1","1","0","0",1,1653782100000,0,"0"]]}',
  '{"channel":"push_user_incr_asset","coins":[{"key":"a","enName":"a","cnName":"a","showName":"a","unitTag":"a","unitDecimal":8,"fundstype":2,"available":"1","freez":"0","isCanRecharge":true,"isCanWithdraw":true,"canLoan":false}]}',
  '{"channel":"push_user_cross_asset","coins":[]}',
];

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'channel', 'length', 'then'];

const VALUES = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '[]',
    '{}',
    '""',
    '-1',
    '1e999',
    '1e-999',
    `"${'9'.repeat(2_000)}"`,
    '"\\u001b[2J\\u0007"',
  ),
  fc.constantFrom(
    '[[[]]]',
    '{"__proto__":{"x":1}}',
    '{"toString":1,"valueOf":2}',
    `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
  ),
  anyText({ maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 4 }),
  fc.bigInt().map(String),
);

/** A right frame with one of its values replaced, cut, doubled or named otherwise. */
const BENT = fc
  .record({
    frame: fc.constantFrom(...RIGHT),
    at: fc.nat(60),
    value: VALUES,
    name: fc.constantFrom(...NAMES),
    how: fc.nat(3),
  })
  .map(({ frame, at, value, name, how }) => {
    const places = [...frame.matchAll(/(?<=[:[,])("[^"]*"|-?[\d.]+|true|false)(?=[,\]}])/g)];
    const place = places[at % places.length];
    if (place === undefined || how === 0) return frame.slice(0, at * 3);
    const rest = frame.slice(place.index + place[0].length);
    if (how === 1) return `${frame.slice(0, -1)},"${name}":${value}}`;
    if (how === 2) return frame.replaceAll(place[0], value);
    return frame.slice(0, place.index) + value + rest;
  });

const FRAMES = fc.oneof(
  { weight: 6, arbitrary: BENT },
  { weight: 1, arbitrary: VALUES },
  { weight: 1, arbitrary: anyText({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'pong',
      'ping',
      '{}',
      '{',
      'null',
      "{'",
      "{'a':",
      'eJw=',
      'eAE',
      '{"channel":"pong"}',
      '{"code":1e9}',
      '{"success":false,"message":{}}',
    ),
  },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 200 }).map((text) => `eJ${text}`) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);

describe('2,000 kinds of hostile frames', () => {
  it('neither end the stream nor reach a reader as anything but data', async () => {
    const { exchange, stream, host } = await follow(CHANNELS);
    const peer = await exchange.peer();
    while (!peer.received.includes('ping')) await turn();
    const before = stream.unreadable;
    const types = new Set<string>();
    const reading = (async () => {
      for await (const event of stream) {
        types.add(event.type);
        if (event.type !== 'data') continue;
        // what is passed on is of the channels that were asked for, and its numbers are plain
        expect(CHANNELS).toContainEqual(event.channel);
        for (const text of numbersIn(event.data)) expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      }
    })();
    const frames = fc.sample(FRAMES, { numRuns: 2_000, seed: 15 });
    for (const frame of frames) peer.socket.send(frame);
    peer.send(RIGHT[0]?.replace('1653781987181', '1653781980000') ?? '');
    const pongs = () => peer.received.filter((text) => text === 'pong').length;
    const answered = pongs();
    peer.send('ping');
    while (pongs() === answered || !stream.unreadable) await host.advance(1);
    expect(stream.unreadable).toBeGreaterThan(before + 500);
    expect(stream.state).toBe('connected');
    expect(Reflect.get({}, 'x')).toBeUndefined();
    await stream.close();
    await reading;
    expect([...types].sort()).toEqual(['data', 'gap', 'refused', 'state']);
  });

  it('drops what a flood brings while nobody reads, and says so', async () => {
    const { exchange, stream } = await follow(CHANNELS);
    const peer = await exchange.peer();
    while (!peer.received.includes('ping')) await turn();
    const [, , trade = '', , order = ''] = RIGHT;
    // more than the most that wait of a channel
    const most = 1_500;
    for (let sent = 1; sent <= most; sent += 1) {
      peer.send(trade.replace('"tid":1', `"tid":${sent}`));
      peer.send(order.replace('[["1"', `[["${sent}"`));
      if (sent % 100 === 0) while (peer.socket.bufferedAmount > 0) await turn();
    }
    // all has been read when this is answered
    peer.send('ping');
    while (!peer.received.includes('pong')) await turn();
    const waiting: StreamEvent[] = [];
    let last = most;
    for await (const event of stream) {
      waiting.push(event);
      if (!('channel' in event) || event.channel?.kind !== 'orders') continue;
      if (event.type === 'gap') {
        // it may stand for all that was sent; what comes after it is passed on again
        last += 1;
        peer.send(order.replace('[["1"', `[["${last}"`));
      } else if (JSON.stringify(event).includes(`"id":"${last}"`)) break;
    }
    for (const kind of ['trades', 'orders'] as const) {
      const ofKind = waiting.filter((event) => 'channel' in event && event.channel?.kind === kind);
      expect(ofKind[0]).toMatchObject({ type: 'gap', gap: { permanent: true }, reason: 'the reader was too slow' });
      expect(ofKind.length).toBeLessThanOrEqual(1_003);
    }
  });
});

function numbersIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) => {
    if (/^(price|amount|filled|last|open|high|low|close|volume|available|frozen)$/.test(name))
      return typeof value === 'string' ? [value] : [];
    return numbersIn(value);
  });
}
