import { listing } from '../../cli/answers.js';
import { flag, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Market } from '../../domain/market.js';
import { wallClock } from '../../domain/zone.js';
import { Failure, suggest, usage } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { Basis, type BasisLine } from '../../trading/pnl/basis.js';
import { type CoinPnl, coinBooks } from '../../trading/pnl/coin-books.js';
import { coinSteps, marketSteps, momentsBetween, type Sample, samplesOf } from '../../trading/pnl/curve.js';
import { groupBy } from '../../trading/pnl/group-by.js';
import { METHODS, type Method } from '../../trading/pnl/lots.js';
import type { Fill, MatchedHistory } from '../../trading/pnl/match-bills.js';
import type { Movement } from '../../trading/pnl/movement.js';
import { PastPrices, priceStore } from '../../trading/pnl/past-prices.js';
import { type AccountPnl, type MarketPnl, profitAndLoss } from '../../trading/pnl/profit-and-loss.js';
import { type ReadHistory, readHistory } from '../../trading/pnl/read-history.js';
import type { Window } from '../../trading/pnl/reconciliation.js';
import type { FeeBasis, ValuedFee } from '../../trading/pnl/trade-legs.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { permissionHint } from '../account/permissions.js';
import { readRates } from '../account/rates.js';
import { unknownCoin } from '../funds/refusal.js';
import { coinName, filePath, marketName, oneOf, requireRange, zonedMoment, zoneName } from '../inputs/parsers.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import { FORCE } from '../named-files/force.js';
import { shownName } from '../named-files/input.js';
import { type Context, define } from '../session/command.js';
import { readBasis } from './basis-file.js';
import {
  COIN_LOT_ROW,
  COIN_ROW,
  coinLotRow,
  coinRow,
  coinTotalRow,
  LOT_ROW,
  lotRow,
  marketRow,
  PNL_ROW,
  totalRow,
} from './rows.js';
import { COIN_LOT_COLUMNS, type Decimals, LOT_COLUMNS, showCoins, showPnl } from './view.js';

