import { listing } from '../../cli/answers.js';
import { type Decimal, formatAmount } from '../../domain/decimal.js';
import { Basis, type BasisLine } from '../../trading/pnl/basis.js';
import { type CoinPnl, coinBooks } from '../../trading/pnl/coin-books.js';
import type { CoinBalance } from '../../trading/pnl/reconciliation.js';
import { readRates } from '../account/rates.js';
import type { Context } from '../session/command.js';
import { lotDates } from './lot-dates.js';
import { noteDueFees, warnOfRefusedCoins, warnOfUncertain, warnOfUndated, warnOfUnpriced } from './remarks.js';
import { costsIn, decimalsOf, endPrices, onlyQuote, type PnlAnswer, type PnlRequest } from './request.js';
import { COIN_LOT_ROW, type CoinLotRow, type CoinRow, coinLotRow, coinRow, coinTotalRow } from './rows.js';
import { unexplainedFailure } from './unexplained.js';
import { COIN_LOT_COLUMNS, showCoins } from './view.js';

/** Profit and loss with one queue of lots for each coin over all markets. */
export async function byCoin(
  context: Context,
  request: PnlRequest,
): Promise<PnlAnswer<readonly CoinRow[] | readonly CoinLotRow[]>> {
  const { names, method, feesAre, listsLots, window, zone, basis, history, markets, prices } = request;
  const { matched, readAt } = history;
  const fills = matched.fills.filter(({ time }) => time < window.to);
  const unit = request.unit ?? onlyQuote(fills);
  await prices.loadForTrades(fills, () => unit);
  const lines = basis?.lines ?? [];
  await prices.load(lines.map(({ costCoin, time }) => ({ coin: costCoin, unit, time })));
  const costOf = costsIn(unit, prices);
  const known = basis && new Basis(lines, costOf);
  const options = { window, method, fees: feesAre, pastValue: prices.value, readAt, unit, basis: known };
  const result = coinBooks(matched, options);
  const named = new Set(names.flatMap((name) => name.split('_')));
  const isShown = (coin: string) => named.size === 0 || named.has(coin);
  const books = result.books.filter(({ coin }) => isShown(coin));
  const coins = result.coins.filter(({ coin }) => isShown(coin));
  const undated = result.undated.filter(({ coin }) => isShown(coin));
  warnOfRefusedCoins(context, history.refusedCoins);
  warnOfUncertain(
    context,
    books.map(({ coin, uncertainAt }) => ({ name: coin, uncertainAt })),
  );
  noteCoinGaps(context, books, unit);
  noteDueFees(
    context,
    matched.due.filter(({ time }) => time >= window.from && time < window.to),
  );
  if (undated.length > 0) await warnOfUndated(context, undated);
  if (basis !== undefined && known !== undefined) warnOfBasis(context, basis, known, { costOf, unit });
  const failure = unexplainedFailure({ coins }, matched, markets);
  if (listsLots) {
    const dates = lotDates(zone);
    const options = { method, feesAre, dayOf: dates.dayOf };
    const rows = books.flatMap(({ coin, lots }) => lots.map((lot) => coinLotRow(coin, unit, lot, options)));
    const columns = COIN_LOT_COLUMNS(dates);
    return { answer: listing({ rows, row: COIN_LOT_ROW, columns, empty: 'Nothing was sold or left.' }), failure };
  }
  const rows = await valuedRows(context, request, { books, coins, unit });
  const decimals = decimalsOf(markets);
  return { answer: { data: rows, show: (screen) => showCoins(screen, rows, decimals, lotDates(zone)) }, failure };
}

interface ShownCoins {
  readonly books: readonly CoinPnl[];
  readonly coins: readonly CoinBalance[];
  /** The coin of the values. */
  readonly unit: string;
}

