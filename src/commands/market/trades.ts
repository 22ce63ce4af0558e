import { listing } from '../../cli/answers.js';
import { flag, required, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { compareIds, type Trade } from '../../domain/market-data.js';
import { SIDES } from '../../domain/order.js';
import { suggest } from '../../errors.js';
import { sideColumn } from '../../terminal/cells.js';
import type { Column } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { TRADE_FILE } from '../history/shapes.js';
import { filePath, idNumber, marketName } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { forceFlag } from '../named-files/force.js';
import { define } from '../session/command.js';

/** How many trades the exchange lists. */
const NEWEST = 50;

export const TRADE = shape.object({
  id: shape.id('of the trade'),
  time: shape.time(''),
  market: shape.text(''),
  side: shape.enumOf(SIDES, 'of the taker'),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  orderSide: shape.nullable(shape.enumOf(SIDES, 'by a second field')),
});

export default define({
  summary: 'List public trades, oldest first',
  arguments: { market: required('the market', marketName) },
  flags: {
    since: flag('--since <trade-id>', 'list the 50 trades after this one (default: the newest)', idNumber('--since')),
    out: flag(
      '--out <file>',
      'download all trades after --since into this file: .csv, .ndjson or .parquet; - is stdout',
      filePath,
      { needs: ['--since'] },
    ),
    force: forceFlag('--out'),
    follow: toggle('--follow', 'go on with new trades until you stop it', { needs: ['--out'] }),
    watch: watchFlag('--since', '--out', '--follow'),
  },
  examples: [
    'trades btc_usdt',
    'trades btc_usdt --watch',
    'trades btc_usdt --since 1700000000000000000 --json',
    'trades btc_usdt --since 1700000000000000000 --out trades.csv',
  ],
  output: shape.anyOf(shape.array(TRADE), TRADE_FILE),
  row: TRADE,
  async run(context, { market, since, out, force, follow, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const { session } = context;
    const { base, quote } = await (await session.markets()).find(market);
    if (out !== undefined && since !== undefined) {
      const { downloadTrades } = await import('../history/trade-download.js');
      const { answerOrNote } = await import('../history/output-file.js');
      return answerOrNote(context, out, await downloadTrades(context, { market, since, follow }, out, force));
    }
    const client = await session.exchange();
    const answerOf = (trades: readonly Trade[]) =>
      listing({
        // the exchange may send either order; at the same time the smaller id is older
        rows: trades
          .toSorted((left, right) => left.time - right.time || compareIds(left.id, right.id))
          .map((trade) => tradeRow(market, trade)),
        row: TRADE,
        columns: tradeColumns(base, quote),
        empty: `No trades in ${market}${since === undefined ? '' : ` after ${since}`}.`,
        keeps: 'last',
      });
    const read = async () => {
      const trades = await client.trades(market, since);
      const newest = trades.toSorted((left, right) => compareIds(left.id, right.id)).at(-1);
      if (since !== undefined && newest !== undefined && trades.length >= NEWEST)
        context.output.warn([
          'This list ends after 50 trades: there may be newer ones.',
          suggest('Continue with', 'trades', market, '--since', newest.id),
        ]);
      return answerOf(trades);
    };
    if (!isWatched) return read();
    const channel = { kind: 'trades', market } as const;
    return watch(context, read, {
      channels: [channel],
      answer: (value) => answerOf(value(channel).slice(-NEWEST)),
    });
  },
});

type TradeRow = shape.Infer<typeof TRADE>;

export function tradeRow(market: string, { id, time, side, orderSide, price, amount }: Trade): TradeRow {
  return { id, time: isoTime(time), market, side, price, amount, orderSide };
}

const column = fieldColumns<TradeRow>(TRADE);

export function tradeColumns(base: string, quote: string): readonly Column<TradeRow>[] {
  return [
    column('time', { importance: 4 }),
    sideColumn((row: TradeRow) => row.side, { importance: 6 }),
    column('price', {
      title: `price (${quote})`,
      rowKey: ({ id }) => id,
      importance: 6,
      paint: (text, { side }, paint) => paint[side === 'buy' ? 'bid' : 'ask'](text),
    }),
    column('amount', { title: `amount (${base})`, importance: 5 }),
    column('id', { align: 'right', importance: 2, paint: (text, _, paint) => paint.faint(text) }),
  ];
}
