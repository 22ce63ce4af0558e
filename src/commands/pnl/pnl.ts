import { flag, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { wallClock } from '../../domain/zone.js';
import { type Failure, tryRead, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { TotalsView } from '../../trading/pnl/kept-totals.js';
import { METHODS } from '../../trading/pnl/lots.js';
import { coinName, filePath, marketName, oneOf, requireRange, zonedMoment, zoneName } from '../inputs/parsers.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import { forceFlag } from '../named-files/force.js';
import { shownName } from '../named-files/input.js';
import type { OutputTarget } from '../named-files/output.js';
import { type Context, define } from '../session/command.js';
import { readBasis } from './basis-file.js';
import { byCoin } from './by-coin.js';
import { byKeptTotals, byMarket } from './by-market.js';
import { pastPrices, REFRESH, requireCoin, withReader } from './read-account.js';
import { firstBillText } from './remarks.js';
import type { PnlQuestion, PnlRequest } from './request.js';
import {
  COIN_LOT_ROW,
  COIN_ROW,
  type CoinLotRow,
  type CoinRow,
  LOT_ROW,
  type LotRow,
  PNL_ROW,
  type PnlRow,
} from './rows.js';
import { leftOutFailure, noBillsFailure } from './unexplained.js';

export default define({
  summary: 'Show profit and loss, and check it against your bills',
  arguments: { markets: several('the markets (default: all in which you traded)', marketName) },
  flags: {
    from: flag('--from <time>', 'count from this time on (default: the beginning)', zonedMoment),
    to: flag('--to <time>', 'count what is before this time, at the prices of its candles (default: now)', zonedMoment),
    method: flag(
      '--method <method>',
      'which coins a sell takes: fifo, lifo or average (default: fifo)',
      oneOf('--method', ...METHODS),
    ),
    in: flag('--in <coin>', 'the coin of the total (default: the quote coin of most markets)', coinName),
    lots: toggle('--lots', 'list each part of a sell with the buy that it closes', {
      excludes: ['--chart', '--svg'],
    }),
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
    force: forceFlag('--svg'),
    zone: flag('--zone <zone>', 'where days begin, such as Europe/Zurich (default: UTC)', zoneName),
    refresh: REFRESH,
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
    const { chart: isCharted } = given;
    const drawing = await drawingOf(context, given);
    if (given.basis !== undefined && by === 'market')
      throw usage('--basis needs --by coin: the lots of a market have no deposits.', 'Add --by coin.');
    const { settings, baseUrl } = await context.session.connection();
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
    const account = await tryRead(() => client.account());
    const feesAre = given.fees ?? (by === 'coin' ? 'in' : 'apart');
    const showsTotals = by === 'market' && !listsLots && !isCharted && drawing === undefined;
    const isOfAllTime = given.from === undefined && given.to === undefined;
    const prices = JSON.stringify([baseUrl, ...markets.map(({ market }) => market)]);
    const view: TotalsView | undefined = showsTotals && isOfAllTime ? { method, fees: feesAre, prices } : undefined;
    const known = { markets: names, account, isWhole: given.refresh };
    const reading = await withReader(context, trading, client, known, async (reader) => {
      const unchanged = view && (await reader.unchanged());
      const totals = unchanged && view && trading.keptTotals?.read(unchanged.id, view);
      return unchanged === undefined || totals === undefined ? reader.history() : { ...unchanged, totals };
    });
    const question: PnlQuestion = {
      names,
      unit,
      method,
      feesAre,
      listsLots,
      window: windowAt(client.now(), range),
      zone,
      client,
      markets,
    };
    if ('totals' in reading)
      return ending(await byKeptTotals(context, question, reading), leftOutFailure(reading.leftOut, undefined));
    const { id } = reading;
    const keeps = view !== undefined && id !== undefined && trading.keptTotals?.read(id, view) === undefined;
    const request: PnlRequest = {
      ...question,
      basis: basisLines && { file: shownName(given.basis ?? ''), lines: basisLines },
      history: reading,
      prices: await pastPrices(context, client, markets),
      keepTotals: keeps ? async (totals) => trading.keptTotals?.write(id, view, totals) : undefined,
    };
    const [firstBill] = reading.matched.bills;
    if (firstBill !== undefined && (listsLots || by === 'coin')) context.output.note(firstBillText(firstBill));
    const { answer, failure: ofBooks } = await (by === 'coin' ? byCoin : byMarket)(context, request);
    const failure = leftOutFailure(reading.leftOut, noBillsFailure(reading.matched, account?.coins) ?? ofBooks);
    const whole = ending<PnlRows>(answer, failure);
    if (!isCharted && drawing === undefined) return whole;
    return withCurve(context, { request, by, isCharted }, drawing, whole);
  },
});

/** The time between the ends, which may be ages before now, in milliseconds since the Unix epoch. */
function windowAt(now: number, [from, to]: readonly (((now: number) => number) | undefined)[]): PnlQuestion['window'] {
  return { from: from?.(now) ?? Number.NEGATIVE_INFINITY, to: to?.(now) ?? Number.POSITIVE_INFINITY };
}

/** The file of `--svg`, before anything is read. Throws Failure `usage` if it cannot be written, or both drawings go to stdout. */
async function drawingOf(
  context: Context,
  { svg, force, chart }: { readonly svg: string | undefined; readonly force: boolean; readonly chart: boolean },
): Promise<OutputTarget | undefined> {
  if (svg === undefined) return undefined;
  const drawing = (await import('./chart.js')).pnlSvgTarget(context, svg, force);
  if (drawing.isStdout && chart) throw usage('--chart and --svg - exclude each other.', 'Both print on stdout.');
  return drawing;
}

/** The answer, with the failure that the command ends with, if there is one. */
function ending<Rows>(answer: Answer<Rows>, failure: Failure | undefined): Answer<Rows> {
  return failure === undefined ? answer : { ...answer, failure };
}

type PnlRows = readonly PnlRow[] | readonly LotRow[] | readonly CoinRow[] | readonly CoinLotRow[];

/** Draws the curve to the screen, a file or both. Undefined if stdout has the drawing. Throws the failure of the answer then. */
async function withCurve(
  context: Context,
  {
    request,
    by,
    isCharted,
  }: { readonly request: PnlRequest; readonly by: 'market' | 'coin'; readonly isCharted: boolean },
  drawing: OutputTarget | undefined,
  whole: Answer<PnlRows>,
): Promise<Answer<PnlRows> | undefined> {
  const { curveOf, showCurve, writePnlSvg } = await import('./chart.js');
  const curve = await curveOf(context, request, by);
  if (drawing !== undefined) await writePnlSvg(curve, drawing);
  if (drawing?.isStdout) {
    if (whole.failure !== undefined) throw whole.failure;
    return undefined;
  }
  if (drawing !== undefined) context.output.note(`Wrote the chart to ${drawing.name}.`);
  return isCharted ? { ...whole, show: (screen) => showCurve(curve, screen) } : whole;
}
