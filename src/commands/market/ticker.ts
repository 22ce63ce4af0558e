import { listing } from '../../cli/answers.js';
import { flag, several } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Ticker } from '../../domain/market-data.js';
import { changeColumn } from '../../terminal/cells.js';
import type { Column } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { unknownCoinNote } from '../inputs/coin-filter.js';
import { coinName, marketName, oneOf } from '../inputs/parsers.js';
import { leftOutFailure } from '../listings/left-out.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { type Context, define } from '../session/command.js';

export const TICKER = {
  market: shape.outsideText(''),
  time: shape.nullable(shape.time('null in a list of all')),
  bid: shape.nullable(shape.decimal('best bid')),
  ask: shape.nullable(shape.decimal('best ask')),
  last: shape.nullable(shape.decimal('price of the last trade')),
  open: shape.nullable(shape.decimal('')),
  high: shape.nullable(shape.decimal('')),
  low: shape.nullable(shape.decimal('')),
  change: shape.nullable(shape.decimal('over 24 hours, in percent')),
  volume: shape.nullable(shape.decimal('over 24 hours, in the base coin')),
};

type Row = shape.InferFields<typeof TICKER>;

type Sorting = 'change' | 'volume' | 'market';

/** Up to this many markets take one request each, which also gives the time; more come from one request for all. */
const MAX_SINGLE_REQUESTS = 3;

export default define({
  summary: 'Show last price, best bid and ask, and daily change',
  arguments: { markets: several('the markets (default: all)', marketName) },
  flags: {
    quote: flag('--quote <coin>', 'list only markets priced in this coin', coinName, { excludes: ['markets'] }),
    sort: flag(
      '--sort <order>',
      'sort by change or volume, largest first, or by market',
      oneOf('--sort', 'change', 'volume', 'market'),
    ),
    watch: watchFlag(),
  },
  examples: ['ticker', 'ticker btc_usdt eth_usdt', 'ticker --quote usdt --sort change', 'ticker btc_usdt --watch'],
  output: shape.array(shape.object(TICKER)),
  async run(context, { markets, quote, sort, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const wanted = await chosenMarkets(context, markets, quote);
    const areNamed = markets.length > 0;
    const read = async () =>
      answerOf(
        wanted.length <= MAX_SINGLE_REQUESTS && areNamed
          ? await readEach(context, wanted)
          : await readAll(context, wanted),
        sort,
      );
    if (!isWatched) {
      const failure = areNamed ? undefined : leftOutFailure(await (await context.session.markets()).leftOut());
      return failure === undefined ? read() : { ...(await read()), failure };
    }
    // all markets come from one request; channels would be one subscription for each
    if (!areNamed) return watch(context, read);
    const channels = wanted.map(({ market }) => ({ kind: 'ticker', market }) as const);
    return watch(context, read, {
      channels,
      answer: (value) =>
        answerOf(
          channels.map((channel) => tickerRow(channel.market, value(channel))),
          sort,
        ),
    });
  },
});

function answerOf(rows: readonly Row[], sort: Sorting | undefined) {
  return listing({
    rows: sort === undefined ? rows : sorted(rows, sort),
    row: shape.object(TICKER),
    columns: TICKER_COLUMNS,
    empty: 'No matching market.',
  });
}

const column = fieldColumns<Row>(shape.object(TICKER));

export const TICKER_COLUMNS: readonly Column<Row>[] = [
  column('market', {
    rowKey: (row) => row.market,
    importance: 9,
    paint: (text, _, paint) => paint.strong(text),
  }),
  column('last', { importance: 8 }),
  changeColumn((row: Row) => row.change, { importance: 7 }),
  column('bid', { importance: 6, paint: (text, _, paint) => paint.bid(text) }),
  column('ask', { importance: 6, paint: (text, _, paint) => paint.ask(text) }),
  column('volume', { importance: 3 }),
  column('high', { importance: 2 }),
  column('low', { importance: 2 }),
  column('open', { importance: 1 }),
];

async function chosenMarkets(
  { session, output }: Context,
  names: readonly string[],
  quote: string | undefined,
): Promise<Market[]> {
  const catalog = await session.markets();
  if (names.length === 0) {
    const all = await catalog.all();
    const unknown = unknownCoinNote(all, { quote });
    if (unknown !== undefined) output.warn(unknown);
    return all.filter((market) => (quote ?? market.quote) === market.quote);
  }
  return Promise.all([...new Set(names)].map((name) => catalog.find(name)));
}

async function readEach({ session }: Context, markets: readonly Market[]): Promise<Row[]> {
  const client = await session.exchange();
  return Promise.all(markets.map(async ({ market }) => tickerRow(market, await client.ticker({ market }))));
}

export function tickerRow(market: string, { time, ...ticker }: Ticker & { readonly time: number | null }): Row {
  return { market, time: time === null ? null : isoTime(time), ...ticker };
}

/** Of a market that the list of tickers lacks. */
const NO_TICKER: Ticker = {
  ...{ bid: null, ask: null, last: null, open: null },
  ...{ high: null, low: null, change: null, volume: null },
};

async function readAll({ session }: Context, markets: readonly Market[]): Promise<Row[]> {
  const client = await session.exchange();
  const tickers = await client.tickers();
  return markets.map(({ market }) => ({ market, time: null, ...(tickers.of(market) ?? NO_TICKER) }));
}

function sorted(rows: readonly Row[], order: Sorting): Row[] {
  if (order === 'market') return rows.toSorted((left, right) => (left.market < right.market ? -1 : 1));
  return rows.toSorted((left, right) => compare(right[order], left[order]));
}

function compare(left: string | null, right: string | null): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1;
  return Decimal.of(left).compare(Decimal.of(right));
}
