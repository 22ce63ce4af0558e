import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { type Failure, usage } from '../../errors.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { haveSameRules, MARKETS, type MarketRules, SandboxMarket } from '../markets/market.js';
import { EventConverter, type MarketEvent, type MarketUpdate, marketOf } from './market-update.js';
import { type ReadingTerms, readTape, surveyTape, type TapeSurvey } from './read-tape.js';
import type { AmountScale } from './tape-documents.js';
import { badLine, isPast, type TapeEvent } from './tape-event.js';

/** The failure of a part of a tape in which nothing happens. */
export function emptyPart(): Failure {
  return usage('Nothing happens in this part of the tape.', 'Give another --from and --to, or another tape.');
}

/** How many rows wait for the disk while a tape is loaded. */
const ROWS_AT_ONCE = 5_000;

/** A tape that an exchange can replay as it is. */
export interface TapePlan extends TapeSurvey {
  /** Of the first and the last event, in milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'candles' | 'trades' | 'tape';
  /** Whether it needs a new exchange: it begins before the time of this one, or has other rules of its markets. */
  readonly restarts: boolean;
  /** Whether it only shows what happened before `from`. */
  readonly isPast: boolean;
  /** The rules that the tape has of its markets, if it has any, and the guessed ones. */
  readonly rules: readonly MarketRules[];
  /** Those that neither the tape nor an exchange has: with as many decimals as the tape shows, and without minimums. */
  readonly guessed: readonly MarketRules[];
  /** In milliseconds; 0 without candles. */
  readonly longestCandle: number;
  /** Of the markets by which it is replayed. */
  readonly amountScale: AmountScale;
}

/** The most decimals that the prices and amounts of a market have in a tape. */
interface SeenDecimals {
  readonly priceScale: number;
  readonly amountScale: number;
}

/** The decimals of an event and of those before it. */
function decimalsIn(event: MarketEvent, seen: SeenDecimals = { priceScale: 0, amountScale: 0 }): SeenDecimals {
  const [prices, amounts] = numbersIn(event);
  const most = (least: number, texts: readonly string[]) =>
    texts.reduce((scale, text) => Math.max(scale, Decimal.of(text).scale), least);
  return { priceScale: most(seen.priceScale, prices), amountScale: most(seen.amountScale, amounts) };
}

function numbersIn(event: MarketEvent): readonly [prices: readonly string[], amounts: readonly string[]] {
  if (event.kind === 'depth') {
    const levels = [...event.bids, ...event.asks];
    return [levels.map(({ price }) => price), levels.map(({ amount }) => amount)];
  }
  if (event.kind === 'past') return [[event.open, event.high, event.low, event.close], [event.volume]];
  return [[event.price], [event.amount]];
}

function guessedRules(name: string, { priceScale, amountScale }: SeenDecimals): MarketRules {
  const { base = '', quote = '' } = splitMarket(name) ?? {};
  return { name, base, quote, priceScale, amountScale, minAmount: '0', minNotional: '0' };
}

/**
 * Reads all of a tape, and checks that its markets can have all of its numbers. Throws Failure `usage` with file and line at the first
 * fault.
 * @param now the time of the exchange that is to follow it (ms): if the tape begins earlier, or has other rules of its markets, a new one
 *   follows it, by the rules of the tape
 * @param markets those of the exchange
 */
export async function planTape(
  files: readonly string[],
  terms: ReadingTerms,
  now: number,
  markets: ReadonlyMap<string, SandboxMarket>,
): Promise<TapePlan> {
  const rules = new Map<string, SandboxMarket>();
  const converter = new EventConverter();
  const kinds = new Set<TapeEvent['kind']>();
  let isEarlier: boolean | undefined;
  let hasOtherRules = false;
  let isAllPast = true;
  let longestCandle = 0;
  const unknown = new Map<string, SeenDecimals>();
  const marketNamed = (name: string) =>
    rules.get(name) ?? (isEarlier ? undefined : markets.get(name)) ?? MARKETS.get(name);
  const survey = await surveyTape(files, terms, (event) => {
    if (event.kind === 'gap') return;
    isEarlier ??= event.time < now;
    const known = markets.get(event.market);
    if (event.kind === 'config') {
      rules.set(event.market, marketOf(event));
      hasOtherRules ||= known !== undefined && !haveSameRules(known, event.rules);
    } else {
      kinds.add(event.kind);
      if (event.kind === 'candle') longestCandle = Math.max(longestCandle, event.length);
      isAllPast &&= isPast(event);
      const market = marketNamed(event.market);
      if (market !== undefined) converter.convert(event, market);
      else unknown.set(event.market, decimalsIn(event, unknown.get(event.market)));
    }
  });
  const guessed = [...unknown].filter(([name]) => !rules.has(name)).map(([name, seen]) => guessedRules(name, seen));
  for (const market of guessed) rules.set(market.name, new SandboxMarket(market));
  const { from, to } = survey;
  if (from === undefined || to === undefined || isEarlier === undefined) {
    if (terms.from !== undefined || terms.to !== undefined) throw emptyPart();
    throw badLine(
      { file: files[0] ?? '', line: 1 },
      'is followed by nothing that moves a market',
      'Record depth, trades or kline.',
    );
  }
  const [kind] = kinds.size > 1 ? [] : kinds;
  return {
    ...survey,
    from,
    to,
    kind: kind === 'candle' ? 'candles' : kind === 'trade' ? 'trades' : 'tape',
    restarts: isEarlier || hasOtherRules,
    isPast: isAllPast,
    rules: [...rules.values()],
    guessed,
    longestCandle,
    amountScale: (name) => marketNamed(name)?.amountScale,
  };
}

/**
 * Stores what a tape does to the markets of an exchange, which follow it from then on. Nothing follows before everything is stored, so a
 * failure changes nothing. The number of rows.
 */
export async function loadTape(
  exchange: SandboxExchange,
  files: readonly string[],
  terms: ReadingTerms,
): Promise<number> {
  const loaded = exchange.replays.load();
  const converter = new EventConverter();
  const rows = new Map<string, { readonly line: string; readonly updates: MarketUpdate[] }>();
  let waiting = 0;
  for await (const event of readTape(files, terms)) {
    if (event.kind === 'config') exchange.replay.take(event);
    if (event.kind === 'config' || event.kind === 'gap') continue;
    const { market } = event;
    const line = `${event.file}:${event.line}`;
    const row = rows.get(market);
    const update = converter.convert(event, exchange.replay.marketOf(event));
    if (row?.line === line) row.updates.push(update);
    else {
      if (row !== undefined) loaded.add(market, row.updates);
      rows.set(market, { line, updates: [update] });
      waiting += 1;
    }
    if (waiting < ROWS_AT_ONCE) continue;
    waiting = 0;
    await exchange.durable();
  }
  for (const [market, row] of rows) loaded.add(market, row.updates);
  loaded.begin();
  return loaded.count;
}
