import { listing } from '../../cli/answers.js';
import { flag, optional } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import type { Market } from '../../domain/market.js';
import type { Column } from '../../terminal/table.js';
import { unknownCoinNote } from '../inputs/coin-filter.js';
import { coinName, marketName } from '../inputs/parsers.js';
import { leftOutFailure } from '../listings/left-out.js';
import { define } from '../session/command.js';

/** A market and the rules of its orders. */
export const MARKET = shape.object({
  market: shape.outsideText('its name: base_quote'),
  base: shape.outsideText('the traded coin'),
  quote: shape.outsideText('the coin of prices'),
  priceScale: shape.integer('decimals in a price'),
  amountScale: shape.integer('decimals in an amount'),
  tickSize: shape.decimal('smallest step of a price'),
  lotSize: shape.decimal('smallest step of an amount'),
  minAmount: shape.decimal('smallest order in the base coin'),
  minNotional: shape.decimal('smallest order in the quote coin'),
});

export default define({
  summary: 'List markets with tick sizes, lot sizes and minimums',
  arguments: { market: optional('the market (default: all)', marketName) },
  flags: {
    base: flag('--base <coin>', 'list only markets for this coin', coinName, { excludes: ['market'] }),
    quote: flag('--quote <coin>', 'list only markets priced in this coin', coinName, { excludes: ['market'] }),
  },
  examples: ['markets', 'markets --quote usdt', 'markets btc_usdt --json'],
  output: shape.array(MARKET),
  async run(context, { market, base, quote }) {
    const { session, output } = context;
    const catalog = await session.markets();
    const markets = market === undefined ? await catalog.all() : [await catalog.find(market)];
    const unknown = unknownCoinNote(markets, { base, quote });
    if (unknown !== undefined) output.warn(unknown);
    const rows = markets.filter((row) => (base ?? row.base) === row.base && (quote ?? row.quote) === row.quote);
    // without a name, a filter does not show which of them are meant
    const failure = market === undefined ? leftOutFailure(await catalog.leftOut()) : undefined;
    const answer = listing({
      rows,
      row: MARKET,
      columns: COLUMNS,
      empty: 'No matching market.',
    });
    return failure === undefined ? answer : { ...answer, failure };
  },
});

const column = fieldColumns<Market>(MARKET);

const COLUMNS: readonly Column<Market>[] = [
  column('market', { importance: 5, paint: (text, _, paint) => paint.strong(text) }),
  column('tickSize', { title: 'tick size', importance: 4 }),
  column('lotSize', { title: 'lot size', importance: 4 }),
  column('minAmount', { title: 'min. amount', importance: 3 }),
  column('base', { importance: 2, paint: (text, _, paint) => paint.faint(text) }),
  column('minNotional', { title: 'min. value', importance: 3 }),
  column('quote', { importance: 2, paint: (text, _, paint) => paint.faint(text) }),
];
