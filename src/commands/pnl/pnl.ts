import { listing } from '../../cli/answers.js';
import { flag, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Market } from '../../domain/market.js';
import { Failure, suggest } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { localTime } from '../../terminal/time.js';
import { METHODS } from '../../trading/pnl/lots.js';
import type { MatchedHistory } from '../../trading/pnl/match-bills.js';
import type { Movement } from '../../trading/pnl/movement.js';
import { readPastPrices } from '../../trading/pnl/past-prices.js';
import { type AccountPnl, type MarketPnl, profitAndLoss } from '../../trading/pnl/profit-and-loss.js';
import { type ReadHistory, readHistory } from '../../trading/pnl/read-history.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { readRates } from '../account/rates.js';
import { unknownCoin } from '../funds/refusal.js';
import { coinName, marketName, moment, oneOf, requireRange } from '../inputs/parsers.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import { type Context, define } from '../session/command.js';
import { LOT_ROW, lotRow, marketRow, PNL_ROW, totalRow } from './rows.js';
import { LOT_COLUMNS, showPnl } from './view.js';

export default define({
  summary: 'Show profit and loss, and check it against your bills',
  needs: ['asset', 'entrust'],
  arguments: { markets: several('the markets (default: all in which you traded)', marketName) },
  flags: {
    from: flag('--from <time>', 'count from this time on (default: the beginning)', moment),
    to: flag('--to <time>', 'count what is before this time (default: now)', moment),
    method: flag(
      '--method <method>',
      'which coins a sell takes: fifo, lifo or average (default: fifo)',
      oneOf('--method', ...METHODS),
    ),
    in: flag('--in <coin>', 'the coin of the total (default: the quote coin of most markets)', coinName),
    lots: toggle('--lots', 'list each part of a sell with the buy that it closes'),
  },
  examples: ['pnl', 'pnl btc_usdt --from 2026-11-01 --to 2026-12-01', 'pnl --in usdt --json', 'pnl --lots --csv'],
  output: shape.anyOf(shape.array(PNL_ROW), shape.array(LOT_ROW, 'with --lots')),
  async run(context, { markets: names, from, to, method = 'fifo', in: unit, lots: listsLots }) {
    requireRange([from, to], ['--from', '--to'], context.host.now());
    const trading = await context.session.trading();
    const client = withTimePerPage(context, trading.client);
    for (const name of names) await client.markets.find(name);
    const markets = await client.markets.all();
    if (unit !== undefined) requireCoin(unit, markets);
    const history = await readAccount(context, trading, client);
    const now = client.now();
    const window = { from: from?.(now) ?? Number.NEGATIVE_INFINITY, to: to?.(now) ?? Number.POSITIVE_INFINITY };
    const { matched, readAt } = history;
    const shownFills = matched.fills.filter(({ time }) => time >= window.from && time < window.to);
    const pastPrice = await readPastPrices(client, markets, shownFills);
    const result = profitAndLoss(matched, { window, method, pastPrice, readAt });
    const shown = chosen(result, names);
    const isShown = (market: string) => names.length === 0 || names.includes(market);
    noteGaps(context, history, shown.markets);
    noteDueFees(
      context,
      matched.due.filter(({ market, time }) => isShown(market) && time >= window.from && time < window.to),
    );
    if (shown.undated.length > 0) await warnOfUndated(context, shown.undated);
    const failure = unexplainedFailure(shown, matched, markets);
    const answer = listsLots
      ? listing({
          rows: shown.markets.flatMap(({ market, lots }) => lots.map((lot) => lotRow(market, method, lot))),
          row: LOT_ROW,
          columns: LOT_COLUMNS(),
          empty: 'Nothing was sold.',
        })
      : await pnlAnswer(context, client, shown, markets, unit);
    return failure === undefined ? answer : { ...answer, failure };
  },
});

/** Of a value that people read. */
const MOST_DECIMALS = 8;

function requireCoin(unit: string, markets: readonly Market[]): void {
  const coins = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))];
  if (!coins.includes(unit)) throw unknownCoin(unit, coins);
}