/** A row for each coin with what is held of it valued, at the end of the time or now, and the sums. Warns if a coin has no price. */
async function valuedRows(
  context: Context,
  request: PnlRequest,
  { books, coins, unit }: ShownCoins,
): Promise<CoinRow[]> {
  const { feesAre, client, markets } = request;
  const held = books.filter(({ position }) => position.amount.sign !== 0).map(({ coin }) => coin);
  const end = await endPrices(
    context,
    request,
    held.map((coin) => ({ coin, unit })),
  );
  const isCurrent = end === undefined && held.length > 0;
  const rates = isCurrent ? await readRates(client, markets, { coins: held, units: [unit] }) : undefined;
  const priceOf = (coin: string) => (end === undefined ? (rates?.value('1', coin, unit) ?? null) : end.of(coin, unit));
  const unpriced = held.filter((coin) => priceOf(coin) === null);
  if (unpriced.length > 0)
    context.output.warn(`The value of ${unpriced.join(', ')} in ${unit} is unknown, so there is no total.`);
  return [
    ...books.map((book) => {
      const pricedBy = end?.candlesOf(book.coin, unit);
      return coinRow(book, priceOf(book.coin), { unit, feesAre, pricedAt: end?.time, pricedBy });
    }),
    coinTotalRow(books, coins, { unit, feesAre, priceOf }),
  ];
}

const GIVE_BASIS = 'Give what you paid for deposits and opening balances with --basis FILE.';

/** Names what has no cost or no price: it is in no sum. */
function noteCoinGaps(context: Context, books: readonly CoinPnl[], unit: string): void {
  const { output } = context;
  const uncovered = books.filter(({ withoutCost }) => withoutCost.amount.sign > 0);
  if (uncovered.length > 0)
    output.note([
      `Sold or paid without a known cost, and not in realised: ${uncovered.map(({ coin, withoutCost }) => `${formatAmount(withoutCost.amount)} ${coin}`).join(', ')}.`,
      GIVE_BASIS,
    ]);
  const held = books.filter(({ position }) => position.withoutCost.sign > 0);
  if (held.length > 0)
    output.note([
      `Held without a known cost, and not in unrealised: ${held.map(({ coin, position }) => `${formatAmount(position.withoutCost)} ${coin}`).join(', ')}.`,
      ...(uncovered.length > 0 ? [] : [GIVE_BASIS]),
    ]);
  const unpriced = books.filter(({ withoutPrice }) => withoutPrice.sign > 0);
  if (unpriced.length > 0)
    output.warn(
      `No price in ${unit} when they were sold or paid, so not in realised: ${unpriced.map(({ coin, withoutPrice }) => `${formatAmount(withoutPrice)} ${coin}`).join(', ')}.`,
    );
  const bought = books.filter(({ boughtValue }) => boughtValue === null).map(({ coin }) => coin);
  if (bought.length > 0)
    output.warn(`No price in ${unit} when some of it was bought, so its cost is unknown: ${bought.join(', ')}.`);
  for (const { coin, fees } of books) warnOfUnpriced(context, coin, fees);
}

interface BasisUse {
  readonly costOf: (line: BasisLine) => Decimal | null;
  readonly unit: string;
}

/** Names the lines that gave nothing a cost, and those whose own cost has no price. */
function warnOfBasis(
  { output }: Context,
  { file, lines }: { readonly file: string; readonly lines: readonly BasisLine[] },
  basis: Basis,
  { costOf, unit }: BasisUse,
): void {
  const unpriced = lines.filter((line) => costOf(line) === null);
  if (unpriced.length > 0)
    output.warn(
      `${file}: the costs of ${lineNumbers(unpriced)} have no price in ${unit} at their time, so they are unknown.`,
    );
  const unused = basis.unused();
  if (unused.length > 0)
    output.warn([
      `${file}: nothing that came in takes ${unused.map(({ line, amount }) => `${formatAmount(amount)} ${line.coin} of line ${line.line}`).join(', ')}.`,
      `A line gives a cost to deposits and other bills of its coin that are not earlier than its time. ${unit} itself has no cost.`,
    ]);
}

function lineNumbers(lines: readonly BasisLine[]): string {
  const numbers = lines.map(({ line }) => line).join(', ');
  return lines.length === 1 ? `line ${numbers}` : `lines ${numbers}`;
}
