import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ReadingTerms, readTape } from '../../../src/sandbox/replay/read-tape.js';
import type { TapeEvent } from '../../../src/sandbox/replay/tape-event.js';

/** Noon of a day; documents are dated from there. */
export const NOON = Date.UTC(2026, 0, 1, 12);

export const iso = (ms: number) => new Date(NOON + ms).toISOString();

export const RULES = {
  market: 'btc_usdt',
  base: 'btc',
  quote: 'usdt',
  priceScale: 2,
  amountScale: 6,
  tickSize: '0.01',
  lotSize: '0.000001',
  minAmount: '0.0001',
  minNotional: '1',
};

type Levels = readonly (readonly [price: string, amount: string])[];

const levels = (all: Levels) => all.map(([price, amount]) => ({ price, amount }));

/** A book as `pit stream --json` prints it. @param ms when it arrives; the exchange dates it in whole seconds */
export function depthLine(ms: number, bids: Levels, asks: Levels, market = 'btc_usdt') {
  const time = iso(Math.floor(ms / 1_000) * 1_000);
  const event = { time, received: iso(ms + 7), source: 'push', scope: 'snapshot', skipped: 0 };
  return { channel: `depth:${market}`, ...event, data: { market, time, bids: levels(bids), asks: levels(asks) } };
}

export interface TradeFields {
  readonly id: string;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
}

export function tradesLine(ms: number, trades: readonly TradeFields[], scope = 'delta', market = 'btc_usdt') {
  const time = iso(Math.floor(ms / 1_000) * 1_000);
  const data = trades.map(({ id, ...rest }) => ({ id, time, market, ...rest, orderSide: null }));
  return { channel: `trades:${market}`, time, received: iso(ms + 7), source: 'push', scope, skipped: 0, data };
}

export function klineLine(ms: number, candles: readonly object[], scope = 'delta', type = '1min', market = 'btc_usdt') {
  const event = { time: null, received: iso(ms + 7), source: 'push', scope, skipped: 0 };
  return { channel: `kline:${market}:${type}`, ...event, data: candles };
}

export function gapLine(from: number, to: number, channel = 'trades:btc_usdt') {
  const gap = { from: iso(from), to: iso(to), resynchronised: false, permanent: true };
  return { channel, gap, reason: 'nothing was recorded' };
}

export const trade = (id: string, side = 'buy', price = '100.00', amount = '0.500000'): TradeFields => ({
  id,
  side,
  price,
  amount,
});

/** A folder that is removed after the test. */
export function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'pit-tape-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export function textOf(lines: readonly (object | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

export function fileOf(lines: readonly (object | string)[] | Buffer, name = 'tape.ndjson', where = folder()): string {
  const file = path.join(where, name);
  writeFileSync(file, Buffer.isBuffer(lines) ? lines : textOf(lines));
  return file;
}

export async function eventsOf(files: string | readonly string[], terms: ReadingTerms = {}): Promise<TapeEvent[]> {
  const events: TapeEvent[] = [];
  for await (const event of readTape([files].flat(), terms)) events.push(event);
  return events;
}
