import { expect, it } from 'vitest';
import { streamSource } from '../../../src/commands/stream/stream-sections.js';
import type { Aged } from '../../../src/domain/aged.js';
import type { Channel, ExchangeStream, GapEvent, StateEvent } from '../../../src/exchange/stream/events.js';
import type { Host } from '../../../src/platform/host.js';
import { LivePicture } from '../../../src/terminal/live/live-picture.js';
import { zonedTime } from '../../../src/terminal/time.js';
import { terminal } from '../../terminal/screens.js';

const ORDERS: Channel = { kind: 'orders' };
const NOW = 1_653_781_987_181;
const MISSING = 'some events are missing';
const LOST = `some events before ${zonedTime(NOW)} are lost`;

function gap(resynchronised: boolean, permanent: boolean, channel = ORDERS): GapEvent {
  const gap = { from: NOW - 2_000, to: NOW, resynchronised, permanent };
  return { type: 'gap', channel, received: NOW, gap, reason: 'connection reset' };
}

const clock = { now: () => NOW, monotonic: () => 0 };

function pictureOf(channels: readonly Channel[], of: unknown, time: Pick<Host, 'now' | 'monotonic'> = clock) {
  return new LivePicture(streamSource(channels, of as ExchangeStream['of'], 'sandbox'), time);
}

function aged(value: unknown, more: object = {}): Aged<never> {
  const known = { value, time: NOW, received: NOW, ageMs: 0, isCurrent: true, source: 'stream', ...more };
  return known as Aged<never>;
}

/** The picture of orders after these gaps. */
function shownAfter(...gaps: readonly GapEvent[]): string {
  const picture = pictureOf([ORDERS], () => aged([]));
  for (const one of gaps) picture.take(one);
  return picture.show(terminal(120));
}

it('shows an open gap until the channel is complete again', () => {
  expect(shownAfter(gap(false, false))).toContain(MISSING);
  expect(shownAfter(gap(false, false), gap(true, false))).not.toContain(MISSING);
});

it('shows until when events were lost, instead of a gap that stays open', () => {
  const shown = shownAfter(gap(false, false), gap(false, true));
  expect([shown.includes(LOST), shown.includes(MISSING)]).toEqual([true, false]);
});

it('shows a later open gap first, and the lost events again after it', () => {
  expect(shownAfter(gap(false, true), gap(false, false))).toContain(MISSING);
  expect(shownAfter(gap(false, true), gap(false, false), gap(true, false))).toContain(LOST);
});

it('says of a ticker that it is not current while something of its channel is missing', () => {
  const channel: Channel = { kind: 'ticker', market: 'btc_usdt' };
  const data = { market: 'btc_usdt', time: NOW, bid: '1', ask: '3', last: '2', open: '2', high: '3', low: '1' };
  let isCurrent = true;
  const picture = pictureOf([channel], () => aged({ ...data, change: '0', volume: '9' }, { isCurrent }));
  expect(picture.show(terminal(120))).not.toContain('NOT CURRENT');
  isCurrent = false;
  expect(picture.show(terminal(120))).toContain('NOT CURRENT, under 1 s');
});

/** A picture of books, with a clock that is set by hand. */
function pictureOfBooks(...markets: readonly string[]) {
  const clock = { ms: 0, wallMs: NOW };
  const channels = markets.map((market) => ({ kind: 'depth', market }) as const);
  const books = new Map<string, { readonly at: number; readonly book: unknown }>();
  const of = ({ market }: { readonly market: string }) => {
    const known = books.get(market);
    return known && aged(known.book, { ageMs: clock.ms - known.at });
  };
  const picture = pictureOf(channels, of, {
    now: () => clock.wallMs,
    monotonic: () => clock.ms,
  });
  const push = (market: string, bids: readonly { readonly price: string; readonly amount: string }[]) => {
    books.set(market, { at: clock.ms, book: { time: NOW, bids, asks: [{ price: '30002', amount: '1' }] } });
  };
  const pass = (ms: number) => {
    clock.ms += ms;
    clock.wallMs += ms;
  };
  const lineOf = (words: string, colour = false) =>
    picture
      .show(terminal(120, colour))
      .split('\n')
      .find((line) => line.includes(words));
  return { picture, clock, push, pass, lineOf };
}