/** Reads the account with progress on a terminal. */
export async function readAccount(context: Context, trading: TradingContext, client: Exchange): Promise<ReadHistory> {
  const { output, host } = context;
  let progress = { orders: 0, bills: 0 };
  const hide = output.live(
    () =>
      `Reading your account: ${grouped(String(progress.orders))} orders, ${grouped(String(progress.bills))} bills …`,
  );
  const release = host.onInterrupt(() => hide());
  try {
    return await readHistory({
      trading,
      client,
      onProgress: (count) => {
        progress = count;
      },
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.refusal !== 'noPermission') throw error;
    throw error.hinting([
      'It needs the permissions asset and entrust.',
      suggest('See what your key may do', 'account'),
    ]);
  } finally {
    hide();
    release();
  }
}

/** The markets that were named, with the bills of their coins. */
function chosen(result: AccountPnl, names: readonly string[]): AccountPnl {
  if (names.length === 0) return result;
  const { markets, coins, undated } = result;
  const named = new Set(names.flatMap((name) => name.split('_')));
  return {
    markets: markets.filter(({ market }) => names.includes(market)),
    coins: coins.filter(({ coin }) => named.has(coin)),
    undated: undated.filter(({ coin }) => named.has(coin)),
  };
}

async function pnlAnswer(
  { output }: Context,
  client: Exchange,
  { markets, coins }: AccountPnl,
  all: readonly Market[],
  given: string | undefined,
): Promise<Answer> {
  const unit = given ?? commonQuote(markets) ?? 'usdt';
  const tickers = markets.length === 0 ? undefined : await client.tickers();
  const priceOf = (market: string) => {
    const last = tickers?.of(market)?.last ?? null;
    return last === null ? null : Decimal.of(last);
  };
  const quotes = [...new Set(markets.map(({ quote }) => quote))];
  const isForeign = quotes.some((quote) => quote !== unit);
  const rates = isForeign ? await readRates(client, all, { coins: quotes, units: [unit] }) : undefined;
  const value = (amount: Decimal, quote: string) =>
    quote === unit ? amount : (rates?.value(amount.toString(), quote, unit) ?? null);
  const unvalued = quotes.filter((quote) => value(Decimal.zero, quote) === null);
  if (unvalued.length > 0)
    output.warn(`The value of ${unvalued.join(', ')} in ${unit} is unknown, so there is no total.`);
  const rows = [
    ...markets.map((market) => marketRow(market, priceOf(market.market))),
    totalRow(markets, coins, { unit, value, priceOf }),
  ];
  const scales = (coin: string) => all.filter(({ quote }) => quote === coin).map(({ priceScale }) => priceScale);
  const decimals = {
    ofCoin: (coin: string) => Math.min(MOST_DECIMALS, ...scales(coin)),
    ofMarket: (name: string) => all.find(({ market }) => market === name)?.priceScale ?? MOST_DECIMALS,
  };
  return { data: rows, show: (screen) => showPnl(screen, rows, decimals) };
}

/** The quote coin of most markets. */
function commonQuote(markets: readonly MarketPnl[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { quote } of markets) counts.set(quote, (counts.get(quote) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Says what the figures leave out, and which are uncertain. */
function noteGaps(context: Context, { refusedCoins }: ReadHistory, markets: readonly MarketPnl[]): void {
  const { output } = context;
  warnOfRefusedCoins(context, refusedCoins);
  const uncertain = markets.filter(({ uncertainAt }) => uncertainAt.length > 0);
  if (uncertain.length > 0) {
    const times = [...new Set(uncertain.flatMap(({ uncertainAt }) => uncertainAt))].sort((one, other) => one - other);
    const [first = 0] = times;
    output.warn(
      `What ${uncertain.map(({ market }) => market).join(', ')} traded and paid in fees at ${counted(times.length, 'moment')}, the first at ${localTime(first)}, is uncertain: the bills may be divided in another way, with another result.`,
    );
  }
  for (const { market, base, quote, withoutCost, fees } of markets) {
    if (withoutCost.amount.sign > 0)
      output.note(
        `${market}: ${formatAmount(withoutCost.amount)} ${base} sold for ${formatAmount(withoutCost.proceeds)} ${quote} has no known cost and is not in realised: no buy in this market was left.`,
      );
    const unpriced = fees.filter(({ value }) => value === null);
    if (unpriced.length > 0)
      output.warn(
        `${market}: the fees of ${unpriced.map(({ coin, amount }) => `${formatAmount(amount)} ${coin ?? 'of an unknown coin'}`).join(' and ')} have no price at their time.`,
      );
  }
}

export function warnOfRefusedCoins({ output }: Context, coins: readonly string[]): void {
  if (coins.length === 0) return;
  output.warn([
    `The exchange does not list the deposits and withdrawals of ${coins.join(', ')}: they are counted under the names of their bills.`,
    'The key may lack the permission money.',
    suggest('See what it may do', 'account'),
  ]);
}

/** Says which fees are counted before the exchange books them. */
export function noteDueFees({ output }: Context, due: MatchedHistory['due']): void {
  if (due.length === 0) return;
  const sums = [...new Set(due.map(({ coin }) => coin))].map((coin) => {
    const amounts = due.filter((fee) => fee.coin === coin).map(({ amount }) => amount);
    return `${formatAmount(Decimal.sum(amounts))} ${coin}`;
  });
  const since = localTime(Math.min(...due.map(({ time }) => time)));
  output.note(
    `Fees of ${sums.join(', ')} since ${since} have no bill yet: the exchange books the sum of several fees.`,
  );
}

export async function warnOfUndated({ output, session }: Context, undated: AccountPnl['undated']): Promise<void> {
  const { profile } = await session.connection();
  const amounts = undated.map(({ coin, amount }) => `${formatAmount(amount)} ${coin}`).join(', ');
  output.warn([
    `Deposits of ${amounts} have no bill, and the exchange's time zone is unknown when they came in: they are left out.`,
    suggest('Set it', 'profile', 'set', profile, 'zone', 'ZONE'),
  ]);
}

/** The failure of bills that do not add up, with the reasons that show. */
export function unexplainedFailure(
  { coins }: Pick<AccountPnl, 'coins'>,
  { movements, unmatched }: MatchedHistory,
  listed: readonly Market[],
): Failure | undefined {
  const wrong = coins.filter(({ unexplained }) => unexplained.sign !== 0);
  const [first] = wrong;
  if (first === undefined) return undefined;
  const names = new Set(wrong.map(({ coin }) => coin));
  const amounts = wrong.map(({ coin, unexplained }) => `${formatAmount(unexplained)} ${coin}`).join(', ');
  const unlisted = unlistedMarkets(unmatched, names, listed);
  const lacking = movements.filter(({ coin, hasBill }) => !hasBill && names.has(coin));
  const left = unmatched.filter(({ coin }) => names.has(coin));
  return new Failure(
    'partial',
    `The bills do not add up with orders, deposits and withdrawals. Unexplained: ${amounts}.`,
    {
      hint: [
        suggest('See the bills', 'bills', first.coin, '--all'),
        ...(unlisted.length === 0
          ? []
          : [`${unlisted.join(' and ')} is no longer listed, so the exchange shows pit no orders of it.`]),
        ...feesWithoutBills(lacking, left),
        ...depositsWithoutBills(lacking, left),
        ...(lacking.some(({ kind }) => kind === 'fills')
          ? ['Orders of a margin account have no bills here, so they are unexplained too.']
          : []),
      ],
    },
  );
}

function feesWithoutBills(lacking: readonly Movement[], left: readonly Bill[]): string[] {
  const paid = lacking.filter(({ kind }) => kind === 'fees').map(({ coin }) => coin);
  const coins = new Set(left.map(({ coin }) => coin).filter((coin) => paid.includes(coin)));
  if (coins.size === 0) return [];
  return [
    `Fees in ${[...coins].join(', ')} have no bill. One that sums several fees is recognized only if it is exactly the sum of those since the last one.`,
  ];
}

/** A single bill that is smaller than the deposit may be that of its rest. No record shows the fee, so this proves nothing. */
function depositsWithoutBills(lacking: readonly Movement[], left: readonly Bill[]): string[] {
  const deposits = lacking.filter(({ kind }) => kind === 'deposits');
  return deposits.flatMap(({ coin, amount }) => {
    const smaller = left.filter((bill) => {
      const change = Decimal.of(bill.change);
      return bill.coin === coin && change.sign > 0 && change.compare(amount) < 0;
    });
    const [bill, another] = smaller;
    if (bill === undefined || another !== undefined) return [];
    const name = bill.type === null ? '' : ` (${bill.type})`;
    const fee = formatAmount(amount.minus(Decimal.of(bill.change)));
    return [
      `A deposit of ${formatAmount(amount)} ${coin} has no bill, and a bill of ${formatAmount(bill.change)} ${coin}${name} has no record: a fee of ${fee} ${coin} inside would explain both, but no record shows one.`,
    ];
  });
}

/** The markets, as far as the bills without a record show trades in such, that the exchange does not list. */
function unlistedMarkets(unmatched: readonly Bill[], wrong: ReadonlySet<string>, listed: readonly Market[]): string[] {
  const names = new Set(listed.map(({ market }) => market));
  const quotes = new Set(listed.map(({ quote }) => quote));
  const found = new Set<string>();
  const left = unmatched.filter(({ coin }) => wrong.has(coin));
  for (const [index, one] of left.entries())
    for (let next = index + 1; left[next]?.time === one.time; next += 1) {
      const other = left[next] as Bill;
      const isTrade = one.coin !== other.coin && one.change.startsWith('-') !== other.change.startsWith('-');
      const [base, quote] = quotes.has(other.coin) ? [one.coin, other.coin] : [other.coin, one.coin];
      if (isTrade && !names.has(`${base}_${quote}`) && !names.has(`${quote}_${base}`)) found.add(`${base}_${quote}`);
    }
  return [...found];
}