export default define({
  summary: 'Show profit and loss, and check it against your bills',
  arguments: { markets: several('the markets (default: all in which you traded)', marketName) },
  flags: {
    from: flag('--from <time>', 'count from this time on (default: the beginning)', zonedMoment),
    to: flag('--to <time>', 'count what is before this time (default: now)', zonedMoment),
    method: flag(
      '--method <method>',
      'which coins a sell takes: fifo, lifo or average (default: fifo)',
      oneOf('--method', ...METHODS),
    ),
    in: flag('--in <coin>', 'the coin of the total (default: the quote coin of most markets)', coinName),
    lots: toggle('--lots', 'list each part of a sell with the buy that it closes'),
    by: flag(
      '--by <what>',
      'one queue of lots for each market, or for each coin over all markets (default: market)',
      oneOf('--by', 'market', 'coin'),
    ),
    basis: flag('--basis <file>', 'what deposited coins cost: time,coin,amount,cost,coin of the cost', filePath),
    fees: flag(
      '--fees <how>',
      'in: in costs and proceeds; apart: beside them (default: in with --by coin, else apart)',
      oneOf('--fees', 'in', 'apart'),
    ),
    chart: toggle('--chart', 'draw realised and unrealised over time'),
    svg: flag('--svg <file>', 'write that chart to this file; - is stdout', filePath),
    force: FORCE,
    zone: flag('--zone <zone>', 'where days begin, such as Europe/Zurich (default: UTC)', zoneName),
  },
  examples: [
    'pnl',
    'pnl btc_usdt --from 2026-11-01 --to 2026-12-01',
    'pnl --in usdt --json',
    'pnl --lots --csv',
    'pnl --by coin --in usdt',
    'pnl btc_usdt --chart',
    'pnl --by coin --in usdt --lots --from 2026-01-01 --to 2027-01-01 --zone Europe/Zurich --csv',
  ],
  output: shape.anyOf(
    shape.array(PNL_ROW),
    shape.array(LOT_ROW, 'with --lots'),
    shape.array(COIN_ROW, 'with --by coin'),
    shape.array(COIN_LOT_ROW, 'with --by coin --lots'),
  ),
  async run(context, { markets: names, in: unit, method = 'fifo', by = 'market', lots: listsLots, ...given }) {
    const { chart: isCharted, svg, force } = given;
    if (listsLots && (isCharted || svg !== undefined))
      throw usage('--lots excludes --chart and --svg.', 'Give one of them.');
    if (force && svg === undefined) throw usage('--force needs --svg.', 'It replaces the file that --svg names.');
    const drawing = svg === undefined ? undefined : (await import('./chart.js')).pnlSvgTarget(context, svg, force);
    if (drawing?.isStdout && isCharted) throw usage('--chart and --svg - exclude each other.', 'Both print on stdout.');
    if (given.basis !== undefined && by === 'market')
      throw usage('--basis needs --by coin: the lots of a market have no deposits.', 'Add --by coin.');
    const { settings } = await context.session.connection();
    const zone = given.zone ?? settings.dayZone;
    const clock = wallClock(zone ?? '+00:00');
    const range = [given.from?.(clock), given.to?.(clock)] as const;
    requireRange(range, ['--from', '--to'], context.host.now());
    const trading = await context.session.trading();
    const client = withTimePerPage(context, trading.client);
    for (const name of names) await client.markets.find(name);
    const markets = await client.markets.all();
    if (unit !== undefined) requireCoin(unit, markets);
    const basisLines =
      given.basis === undefined ? undefined : await readBasis(context, given.basis, { clock, markets });
    const history = await readAccount(context, trading, client);
    const now = client.now();
    const [from, to] = range;
    const request: PnlRequest = {
      names,
      unit,
      method,
      feesAre: given.fees ?? (by === 'coin' ? 'in' : 'apart'),
      listsLots,
      window: { from: from?.(now) ?? Number.NEGATIVE_INFINITY, to: to?.(now) ?? Number.POSITIVE_INFINITY },
      zone,
      basis: basisLines && { file: shownName(given.basis ?? ''), lines: basisLines },
      history,
      client,
      markets,
      prices: await pastPrices(context, client, markets),
    };
    const { answer, failure } = by === 'coin' ? await byCoin(context, request) : await byMarket(context, request);
    const whole = failure === undefined ? answer : { ...answer, failure };
    if (!isCharted && drawing === undefined) return whole;
    const { curvePoints, showCurve, writePnlSvg } = await import('./chart.js');
    const { samples, coin } = await curveSamples(request, by);
    const { ofCoin } = decimalsOf(markets);
    const curve = { unit: coin, points: await curvePoints(samples, coin, request.prices), decimals: ofCoin(coin) };
    const unknown = curve.points.filter(({ realised, unrealised }) => realised === null || unrealised === null);
    if (unknown.length > 0)
      context.output.warn(
        `${counted(unknown.length, 'moment')} of the chart ${unknown.length === 1 ? 'has' : 'have'} a gap: something had no price in ${coin} then.`,
      );
    if (drawing !== undefined) await writePnlSvg(curve, drawing);
    if (drawing?.isStdout) {
      if (failure !== undefined) throw failure;
      return undefined;
    }
    if (drawing !== undefined) context.output.note(`Wrote the chart to ${drawing.name}.`);
    return isCharted ? { ...whole, show: (screen) => showCurve(curve, screen) } : whole;
  },
});

/** What the lots held at moments from the first fill of the window to its end, and the coin in which that is summed up. */
async function curveSamples(
  request: PnlRequest,
  by: 'market' | 'coin',
): Promise<{ samples: readonly Sample[]; coin: string }> {
  const { names, method, feesAre, window, basis, history, client, prices } = request;
  const { matched, readAt } = history;
  const options = { window, method, fees: feesAre, pastValue: prices.value, readAt };
  const isNamed = (market: string) => names.length === 0 || names.includes(market);
  const fills = matched.fills.filter(({ market, time }) => isNamed(market) && time < window.to);
  const counts = groupBy(fills, ({ quote }) => quote);
  const [[most] = ['usdt']] = [...counts].sort(([, one], [, other]) => other.length - one.length);
  const coin = request.unit ?? (by === 'coin' ? onlyQuote(matched.fills) : most);
  const start = fills.find(({ time }) => time >= window.from)?.time;
  if (start === undefined) return { samples: [], coin };
  const times = momentsBetween(start, Math.min(window.to, client.now()));
  if (by === 'market') return { samples: samplesOf(marketSteps(matched, options, isNamed), times, options), coin };
  const coins = new Set(names.flatMap((name) => name.split('_')));
  const known = basis && new Basis(basis.lines, costsIn(coin, prices));
  const steps = coinSteps(
    matched,
    { ...options, unit: coin, basis: known },
    (one) => coins.size === 0 || coins.has(one),
  );
  return { samples: samplesOf(steps, times, options), coin };
}

/** What a line of the basis cost in a coin; null if it has no price. */
function costsIn(unit: string, prices: PastPrices): (line: BasisLine) => Decimal | null {
  return ({ cost, costCoin, time }) => (costCoin === unit ? cost : (prices.value(cost, costCoin, unit, time) ?? null));
}

