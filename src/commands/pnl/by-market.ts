import { listing } from '../../cli/answers.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Screen } from '../../terminal/screen.js';
import type { AccountTotals } from '../../trading/pnl/kept-totals.js';
import { type AccountPnl, type MarketTotals, profitAndLoss } from '../../trading/pnl/profit-and-loss.js';
import type { AccountReading } from '../../trading/pnl/read-history.js';
import { readRates } from '../account/rates.js';
import type { Context } from '../session/command.js';
import { lotDates } from './lot-dates.js';
import { noteDueFees, warnOfRefusedCoins, warnOfUncertain, warnOfUndated, warnOfUnpriced } from './remarks.js';
import { decimalsOf, endPrices, type PnlAnswer, type PnlQuestion, type PnlRequest } from './request.js';
import { LOT_ROW, type LotRow, lotRow, marketRow, type PnlRow, totalRow } from './rows.js';
import { unexplainedFailure } from './unexplained.js';
import { LOT_COLUMNS, showPnl } from './view.js';

/** Profit and loss with the lots of each market by itself. */
export async function byMarket(
  context: Context,
  request: PnlRequest,
): Promise<PnlAnswer<readonly PnlRow[] | readonly LotRow[]>> {
  const { names, method, feesAre, listsLots, window, zone, history, markets, prices } = request;
  const { matched, readAt } = history;
  const isShown = (market: string) => names.length === 0 || names.includes(market);
  // with fees in costs, those of earlier fills count too
  const valued = matched.fills.filter(
    ({ market, time }) => isShown(market) && time < window.to && (feesAre === 'in' || time >= window.from),
  );
  await prices.loadForTrades(valued, ({ quote }) => quote);
  const { markets: books, ...rest } = profitAndLoss(matched, {
    ...{ window, method, fees: feesAre, pastValue: prices.value, readAt },
  });
  const due = matched.due.filter(({ time }) => time >= window.from && time < window.to);
  // those of some markets have loaded the prices of these alone, and the others of now may change
  if (names.length === 0 && prices.areFinal)
    await request.keepTotals?.({ markets: books.map(({ lots: _, ...totals }) => totals), ...rest, due });
  const shown = chosen({ markets: books, ...rest, due }, names);
  await noteGaps(context, history, shown);
  const dates = lotDates(zone);
  const options = { method, feesAre, dayOf: dates.dayOf };
  const answer = listsLots
    ? listing({
        rows: shown.markets.flatMap(({ market, lots }) => lots.map((lot) => lotRow(market, lot, options))),
        row: LOT_ROW,
        columns: LOT_COLUMNS(dates),
        empty: 'Nothing was sold.',
      })
    : await pnlAnswer(context, request, shown, (pairs) => endPrices(context, request, pairs));
  return { answer, failure: unexplainedFailure(shown, matched, markets) };
}

/** The same by the totals that were kept when the bills added up. */
export async function byKeptTotals(
  context: Context,
  question: PnlQuestion,
  { totals, ...reading }: AccountReading & { readonly totals: AccountTotals },
) {
  const shown = chosen(totals, question.names);
  await noteGaps(context, reading, shown);
  return pnlAnswer(context, question, shown, async () => undefined);
}

/** The markets that were named, with the bills of their coins. */
function chosen<OfMarket extends MarketTotals>(
  result: AccountPnl<OfMarket> & Pick<AccountTotals, 'due'>,
  names: readonly string[],
): AccountPnl<OfMarket> & Pick<AccountTotals, 'due'> {
  if (names.length === 0) return result;
  const { markets, coins, undated, due } = result;
  const named = new Set(names.flatMap((name) => name.split('_')));
  return {
    markets: markets.filter(({ market }) => names.includes(market)),
    coins: coins.filter(({ coin }) => named.has(coin)),
    undated: undated.filter(({ coin }) => named.has(coin)),
    due: due.filter(({ market }) => names.includes(market)),
  };
}

async function pnlAnswer(
  context: Context,
  request: PnlQuestion,
  { markets, coins }: AccountPnl<MarketTotals>,
  endOf: (pairs: Parameters<typeof endPrices>[2]) => ReturnType<typeof endPrices>,
) {
  const { output } = context;
  const { client, markets: all, feesAre } = request;
  const unit = request.unit ?? commonQuote(markets) ?? 'usdt';
  const quotes = [...new Set(markets.map(({ quote }) => quote))];
  const end = await endOf([
    ...markets.map(({ base, quote }) => ({ coin: base, unit: quote })),
    ...quotes.map((coin) => ({ coin, unit })),
  ]);
  const tickers = markets.length === 0 || end !== undefined ? undefined : await client.tickers();
  const priceOf = ({ market, base, quote }: MarketTotals) => {
    if (end !== undefined) return end.of(base, quote);
    const last = tickers?.of(market)?.last ?? null;
    return last === null ? null : Decimal.of(last);
  };
  const isForeign = end === undefined && quotes.some((quote) => quote !== unit);
  const rates = isForeign ? await readRates(client, all, { coins: quotes, units: [unit] }) : undefined;
  const value = (amount: Decimal, quote: string) => {
    if (quote === unit) return amount;
    const price = end?.of(quote, unit);
    return price === undefined ? (rates?.value(amount.toString(), quote, unit) ?? null) : price && amount.times(price);
  };
  const unvalued = quotes.filter((quote) => value(Decimal.zero, quote) === null);
  if (unvalued.length > 0)
    output.warn(`The value of ${unvalued.join(', ')} in ${unit} is unknown, so there is no total.`);
  const rows = [
    ...markets.map((market) => {
      const pricedBy = end?.candlesOf(market.base, market.quote);
      return marketRow(market, priceOf(market), { feesAre, pricedAt: end?.time, pricedBy });
    }),
    totalRow(markets, coins, {
      ...{ unit, feesAre, value, priceOf },
      pricedBy: end && quotes.flatMap((quote) => end.candlesOf(quote, unit)),
    }),
  ];
  const decimals = decimalsOf(all);
  return { data: rows, show: (screen: Screen) => showPnl(screen, rows, decimals, lotDates(request.zone)) };
}

/** The quote coin of most markets. */
function commonQuote(markets: readonly MarketTotals[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { quote } of markets) counts.set(quote, (counts.get(quote) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Says what the figures leave out, and which are uncertain. */
async function noteGaps(
  context: Context,
  { refusedCoins }: AccountReading,
  { markets, undated, due }: AccountTotals,
): Promise<void> {
  const { output } = context;
  warnOfRefusedCoins(context, refusedCoins);
  warnOfUncertain(
    context,
    markets.map(({ market, uncertainAt }) => ({ name: market, uncertainAt })),
  );
  for (const { market, base, quote, withoutCost, fees } of markets) {
    const proceeds = withoutCost.proceeds === null ? '' : ` for ${formatAmount(withoutCost.proceeds)} ${quote}`;
    if (withoutCost.amount.sign > 0)
      output.note(
        `${market}: ${formatAmount(withoutCost.amount)} ${base} sold${proceeds} has no known cost and is not in realised: no buy in this market was left.`,
      );
    warnOfUnpriced(context, market, fees);
  }
  noteDueFees(context, due);
  if (undated.length > 0) await warnOfUndated(context, undated);
}
