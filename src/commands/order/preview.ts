import type { Context } from '../../cli/context.js';
import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, OrderType } from '../../domain/order.js';
import type { Answer } from '../../terminal/answer.js';
import { grouped, paintSide, sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { TradingAccount } from '../../trading/account.js';
import { type Guarded, guardOrders, needMarket } from '../../trading/guards/guards.js';
import { type GuardLimits, type GuardName, guardLimits } from '../../trading/guards/limits.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import { averagePrice, distanceFrom, distanceText } from '../../trading/market-view.js';
import type { GuardedSend } from '../../trading/orders/place.js';
import { MarketSnapshot, spentCoin } from '../../trading/preview/market-snapshot.js';
import { type PlannedOrders, type PreviewFacts, previewOrders } from '../../trading/preview/preview.js';
import { PREVIEW, type Preview } from '../dry-run.js';
import { breachText, confirmGuarded, guardedSendOf } from '../guarding.js';
import { exchangeText } from '../session/exchange-text.js';

/** What is needed to check orders before they are sent: the exchange's answers, and the limits. */
export interface OrderContext {
  readonly snapshot: MarketSnapshot;
  readonly limits: GuardLimits;
  readonly overridden: readonly GuardName[];
  /** Whether the guards need the market even if nobody sees a preview. */
  readonly needsMarket: boolean;
  /** Whether somebody sees a preview. */
  readonly isShown: boolean;
}

interface Asked {
  readonly side: OrderTerms['side'];
  readonly type: OrderType;
  readonly account: AccountType;
  readonly overridden: readonly GuardName[];
  readonly isShown?: boolean;
  /** Levels of the book to read for a preview: one if the preview needs the best prices alone. */
  readonly levels?: number;
  /** Given if it exists already. */
  readonly snapshot?: MarketSnapshot;
}

/** As many as the interface gives. */
export const PREVIEW_LEVELS = 50;

/** Reads the limits, and starts every request that checking the orders will need. */
export async function orderContext(
  context: Context,
  account: TradingAccount,
  { market, quote }: Market,
  { side, type, overridden, isShown = hasPreview(context), levels = PREVIEW_LEVELS, ...asked }: Asked,
): Promise<OrderContext> {
  const limits = guardLimits((await context.session.connection()).settings);
  const needsMarket = needMarket({ side, type, quote }, limits, overridden);
  const { snapshot = new MarketSnapshot(account.client, { market, side }, isShown ? levels : 1) } = asked;
  if (isShown || needsMarket) snapshot.market();
  if (isShown && asked.account === 'spot') snapshot.balances();
  if (isShown) snapshot.orders();
  return { snapshot, limits, overridden, needsMarket, isShown };
}

/** Whether the command shows a preview: it asks, or is a dry run. */
export function hasPreview({ globals }: Pick<Context, 'globals'>): boolean {
  return globals.dryRun || !globals.yes;
}

/** Orders that were checked. Facts are null if nobody sees a preview. */
export interface CheckedOrders extends Guarded {
  readonly facts: PreviewFacts | null;
}

/** What orders would do and which guards hold them: everything for a preview, otherwise only what the guards need. */
export async function checkOrders(
  account: TradingAccount,
  plan: PlannedOrders,
  { snapshot, limits, needsMarket, isShown }: OrderContext,
): Promise<CheckedOrders> {
  if (isShown) return previewOrders(account, plan, snapshot, limits);
  const seen = needsMarket ? await snapshot.market() : undefined;
  return { facts: null, ...guardOrders(account, plan, seen, limits) };
}

/** Orders that are about to be sent, with what their preview shows. */
interface PreviewedOrders {
  readonly plan: PlannedOrders;
  readonly checked: CheckedOrders;
  readonly overridden: readonly GuardName[];
  readonly question: string;
  /** What the preview says of these orders in particular. */
  readonly text: (screen: Screen, facts: PreviewFacts) => PreviewText;
  /** The answer of `--dry-run`. */
  readonly dryRun: (facts: PreviewFacts, show: (screen: Screen) => string) => Answer;
}

/** The answer of a dry run, or what the guards need when the confirmed orders are sent. */
type Previewed =
  | { readonly answer: Answer; readonly guardedSend: undefined }
  | { readonly answer: undefined; readonly guardedSend: GuardedSend };

/**
 * Shows a preview (or only its warnings if nobody sees one) and asks.
 * @throws Failure as {@link confirmGuarded}
 */
export async function previewAndConfirm(
  context: Context,
  account: TradingAccount,
  { plan, checked, overridden, question, text, dryRun }: PreviewedOrders,
): Promise<Previewed> {
  const { globals, output } = context;
  const { facts, warnings, breaches } = checked;
  if (facts === null) for (const warning of warnings) output.warn(warning);
  else {
    const ofOrders = (screen: Screen) => text(screen, facts);
    const show = await previewTable(context, account, plan, { ...checked, facts }, overridden, ofOrders);
    if (globals.dryRun) return { answer: dryRun(facts, show), guardedSend: undefined };
    output.preview(show);
  }
  await confirmGuarded(context, question, breaches, overridden);
  return {
    answer: undefined,
    guardedSend: await guardedSendOf(context, account, plan.market.quote, checked, overridden),
  };
}

/** The parts of a preview that are not the same for every kind of order. */
export interface PreviewText {
  /** Before everything else. */
  readonly head?: readonly Entry[];
  /** What is asked for, for instance amount and price. */
  readonly asked: readonly Entry[];
  readonly distance: string | null;
  readonly fills: Entry;
  readonly notional: string;
  /** How it is sent, for instance type, account and client id. */
  readonly sent: readonly Entry[];
}

/** What orders will do and where they go, as a table that is shown before the question. */
async function previewTable(
  context: Context,
  { client }: TradingAccount,
  { market, side, account }: PlannedOrders,
  { facts, warnings, breaches }: CheckedOrders & { readonly facts: PreviewFacts },
  overridden: readonly GuardName[],
  text: (screen: Screen) => PreviewText,
): Promise<(screen: Screen) => string> {
  const exchange = await exchangeText(context, client);
  // the question lists the guards itself
  const guards = context.globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : [];
  const { bid, ask, reference, fee, balance } = facts;
  const coin = spentCoin(market, side);
  const unreported = account === 'spot' ? UNKNOWN : `${UNKNOWN}: no operation shows margin balances`;
  return (screen) => {
    const { head = [], asked, distance, fills, notional, sent } = text(screen);
    return record(screen, [
      ...head,
      ['side', sideText(side), (words, paint) => paintSide(words, side, paint)],
      ['market', market.market],
      ...asked,
      ['from mid', distance],
      ['bid, ask', reference === null ? UNKNOWN : `${shown(bid)}, ${shown(ask)} ${market.quote}`],
      fills,
      [side === 'buy' ? 'costs at most' : 'brings at least', `${grouped(notional)} ${market.quote} before the fee`],
      ['fee', feeText(fee)],
      ['available', balance === null ? unreported : `${shown(balance.before)} ${coin}, then ${shown(balance.after)}`],
      ...sent,
      ['exchange', exchange],
      ...guards.map((guard): Entry => ['guard', guard, (words, paint) => paint.bad(words)]),
      ...warnings.map((warning): Entry => ['warning', warning, (words, paint) => paint.warn(words)]),
    ]);
  };
}

export const UNKNOWN = 'unknown';

function feeText(fee: PreviewFacts['fee']): string {
  if (fee === null) return `${UNKNOWN} (no earlier fill in this market)`;
  return `about ${grouped(fee.fee.toString())} ${fee.coin} if it fills, at the rate of earlier orders`;
}

function shown(value: Decimal | null): string {
  return value === null ? 'none' : grouped(value.trimmed().toString());
}

const ACCOUNT_TEXT: Readonly<Record<AccountType, string>> = {
  spot: 'spot',
  isolated: 'isolated margin',
  cross: 'cross margin',
};

/** The account of an order and its loans, for people. */
export function accountText({ account, borrow, repay }: Pick<OrderTerms, 'account' | 'borrow' | 'repay'>): string {
  return `${ACCOUNT_TEXT[account]}${borrow ? ', borrowing' : ''}${repay ? ', repaying' : ''}`;
}

const TYPE_TEXT: Readonly<Record<OrderType, string>> = {
  limit: 'limit',
  postOnly: 'PostOnly (rejected if it would fill at once)',
  ioc: 'IOC (what does not fill at once is cancelled)',
};

/** A single order that was checked, ready to be sent. */
export interface CheckedOrder extends CheckedOrders {
  readonly plan: PlannedOrders;
  readonly order: OrderTerms & { readonly clientId: string; readonly notional: string };
}

/** The table's own parts for a single order; a replacement says some of them in its own way. */
export function orderText(
  { order, plan: { market } }: CheckedOrder,
  { reference, fills }: PreviewFacts,
  own: { readonly amount?: string; readonly price?: string; readonly account?: string } = {},
): PreviewText {
  const { side, type, clientId, notional } = order;
  const { base, quote } = market;
  const amount = grouped(order.amount);
  const average = fills && averagePrice(fills, side);
  const isAll = fills?.amount.compare(Decimal.of(order.amount)) === 0;
  const part = isAll
    ? `all ${amount} ${base}`
    : `${fills?.atLeast ? 'at least ' : ''}${shown(fills?.amount ?? null)} of ${amount} ${base}`;
  const filling = average ? `${part} at ${grouped(average.toString())} ${quote} on average` : 'nothing';
  const name = reference === null || reference.name === 'mid' ? '' : `${reference.name} `;
  return {
    asked: [
      ['amount', own.amount ?? `${amount} ${base}`],
      ['price', own.price ?? `${grouped(order.price)} ${quote}`],
    ],
    distance:
      reference === null
        ? UNKNOWN
        : `${distanceText(distanceFrom(Decimal.of(order.price), reference))} ${name}${shown(reference.price)}`,
    fills: ['fills at once', fills === null ? UNKNOWN : filling],
    notional,
    sent: [
      ['type', TYPE_TEXT[type]],
      ['account', own.account ?? accountText(order)],
      ['client id', clientId],
    ],
  };
}

/** The preview of a single order as programs read it. */
export function orderPreviewData(
  { plan, order, ...checked }: CheckedOrder,
  facts: PreviewFacts,
  overridden: readonly GuardName[],
): Preview {
  const { price, amount, notional, side } = order;
  const { reference, fills } = facts;
  return previewData({ ...checked, facts }, plan, overridden, {
    sums: { price, amount, notional },
    order: {
      distance: text(reference && distanceFrom(Decimal.of(price), reference)),
      fillsAtOnce: text(fills?.amount),
      fillsAtLeast: fills?.atLeast ?? false,
      averagePrice: text(fills && averagePrice(fills, side)),
    },
  });
}

/**
 * What the preview of any orders holds for programs; null is unknown. Guards that hold are among the warnings as well, for
 * programs that read only those.
 */
export function previewData(
  { facts, breaches, warnings }: CheckedOrders & { readonly facts: PreviewFacts },
  { market, side }: PlannedOrders,
  overridden: readonly GuardName[],
  own: {
    readonly sums: Pick<Preview, 'price' | 'amount' | 'notional'>;
    readonly batch?: object;
    readonly order: object;
  },
): Preview {
  const { fee, balance, bid, ask, reference } = facts;
  return {
    ...own.sums,
    fee: text(fee?.fee),
    warnings: [...breaches.map((breach) => breachText(breach, overridden)), ...warnings],
    ...own.batch,
    ...{ feeCoin: fee?.coin ?? null, spentCoin: spentCoin(market, side) },
    ...{ balanceBefore: text(balance?.before), balanceAfter: text(balance?.after) },
    ...{ bid: text(bid), ask: text(ask), mid: text(reference?.price) },
    ...own.order,
    ...{ guards: breaches.map(({ guard, message }) => ({ guard, message, overridden: overridden.includes(guard) })) },
  };
}

function text(value: Decimal | null | undefined): string | null {
  return value?.toString() ?? null;
}

const orNull = (description: string) => shape.orNull(shape.decimal(description));

/** What the preview of any orders holds. */
export const ORDERS_PREVIEW: shape.Fields = {
  ...PREVIEW,
  feeCoin: shape.orNull(shape.text('')),
  spentCoin: shape.text('the coin that pays for it'),
  balanceBefore: orNull('available now, in the coin that is spent'),
  balanceAfter: orNull('available with the order open'),
  bid: orNull('the best one'),
  ask: orNull('the best one'),
  mid: orNull('the middle of the book, or the reference price in its place'),
  guards: shape.list(
    shape.record({
      guard: shape.text('its name'),
      message: shape.text(''),
      overridden: shape.yesNo(''),
    }),
    'those that hold it back',
  ),
};

/** What the preview of a single order holds. */
export const ORDER_PREVIEW: shape.Fields = {
  ...ORDERS_PREVIEW,
  distance: orNull('percent above mid, negative below it'),
  fillsAtOnce: orNull('in the base coin'),
  fillsAtLeast: shape.yesNo('the book shows no more: at least this'),
  averagePrice: orNull('of what fills at once'),
};
