import { listing } from '../cli/answers.js';
import { define, flag, required } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import * as origin from '../exchange/origins.js';
import { grouped, type Side, sideColumn } from '../terminal/cells.js';
import { isoTime, localTime, timeTitle } from '../terminal/time.js';
import { idNumber, marketName } from './inputs.js';

export default define({
  summary: 'List public trades, oldest first',
  arguments: { market: required('the market', marketName) },
  flags: {
    since: flag('--since <trade-id>', 'list the 50 trades after this one (default: the newest)', idNumber('--since')),
  },
  examples: ['trades btc_usdt', 'trades btc_usdt --since 1700000000000000000 --json'],
  output: shape.list(
    shape.record({
      id: shape.id('of the trade', origin.TRADE.id),
      time: shape.time('', origin.TRADE.time),
      market: shape.text(''),
      side: shape.oneOf(['buy', 'sell'], 'of the taker', origin.TRADE.side),
      price: shape.decimal('in the quote coin', origin.TRADE.price),
      amount: shape.decimal('in the base coin', origin.TRADE.amount),
    }),
  ),
  async run({ session }, { market, since }) {
    const { base, quote } = await (await session.markets()).find(market);
    const client = await session.client();
    const trades = await client.trades(market, since);
    // the exchange may send either order; at the same time the smaller id is older
    const ordered = trades.toSorted((left, right) => left.time - right.time || compareIds(left.id, right.id));
    return listing({
      rows: ordered.map(({ id, time, side, price, amount }) => ({
        id,
        time: isoTime(time),
        market,
        side,
        price,
        amount,
      })),
      fields: ['id', 'time', 'market', 'side', 'price', 'amount'],
      columns: [
        { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 4 },
        sideColumn((row: { side: Side }) => row.side, { importance: 6 }),
        {
          title: `price (${quote})`,
          value: ({ price }) => grouped(price),
          align: 'decimal',
          importance: 6,
          paint: (text, { side }, paint) => paint[side === 'buy' ? 'bid' : 'ask'](text),
        },
        { title: `amount (${base})`, value: ({ amount }) => grouped(amount), align: 'decimal', importance: 5 },
        {
          title: 'id',
          value: ({ id }) => id,
          align: 'right',
          importance: 2,
          paint: (text, _, paint) => paint.faint(text),
        },
      ],
      empty: `No trades in ${market}${since === undefined ? '' : ` after ${since}`}.`,
    });
  },
});

function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