it('marks what changed as a watch does: inverse, then underlined, then as the rest', () => {
  const { push, pass, lineOf } = pictureOfBooks('btc_usdt');
  push('btc_usdt', [{ price: '30001', amount: '2' }]);
  expect(lineOf('30,001', true)).not.toContain('\u001b[7m');
  push('btc_usdt', [{ price: '30001', amount: '3' }]);
  expect(lineOf('30,001', true)).toContain('\u001b[7m3');
  pass(1_500);
  expect(lineOf('30,001', true)).toContain('\u001b[4m3');
  pass(2_000);
  expect(lineOf('30,001', true)).not.toMatch(/\u001b\[[47]m/);
});

it('marks a change by a sign without colours, and nothing in the last picture', () => {
  const { picture, push, lineOf } = pictureOfBooks('btc_usdt');
  push('btc_usdt', [{ price: '30001', amount: '2' }]);
  lineOf('30,001');
  push('btc_usdt', [{ price: '30001', amount: '3' }]);
  expect(lineOf('30,001')).toContain('↑3');
  expect(picture.show(terminal(120), true)).not.toContain('↑');
});

it('never takes the same price in another book for a change', () => {
  const { push, lineOf } = pictureOfBooks('btc_usdt', 'btc_qc');
  push('btc_usdt', [{ price: '30001', amount: '2' }]);
  push('btc_qc', [{ price: '30001', amount: '5' }]);
  lineOf('30,001');
  expect(lineOf('30,001')).not.toMatch(/[↑↓*]/);
});

it('shows an age that is never smaller than the true one, even if the clock is set back', () => {
  const { clock, push, pass, lineOf } = pictureOfBooks('btc_usdt');
  push('btc_usdt', []);
  expect(lineOf('depth:btc_usdt')).toContain('changed under 1 s ago');
  pass(1_900);
  expect(lineOf('depth:btc_usdt')).toContain('changed 3 s ago');
  clock.wallMs -= 3_600_000;
  pass(120_000);
  expect(lineOf('depth:btc_usdt')).toContain('changed 3 min ago');
});

it('gives the room that one section leaves to the others, and stays within the window', () => {
  const { picture, push } = pictureOfBooks('btc_usdt', 'btc_qc', 'ltc_usdt');
  const levels = Array.from({ length: 30 }, (_, index) => ({ price: String(30_000 - index), amount: '1' }));
  push('btc_usdt', levels);
  push('btc_qc', levels);
  const shown = (height: number) => picture.show({ ...terminal(120), height });
  const bids = (text: string) => text.split('\n').filter((line) => line.startsWith('BID')).length;
  expect([60, 24].map((height) => bids(shown(height)))).toEqual([21, 3]);
  for (const height of [24, 40, 60, 90]) expect(shown(height).split('\n').length).toBeLessThanOrEqual(height);
});

it('says above all sections that the connection is lost and why, and draws what is not current faintly', () => {
  const book = { time: NOW, bids: [{ price: '30001', amount: '2' }], asks: [] };
  const channel: Channel = { kind: 'depth', market: 'btc_usdt' };
  let isCurrent = true;
  const picture = pictureOf([channel], () => aged(book, { isCurrent, ageMs: 4_000 }));
  const enter = (state: StateEvent['state'], reason: string | null = null) =>
    picture.take({ type: 'state', state, received: NOW, reason });
  const firstLine = () => picture.show(terminal(120)).split('\n')[0];
  expect(firstLine()).toBe('connecting · sandbox · q ends');
  enter('connected');
  expect(firstLine()).toBe('stream · sandbox · q ends');
  enter('reconnecting', 'connection reset');
  isCurrent = false;
  expect(firstLine()).toBe('NOT CURRENT · connection lost, reconnecting · connection reset · sandbox · q ends');
  enter('connecting');
  expect(firstLine()).toContain('NOT CURRENT');
  const shown = picture.show(terminal(120, true));
  expect(shown).toContain('NOT CURRENT: 5 s old');
  const faint = shown.split('\n').find((line) => line.includes('30,001'));
  expect(faint?.match(/\u001b\[[\d;]*m/g)).toEqual(['\u001b[38;5;243m', '\u001b[39m']);
});
