import { confirm, requireConsent } from '../../cli/consent.js';
import { factsOf, type JsonOf, shownOf, valuesOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, formatPrice, grouped } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure, failureOnly, type Hint, type Interruption, suggest, withoutPeriod } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { table } from '../../terminal/table.js';
import { type Holding, isSale, planFlatten, type Sale } from '../../trading/flatten/flatten.js';
import { type SaleResult, type SoldSlice, sell } from '../../trading/flatten/sell.js';
import { guardLimits } from '../../trading/guards/limits.js';
import { type OrderResult, orderResult } from '../order/order-result.js';
import type { Context } from '../session/command.js';
import { interruptible } from '../writes/interruptible.js';
import { outcomeFailure } from '../writes/outcome-failure.js';
import { openWrite, previewOf, runWrite, type WriteContext, type WriteSteps } from '../writes/write.js';

/** What `pit halt --flatten` did. */
export interface Flattened {
  /** One for each order that was placed, or whose outcome is unknown. */
  readonly rows: readonly OrderResult[];
  readonly show: (screen: Screen) => string;
  /** What was not sold; undefined if nothing is left. */
  readonly failure: Failure | undefined;
}

export const NOTHING_FLATTENED: Flattened = { rows: [], show: () => '', failure: undefined };

interface Plan {
  /** What is not sold. For programs, which read no table on stderr, all that is about to be done. */
  readonly warnings: readonly { readonly text: string }[];
  readonly holdings: readonly Holding[];
}

/** What a sale belongs to. */
export interface FlattenOptions {
  /** Whether open orders are cancelled before. */
  readonly isCancelling: boolean;
  /** Orders that a dry run counts as cancelled. */
  readonly freed?: readonly Order[];
  /** What was done before the sale, for a signal. */
  readonly doneBefore?: Interruption;
  /** For a signal: the answer of the command with what was sold so far. */
  readonly soFar?: (sold: Flattened) => Answer;
}

/**
 * Previews the sale of everything that the account holds into a coin, asks, and sells it. The preview is shown with `--yes`, too.
 * Without any failure of its own, because the halt was done already: what was not sold is in the result. That is of the kind
 * `declined` if no question can be asked.
 */
export async function flatten(context: Context, into: string, options: FlattenOptions): Promise<Flattened> {
  try {
    requireConsent(context);
    const isRead = context.globals.format !== 'json' || context.host.errors.isTTY === true;
    const write = await openWrite(context, isRead);
    const answer = await runWrite(write, await selling(context, write, into, options));
    return { rows: answer.data, show: answer.show, failure: answer.failure };
  } catch (error) {
    const { kind, message, hints } = failureOnly(error);
    const isUnanswerable = kind === 'declined' && !context.consent.available;
    // with a wrong coin the same command would fail again, and the failure names those that work
    const left = sellRest(context, into, options);
    const hint = [...hints, ...(isUnanswerable || kind === 'usage' ? [] : [left])];
    const failure = new Failure(isUnanswerable ? 'declined' : 'partial', `Nothing was sold: ${message}`, {
      hint,
    });
    return { ...NOTHING_FLATTENED, failure };
  }
}

/** What would be sold, as JSON has it, and its preview. */
export type PreviewedSale = JsonOf<typeof SALE_FACTS> & { readonly show: (screen: Screen) => string };

/** What `--flatten` would sell, for a dry run. Throws Failure if it cannot be planned. */
export async function previewSale(command: Context, into: string, options: FlattenOptions): Promise<PreviewedSale> {
  const context = await openWrite(command);
  const sale = await selling(command, context, into, options);
  const { plan, show } = await interruptible(context, { left: () => null }, () => previewOf(context, sale));
  return { ...valuesOf(SALE_FACTS, { ...plan, into }), show };
}

