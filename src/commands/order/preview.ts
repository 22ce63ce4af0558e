import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, formatAverage, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, OrderType, Side } from '../../domain/order.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record } from '../../terminal/table.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { RecordedOrderTerms, TypedRequest } from '../../trading/journal/write.js';
import { notionalText } from '../../trading/orders/terms.js';
import type { Assessment } from '../../trading/preview/ask-again.js';
import { spentCoin } from '../../trading/preview/market-snapshot.js';
import { averagePrice, distanceFrom, distanceText } from '../../trading/preview/market-view.js';
import type { PreviewData } from '../../trading/preview/preview.js';
import { dryRunShape, PREVIEW_FIELDS, type PreviewJson } from '../writes/dry-run.js';
import { breachText, GUARD_FIELDS, guardRows } from '../writes/guard-overrides.js';
import { dryRequest, exchangeText, type WriteContext } from '../writes/write.js';

/** Orders that were checked, with what they would do. */
interface Previewed extends Assessment {
  readonly preview: PreviewData;
}

/** The parts of a preview that are not the same for every kind of order. */
export interface PreviewText {
  /** Before everything else. */
  readonly head?: readonly RecordLine[];
  /** What is asked for, for instance amount and price. */
  readonly requested: readonly RecordLine[];
  readonly distance: string | null;
  readonly fills: RecordLine;
  readonly notional: string;
  /** How it is sent, for instance type, account and client id. */
  readonly details: readonly RecordLine[];
}

/** What orders will do and where they go, as a table that is shown before the question. */
export async function previewTable(
  context: WriteContext,
  { plan, preview, warnings, breaches }: Previewed,
  overridden: readonly GuardName[],
  text: (screen: Screen) => PreviewText,
): Promise<(screen: Screen) => string> {
  const { market, side, account } = plan;
  const exchange = await exchangeText(context);
  // the question lists the guards itself
  const guards = context.globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : [];
  const { bid, ask, reference, fee, balance } = preview;
  const coin = spentCoin(market, side);
  const unreported = account === 'spot' ? UNKNOWN : `${UNKNOWN}: the exchange does not report margin balances`;
  return (screen) => {
    const { head = [], requested, distance, fills, notional, details } = text(screen);
    return record(screen, [
      ...head,
      ['side', sideText(side), (shown, paint) => paintSide(shown, side, paint)],
      ['market', market.market],
      ...requested,
      ['from mid', distance],
      [
        'bid, ask',
        reference === null ? UNKNOWN : `${priceOrNone(bid, market)}, ${priceOrNone(ask, market)} ${market.quote}`,
      ],
      fills,
      [
        side === 'buy' ? 'costs at most' : 'brings at least',
        `${formatAmount(notional)} ${market.quote} before the fee`,
      ],
      ['fee', feeText(fee, side)],
      [
        'available',
        balance === null ? unreported : `${formatAmount(balance.before)} ${coin}, then ${formatAmount(balance.after)}`,
      ],
      ...details,
      ['exchange', exchange],
      ...guards.map((guard): RecordLine => ['guard', guard, (shown, paint) => paint.bad(shown)]),
      ...warnings.map((warning): RecordLine => ['warning', warning.text, (shown, paint) => paint.warn(shown)]),
    ]);
  };
}

export const UNKNOWN = 'unknown';

function feeText(fee: PreviewData['fee'], side: Side): string {
  if (fee === null) return `${UNKNOWN} (no fill among your newest ${side}s in this market)`;
  return `about ${formatAmount(fee.fee)} ${fee.coin} if it fills, at the rate of earlier orders`;
}

function priceOrNone(price: Decimal | null, market: Market): string {
  return price === null ? 'none' : formatPrice(price, market);
}

const TYPE_TEXT: Readonly<Record<OrderType, string>> = {
  limit: 'limit',
  postOnly: 'PostOnly (rejected if it would fill at once)',
  ioc: 'IOC (what does not fill at once is cancelled)',
};

/** A single order: its terms, and its client id unless it was typed without one. */
interface SingleOrder {
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
  readonly typed?: TypedRequest | undefined;
}