/** What is asked of an account, and what was read of it. */
interface PnlRequest {
  readonly names: readonly string[];
  /** The coin of `--in`, if it was given. */
  readonly unit: string | undefined;
  readonly method: Method;
  readonly feesAre: FeeBasis;
  readonly listsLots: boolean;
  readonly window: Window;
  /** Undefined: that of the user for what people read, and UTC for days. */
  readonly zone: string | undefined;
  readonly basis: { readonly file: string; readonly lines: readonly BasisLine[] } | undefined;
  readonly history: ReadHistory;
  readonly client: Exchange;
  /** All of the exchange. */
  readonly markets: readonly Market[];
  readonly prices: PastPrices;
}

interface PnlAnswer {
  readonly answer: Answer;
  /** If the bills do not add up. */
  readonly failure: Failure | undefined;
}

async function pastPrices({ session }: Context, client: Exchange, markets: readonly Market[]): Promise<PastPrices> {
  const { baseUrl } = await session.connection();
  return new PastPrices(client, markets, priceStore(session.cache, baseUrl ?? 'sandbox'));
}

async function byMarket(context: Context, request: PnlRequest): Promise<PnlAnswer> {
  const { names, unit, method, feesAre, listsLots, window, history, client, markets, prices } = request;
  const { matched, readAt } = history;
  const isShown = (market: string) => names.length === 0 || names.includes(market);
  // with fees in costs, those of earlier fills count too
  const valued = matched.fills.filter(
    ({ market, time }) => isShown(market) && time < window.to && (feesAre === 'in' || time >= window.from),
  );
  await prices.loadForTrades(valued, ({ quote }) => quote);
  const result = profitAndLoss(matched, { window, method, fees: feesAre, pastValue: prices.value, readAt });
  const shown = chosen(result, names);
  noteGaps(context, history, shown.markets);
  noteDueFees(
    context,
    matched.due.filter(({ market, time }) => isShown(market) && time >= window.from && time < window.to),
  );
  if (shown.undated.length > 0) await warnOfUndated(context, shown.undated);
  const answer = listsLots
    ? listing({
        rows: shown.markets.flatMap(({ market, lots }) => lots.map((lot) => lotRow(market, lot, { method, feesAre }))),
        row: LOT_ROW,
        columns: LOT_COLUMNS(),
        empty: 'Nothing was sold.',
      })
    : await pnlAnswer(context, { client, shown, markets, unit, feesAre });
  return { answer, failure: unexplainedFailure(shown, matched, markets) };
}

async function byCoin(context: Context, request: PnlRequest): Promise<PnlAnswer> {
  const { names, method, feesAre, listsLots, window, zone, basis, history, client, markets, prices } = request;
  const { matched, readAt } = history;
  const unit = request.unit ?? onlyQuote(matched.fills);
  await prices.loadForTrades(
    matched.fills.filter(({ time }) => time < window.to),
    () => unit,
  );
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
  if (basis !== undefined && known !== undefined) warnOfBasis(context, basis, known, { costOf, unit, window });
  const failure = unexplainedFailure({ coins }, matched, markets);
  if (listsLots) {
    const rows = books.flatMap(({ coin, lots }) => lots.map((lot) => coinLotRow(coin, unit, lot, { method, feesAre })));
    const dates = datesIn(zone);
    const columns = COIN_LOT_COLUMNS(dates.of, dates.title);
    return { answer: listing({ rows, row: COIN_LOT_ROW, columns, empty: 'Nothing was sold or left.' }), failure };
  }
  const held = books.filter(({ position }) => position.amount.sign !== 0).map(({ coin }) => coin);
  const rates = held.length === 0 ? undefined : await readRates(client, markets, { coins: held, units: [unit] });
  const priceOf = (coin: string) => rates?.value('1', coin, unit) ?? null;
  const unpriced = held.filter((coin) => priceOf(coin) === null);
  if (unpriced.length > 0)
    context.output.warn(`The value of ${unpriced.join(', ')} in ${unit} is unknown, so there is no total.`);
  const rows = [
    ...books.map((book) => coinRow(book, priceOf(book.coin), { unit, feesAre })),
    coinTotalRow(books, coins, { unit, feesAre, priceOf }),
  ];
  const decimals = decimalsOf(markets);
  return { answer: { data: rows, show: (screen) => showCoins(screen, rows, decimals) }, failure };
}

/** The only coin in which the markets of all trades are quoted. Throws Failure `usage` if there are several. */
function onlyQuote(fills: readonly Fill[]): string {
  const quotes = [...new Set(fills.map(({ quote }) => quote))].sort();
  const [only = 'usdt', another] = quotes;
  if (another === undefined) return only;
  throw usage(
    `Your markets have several quote coins: ${quotes.join(', ')}.`,
    `Say with --in in which coin to value everything, such as --in ${quotes.includes('usdt') ? 'usdt' : only}.`,
  );
}