async function selling(
  command: Context,
  context: WriteContext,
  into: string,
  options: FlattenOptions,
): Promise<WriteSteps<Plan, readonly OrderResult[], never>> {
  const { freed = [], doneBefore, soFar } = options;
  const { trading, session, isPreviewed } = context;
  const limits = guardLimits((await session.connection()).settings);
  const sellTheRest = sellRest(command, into, options);
  const sold: SoldOrder[] = [];
  return {
    plan: async () => {
      const again = (coin: string) => commandOf(command, coin, options);
      const holdings = await planFlatten(trading, into, limits, { freed, command: again });
      const warned = isPreviewed ? holdings.filter(({ sale }) => !isSale(sale)) : holdings;
      return { warnings: warned.flatMap(saleTexts).map((text) => ({ text })), holdings };
    },
    preview: ({ holdings }) => shownOf(SALE_FACTS, { holdings, into }),
    ask: async ({ holdings }) => {
      const coins = holdings.flatMap(({ coin, sale }) => (isSale(sale) ? [coin] : []));
      if (coins.length > 0) await confirm(context, `Sell all ${coins.join(', ')} into ${into}?`);
    },
    run: async ({ holdings }, signal) => {
      const results = await sellEach(context, holdings, signal, (order) => void sold.push(order));
      const { rows, orders, show } = soldSoFar(context, sold);
      const failure = unsoldFailure(holdings, results, orders, sellTheRest);
      return { data: rows, show, ...(failure === undefined ? {} : { failure }) };
    },
    left: () => ({
      advice: [
        notAllSoldText(sold, into),
        ...[doneBefore?.advice ?? []].flat().filter((part) => typeof part === 'string'),
        suggest('If an order was on its way, find its outcome', 'resolve'),
        sellTheRest,
      ],
    }),
    ...(doneBefore === undefined
      ? {}
      : { doneBefore: { ...doneBefore, advice: [...[doneBefore.advice].flat(), 'Nothing was sold.'] } }),
    ...(soFar === undefined ? {} : { soFar: () => soFar(soldSoFar(context, sold)) }),
  };
}

/** An order that sold a part of a coin. */
interface SoldOrder {
  readonly slice: SoldSlice;
  readonly sale: Sale;
}

/**
 * Sells one coin after another, and shows on a terminal how far it is.
 * @param signal ends it after the order under way
 * @param onSold called after each order
 */
async function sellEach(
  { trading, output, budget, session }: WriteContext,
  holdings: readonly Holding[],
  signal: AbortSignal,
  onSold: (order: SoldOrder) => void,
): Promise<ReadonlyMap<string, SaleResult>> {
  const limits = guardLimits(await session.currentSettings());
  return budget.whileProgressing(async (progressed) => {
    const results = new Map<string, SaleResult>();
    for (const { coin, amount, sale } of holdings) {
      if (!isSale(sale)) continue;
      let filled = Decimal.zero;
      let orders = 0;
      const hide = output.live(
        () => `Selling ${coin}: ${formatAmount(filled)} of ${formatAmount(amount)} with ${counted(orders, 'order')}`,
      );
      const onSlice = (slice: SoldSlice) => {
        progressed();
        onSold({ slice, sale });
        orders += 1;
        filled = filled.plus(Decimal.of(orderOf(slice)?.filled ?? '0'));
      };
      progressed();
      results.set(coin, await sell(trading, { coin, sale }, limits, { signal, onSlice }).finally(hide));
    }
    return results;
  });
}

/** `Not everything was sold: 2 orders sold for 1,200 usdt.` */
function notAllSoldText(sold: readonly SoldOrder[], into: string): string {
  const values = sold.map(({ slice }) => Decimal.of(orderOf(slice)?.filledValue ?? '0'));
  const worth = grouped(Decimal.sum(values).trimmed().toString());
  return `Not everything was sold: ${counted(sold.length, 'order')} sold for ${worth} ${into}.`;
}

/** What was sold so far, with the answer about each order. */
function soldSoFar(
  context: WriteContext,
  sold: readonly SoldOrder[],
): Flattened & { readonly orders: Answer<OrderResult>[] } {
  const orders = sold.flatMap(({ slice, sale }) => resultOf(context, slice, sale));
  return {
    orders,
    rows: orders.map(({ data }) => data),
    show: (screen) => shownOrders(orders, screen),
    failure: undefined,
  };
}

function shownOrders(orders: readonly Answer[], screen: Screen): string {
  return orders.length === 0 ? 'Nothing was sold.' : orders.map((order) => order.show(screen)).join('\n');
}

/** The order of a slice as it was read; undefined if there is none, or it could not be read. */
function orderOf({ placement }: SoldSlice): Order | undefined {
  return placement.outcome === 'placed' ? (placement.order ?? undefined) : undefined;
}

/** What is about to be done with a coin, as sentences. */
function saleTexts({ coin, amount, frozen, sale }: Holding): string[] {
  const name = quotedName(coin);
  const size = `${formatAmount(amount)} ${name}`;
  if (!isSale(sale)) return [`${formatAmount(amount.plus(frozen))} ${name} will not be sold: ${sale.why}.`];
  const { market, floor } = sale;
  const least = floor === null ? '' : `, not below ${formatPrice(floor, market)}`;
  return [
    ...(amount.sign === 0 ? [] : [`${size} will be sold in ${market.market}${least}.`]),
    ...(frozen.sign === 0
      ? []
      : [`${formatAmount(frozen)} ${name} is frozen, as in open orders, and will not be sold.`]),
  ];
}

function sellRest(command: Context, into: string, options: FlattenOptions): Hint {
  return suggest('Sell what is left', ...commandOf(command, into, options));
}

