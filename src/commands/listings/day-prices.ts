import type { Candle, CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { paintChange } from '../../terminal/cells.js';
import { sparkline } from '../../terminal/charts/sparkline.js';
import type { Output } from '../../terminal/output.js';
import type { Column } from '../../terminal/table.js';
import type { Context } from '../session/command.js';

/** The prices of the last 24 hours, oldest first, of a market for which they are known. */
export type DayPrices = (market: string) => readonly string[] | undefined;

const HOURS = 24;
const HOUR_MS = 3_600_000;
const MAX_MARKETS = 200;
const WIDTH = 12;

/** The closing prices of the last 24 hourly candles; undefined for fewer or other candles. */
export function dayOf(type: CandleType, candles: readonly Candle[]): readonly string[] | undefined {
  if (type !== '1hour' || candles.length < HOURS) return undefined;
  return candles.slice(-HOURS).map(({ close }) => close);
}

/** Remembers what was read of a market's last 24 hours, so that other commands can draw it without a request. */
export async function keepDay(context: Pick<Context, 'session' | 'host'>, market: string, prices: readonly string[]) {
  const key = await keyOf(context);
  const others = linesOf(context.session.cache.read(key)?.value).filter(({ name }) => name !== market);
  const lines = [{ name: market, at: context.host.now(), prices }, ...others].slice(0, MAX_MARKETS);
  const text = lines.map(({ name, at, prices }) => `${name} ${at} ${prices.join(',')}`).join('\n');
  await context.session.cache.write(key, text);
}

/** What was read within the last hour; nothing in a pipe, where it is not drawn. Asks the exchange nothing. */
export async function knownDays(context: Pick<Context, 'session' | 'host' | 'output'>): Promise<DayPrices> {
  const { format, screen } = context.output;
  if (format !== 'table' || screen.width === Number.POSITIVE_INFINITY) return () => undefined;
  const now = context.host.now();
  const lines = linesOf(context.session.cache.read(await keyOf(context))?.value);
  const days = new Map(
    lines.filter(({ at }) => now >= at && now - at < HOUR_MS).map((line) => [line.name, line.prices]),
  );
  return (market) => days.get(market);
}

/** The columns and, if the last 24 hours of any row are known, one that draws them. */
export function withDay<Row>(
  output: Output,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  pricesOf: (row: Row) => readonly string[] | undefined,
  importance: number,
): readonly Column<Row>[] {
  if (rows.every((row) => pricesOf(row) === undefined)) return columns;
  const { symbols } = output.screen;
  const day: Column<Row> = {
    title: '24 h',
    value: (row) => {
      const prices = pricesOf(row);
      return prices === undefined ? null : sparkline(prices, WIDTH, symbols);
    },
    paint: (text, row, paint) => {
      const prices = pricesOf(row) ?? [];
      const [first, last] = [prices[0], prices.at(-1)];
      if (first === undefined || last === undefined) return text;
      return paintChange(text, Decimal.of(last).minus(Decimal.of(first)).toString(), paint);
    },
    importance,
    onScreenOnly: true,
  };
  return [...columns, day];
}

async function keyOf({ session }: Pick<Context, 'session'>): Promise<string> {
  const { baseUrl } = await session.profile.connection();
  return `days ${baseUrl ?? 'sandbox'}`;
}

const LINE = /^(?<name>[a-z0-9_]{3,41}) (?<at>\d{1,15}) (?<prices>\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)$/;

function linesOf(text = ''): { readonly name: string; readonly at: number; readonly prices: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const { name, at, prices } = LINE.exec(line)?.groups ?? {};
    return name === undefined || prices === undefined ? [] : [{ name, at: Number(at), prices: prices.split(',') }];
  });
}