/** How people read times in a zone, or in their own. */
function datesIn(zone: string | undefined): { readonly of: (time: string) => string; readonly title: string } {
  const clock = zone === undefined ? undefined : wallClock(zone);
  return {
    of: (time) => {
      const ms = Date.parse(time);
      return clock === undefined
        ? localTime(ms)
        : isoTime(ms + clock(ms))
            .slice(0, 19)
            .replace('T', ' ');
    },
    title: timeTitle('closed', zone),
  };
}

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
    throw error.hinting(permissionHint('pnl'));
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

interface MarketAnswer {
  readonly client: Exchange;
  readonly shown: AccountPnl;
  readonly markets: readonly Market[];
  readonly unit: string | undefined;
  readonly feesAre: FeeBasis;
}

async function pnlAnswer(
  { output }: Context,
  { client, shown: { markets, coins }, markets: all, unit: given, feesAre }: MarketAnswer,
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
    ...markets.map((market) => marketRow(market, priceOf(market.market), feesAre)),
    totalRow(markets, coins, { unit, feesAre, value, priceOf }),
  ];
  const decimals = decimalsOf(all);
  return { data: rows, show: (screen) => showPnl(screen, rows, decimals) };
}

function decimalsOf(all: readonly Market[]): Decimals {
  const scales = (coin: string) => all.filter(({ quote }) => quote === coin).map(({ priceScale }) => priceScale);
  return {
    ofCoin: (coin) => Math.min(MOST_DECIMALS, ...scales(coin)),
    ofMarket: (name) => all.find(({ market }) => market === name)?.priceScale ?? MOST_DECIMALS,
  };
}

/** The quote coin of most markets. */
function commonQuote(markets: readonly MarketPnl[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { quote } of markets) counts.set(quote, (counts.get(quote) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Says what the figures leave out, and which are uncertain. */
function noteGaps(context: Context, history: ReadHistory, markets: readonly MarketPnl[]): void {
  const { output } = context;
  warnOfRefusedCoins(context, history.refusedCoins);
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
}

export function warnOfRefusedCoins({ output }: Context, coins: readonly string[]): void {
  if (coins.length === 0) return;
  output.warn([
    `The exchange does not list the deposits and withdrawals of ${coins.join(', ')}: they are counted under the names of their bills.`,
    'The key may lack the permission money.',
    suggest('See what it may do', 'account'),
  ]);
}

/** @param of the markets or coins */
function warnOfUncertain(
  { output }: Context,
  of: readonly { readonly name: string; readonly uncertainAt: readonly number[] }[],
): void {
  const uncertain = of.filter(({ uncertainAt }) => uncertainAt.length > 0);
  if (uncertain.length === 0) return;
  const times = [...new Set(uncertain.flatMap(({ uncertainAt }) => uncertainAt))].sort((one, other) => one - other);
  const [first = 0] = times;
  output.warn(
    `What ${uncertain.map(({ name }) => name).join(', ')} traded and paid in fees at ${counted(times.length, 'moment')}, the first at ${localTime(first)}, is uncertain: the bills may be divided in another way, with another result.`,
  );
}

function warnOfUnpriced({ output }: Context, name: string, fees: readonly ValuedFee[]): void {
  const unpriced = fees.filter(({ value }) => value === null);
  if (unpriced.length > 0)
    output.warn(
      `${name}: the fees of ${unpriced.map(({ coin, amount }) => `${formatAmount(amount)} ${coin ?? 'of an unknown coin'}`).join(' and ')} have no price at their time.`,
    );
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
  readonly window: Window;
}

/** Names the lines that gave nothing a cost, and those whose own cost has no price. */
function warnOfBasis(
  { output }: Context,
  { file, lines }: { readonly file: string; readonly lines: readonly BasisLine[] },
  basis: Basis,
  { costOf, unit, window }: BasisUse,
): void {
  const unpriced = lines.filter((line) => costOf(line) === null);
  if (unpriced.length > 0)
    output.warn(
      `${file}: the costs of ${lineNumbers(unpriced)} have no price in ${unit} at their time, so they are unknown.`,
    );
  const unused = basis.unused().filter(({ line: { time } }) => time < window.to);
  if (unused.length > 0)
    output.warn([
      `${file}: nothing that came in takes ${unused.map(({ line, amount }) => `${formatAmount(amount)} ${line.coin} of line ${line.line}`).join(', ')}.`,
      'A line gives a cost to deposits and other bills of its coin that are not earlier than its time.',
    ]);
}

function lineNumbers(lines: readonly BasisLine[]): string {
  const numbers = lines.map(({ line }) => line).join(', ');
  return lines.length === 1 ? `line ${numbers}` : `lines ${numbers}`;
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