/** The command for a sale into a coin that cancels orders only if this one does. */
function commandOf({ globals }: Context, into: string, { isCancelling }: FlattenOptions): string[] {
  const flags = [...(isCancelling ? ['--cancel'] : []), '--flatten', into];
  return ['halt', ...flags, ...(globals.dryRun ? ['--dry-run'] : [])];
}

/** None for an order that was refused or not sent: the failure names it. */
function resultOf(context: WriteContext, { id, terms, placement }: SoldSlice, { market }: Sale): Answer<OrderResult>[] {
  if (placement.outcome === 'refused' || placement.outcome === 'notSent') return [];
  return [orderResult(context, { id, clientId: id, terms }, placement, market)];
}

/** Any unknown 6; anything left that is worth an order, and any duplicate, 9. */
function unsoldFailure(
  holdings: readonly Holding[],
  results: ReadonlyMap<string, SaleResult>,
  orders: readonly Answer[],
  again: Hint,
): Failure | undefined {
  const left = holdings.flatMap(({ coin, sale }) => {
    const why = isSale(sale) ? (results.get(coin)?.left ?? null) : sale.isDust ? null : sale.why;
    return why === null ? [] : [`${quotedName(coin)}: ${why}`];
  });
  const duplicates = orders.flatMap(({ failure }) => (failure?.kind === 'partial' ? failure : []));
  const unknown = [...results.values()].flatMap((result) => result.unknown ?? []);
  const messages = [
    ...(left.length === 0
      ? []
      : [`${counted(left.length, 'coin')} could not be sold: ${withoutPeriod(left.join('; '))}.`]),
    ...(duplicates.length === 0 ? [] : [`${counted(duplicates.length, 'order')} to sell was placed more than once.`]),
  ];
  const isHeld = holdings.some(({ frozen }) => frozen.sign > 0) && !again.argv.includes('--cancel');
  const rest = isHeld ? [again, 'With --cancel, what open orders hold is sold as well.'] : [again];
  return outcomeFailure({
    done: orders.length,
    unknown: unknown.length,
    refused: 0,
    left: left.length + duplicates.length,
    message: messages.join(' '),
    records: unknown,
    again: [...duplicates.flatMap(({ hints }) => hints), ...(left.length === 0 ? [] : rest)],
  });
}

const HOW =
  'Each coin is sold with orders that fill at once or are cancelled, each no larger than order-notional allows. day-notional does not count here.';

/** What is about to be sold into a coin. */
interface PlannedSale {
  readonly holdings: readonly Holding[];
  readonly into: string;
}

const fact = factsOf<PlannedSale>();

/** What is known of a sale before its first order is sent. */
export const SALE_FACTS = {
  holdings: fact({
    above: holdingsTable,
    json: {
      holdings: [
        shape.array(
          shape.object({ coin: shape.outsideText(''), amount: shape.decimal('') }),
          'that --flatten would sell as far as there are buyers',
        ),
        ({ holdings }) => holdings.map(({ coin, amount }) => ({ coin, amount: amount.toString() })),
      ],
    },
  }),
  how: fact({ label: 'how', text: ({ holdings }) => (holdings.length === 0 ? undefined : HOW) }),
};

function holdingsTable({ holdings, into }: PlannedSale, screen: Screen): string {
  if (holdings.length === 0) return `The account holds nothing but ${into}.`;
  const isAnyFrozen = holdings.some(({ frozen }) => frozen.sign > 0);
  return table(
    screen,
    [
      { title: 'coin', value: ({ coin }) => coin, importance: 9 },
      { title: 'amount', value: ({ amount }) => formatAmount(amount), align: 'decimal', importance: 8 },
      ...(isAnyFrozen ? [FROZEN] : []),
      { title: 'best bid', value: (row) => priceText(row), align: 'decimal', importance: 4 },
      { title: 'not below', value: (row) => floorText(row), align: 'decimal', importance: 6 },
      { title: `worth in ${into}`, value: (row) => worthText(row), align: 'decimal', importance: 5 },
    ],
    holdings,
  );
}

const FROZEN = {
  title: 'frozen in orders',
  value: ({ frozen }: Holding) => (frozen.sign === 0 ? null : formatAmount(frozen)),
  align: 'decimal',
  importance: 7,
} as const;

function priceText({ sale }: Holding): string | null {
  return isSale(sale) ? formatPrice(sale.bid, sale.market) : null;
}

function floorText({ sale }: Holding): string | null {
  return !isSale(sale) || sale.floor === null ? null : formatPrice(sale.floor, sale.market);
}

/** At the best bid: a large amount gets less. */
function worthText({ amount, sale }: Holding): string | null {
  if (!isSale(sale)) return null;
  return formatPrice(amount.times(sale.bid).rescaled(sale.market.priceScale, 'down'), sale.market);
}