/** The parts of the table for a single order. A replacement replaces some of them. */
export function orderPreviewText(
  { clientId, terms, typed, plan: { market }, preview: { reference, fills } }: SingleOrder & Previewed,
  custom: { readonly amount?: string; readonly price?: string; readonly account?: string } = {},
): PreviewText {
  const { side, type } = terms;
  const { base, quote } = market;
  const amount = formatAmount(terms.amount);
  const average = fills && averagePrice(fills, side);
  const isAll = fills?.amount.equals(Decimal.of(terms.amount)) === true;
  const part = isAll
    ? `all ${amount} ${base}`
    : `${fills?.atLeast ? 'at least ' : ''}${formatAmount(fills?.amount ?? '0')} of ${amount} ${base}`;
  const filling = average ? `${part} at ${averageText(average, side, market)} ${quote} on average` : 'nothing';
  const name = reference === null || reference.name === 'mid' ? '' : `${reference.name} `;
  return {
    requested: [
      ['amount', custom.amount ?? `${amount} ${base}`],
      ['price', custom.price ?? `${formatPrice(terms.price, market)} ${quote}`],
    ],
    distance:
      reference === null
        ? UNKNOWN
        : `${distanceText(distanceFrom(Decimal.of(terms.price), reference))} ${name}${formatPrice(reference.price, market)}`,
    fills: ['fills at once', fills === null ? UNKNOWN : filling],
    notional: notionalText(terms),
    details: [
      ['type', TYPE_TEXT[type]],
      ['account', custom.account ?? accountText(terms)],
      ['client id', typed?.hasClientId === false ? 'none' : clientId],
    ],
  };
}

/** An average price as text, rounded against the user, as the average itself is. */
export function averageText(average: Decimal | string, side: Side, market: Market): string {
  return formatAverage(average, market, side === 'buy' ? 'up' : 'down');
}

const ACCOUNT_TEXT: Readonly<Record<AccountType, string>> = {
  spot: 'spot',
  isolated: 'isolated margin',
  cross: 'cross margin',
};

/** The account of an order and its loans, for people. */
export function accountText({
  account,
  borrow,
  repay,
}: Pick<RecordedOrderTerms, 'account' | 'borrow' | 'repay'>): string {
  return `${ACCOUNT_TEXT[account]}${borrow ? ', borrowing' : ''}${repay ? ', repaying' : ''}`;
}

/** The request of a single order and its preview, as programs read them. */
export function dryOrder(context: WriteContext, order: SingleOrder & Previewed, overridden: readonly GuardName[]) {
  const { terms, clientId, typed } = order;
  const request = { kind: 'order', terms, clientId, parameters: typed?.parameters } as const;
  return dryRequest(context, request, orderPreviewData(order, overridden));
}

function orderPreviewData(previewed: SingleOrder & Previewed, overridden: readonly GuardName[]): PreviewJson {
  const { terms, preview } = previewed;
  const { price, amount, side } = terms;
  const { reference, fills } = preview;
  return previewData(previewed, overridden, {
    sums: { price, amount, notional: notionalText(terms) },
    order: {
      distance: textOrNull(reference && distanceFrom(Decimal.of(price), reference)),
      fillsAtOnce: textOrNull(fills?.amount),
      fillsAtLeast: fills?.atLeast ?? false,
      averagePrice: textOrNull(fills && averagePrice(fills, side)),
    },
  });
}

/**
 * The preview of any orders for programs; null is unknown. The warnings include the guards that block, for programs that read
 * only the warnings.
 */
export function previewData(
  { plan: { market, side }, preview, breaches, warnings }: Previewed,
  overridden: readonly GuardName[],
  fields: {
    readonly sums: Pick<PreviewJson, 'price' | 'amount' | 'notional'>;
    readonly batch?: object;
    readonly order: object;
  },
) {
  const { fee, balance, bid, ask, reference } = preview;
  return {
    ...fields.sums,
    fee: textOrNull(fee?.fee),
    warnings: [...breaches.map((breach) => breachText(breach, overridden)), ...warnings.map((warning) => warning.text)],
    ...fields.batch,
    feeCoin: fee?.coin ?? null,
    spentCoin: spentCoin(market, side),
    balanceBefore: textOrNull(balance?.before),
    balanceAfter: textOrNull(balance?.after),
    bid: textOrNull(bid),
    ask: textOrNull(ask),
    mid: textOrNull(reference?.price),
    ...fields.order,
    guards: guardRows(breaches, overridden),
  };
}

function textOrNull(value: Decimal | null | undefined): string | null {
  return value?.toString() ?? null;
}

/** What the preview of any orders holds. */
export const COMMON_PREVIEW_FIELDS = {
  ...PREVIEW_FIELDS,
  feeCoin: shape.nullable(shape.text('')),
  spentCoin: shape.text('the coin that pays for it'),
  balanceBefore: shape.nullable(shape.decimal('available now, in the coin that is spent')),
  balanceAfter: shape.nullable(shape.decimal('available with the order open')),
  bid: shape.nullable(shape.decimal('the best one')),
  ask: shape.nullable(shape.decimal('the best one')),
  mid: shape.nullable(shape.decimal('the middle of the book, or the reference price in its place')),
  guards: GUARD_FIELDS,
};

/** The dry run of a single order. */
export const DRY_ORDER = dryRunShape({
  ...COMMON_PREVIEW_FIELDS,
  distance: shape.nullable(shape.decimal('percent above mid, negative below it')),
  fillsAtOnce: shape.nullable(shape.decimal('in the base coin')),
  fillsAtLeast: shape.boolean('whether more may fill, from levels that were not read'),
  averagePrice: shape.nullable(shape.decimal('of what fills at once')),
});
