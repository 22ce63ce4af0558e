import { type Fact, factsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, formatAverage, formatPrice } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { AccountType, OrderType, Side } from '../../domain/order.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { RecordedOrderTerms, TypedRequest } from '../../trading/journal/write.js';
import { notionalOf } from '../../trading/orders/terms.js';
import type { Assessment } from '../../trading/preview/ask-again.js';
import { spentCoin } from '../../trading/preview/market-snapshot.js';
import { averagePrice, distanceFrom, distanceText } from '../../trading/preview/market-view.js';
import type { PreviewData } from '../../trading/preview/preview.js';
import { type DryRequest, dryRequest, dryRunShape } from '../writes/dry-run.js';
import { GUARDS_FACT, PREVIEW_FIELDS, previewJson } from '../writes/preview-facts.js';
import type { WriteContext } from '../writes/write.js';

/** Orders that were checked, with what they would do. */
export interface PreviewedOrders extends Assessment {
  readonly preview: PreviewData;
  /** The guards that the command line overrides. */
  readonly overridden: readonly GuardName[];
}

export const UNKNOWN = 'unknown';

const orders = factsOf<PreviewedOrders>();

/** Where any orders go. */
export const PLACE_FACTS = {
  side: sideFact<PreviewedOrders>(({ plan }) => plan.side),
  market: orders({ label: 'market', text: ({ plan }) => plan.market.market }),
};

/** The side of an order, in its color. */
export function sideFact<Of>(sideOf: (of: Of) => Side): Fact<Of> {
  return factsOf<Of>()({
    entries: (of) => [['side', sideText(sideOf(of)), (shown, paint) => paintSide(shown, sideOf(of), paint)]],
  });
}

/** The market that any orders meet. */
export const BOOK_FACT = orders({
  label: 'bid, ask',
  text: ({ plan: { market }, preview: { bid, ask, reference } }) =>
    reference === null ? UNKNOWN : `${priceOrNone(bid, market)}, ${priceOrNone(ask, market)} ${market.quote}`,
  json: {
    bid: [shape.nullable(shape.decimal('the best one')), ({ preview }) => textOrNull(preview.bid)],
    ask: [shape.nullable(shape.decimal('the best one')), ({ preview }) => textOrNull(preview.ask)],
    mid: [
      shape.nullable(shape.decimal('the middle of the book, or the reference price in its place')),
      ({ preview }) => textOrNull(preview.reference?.price),
    ],
  },
});

/** What any orders cost, and what pays for it. */
export const COST_FACTS = {
  notional: orders({
    entries: ({ plan }) => [
      [
        plan.side === 'buy' ? 'costs at most' : 'brings at least',
        `${formatAmount(notionalIn(plan))} ${plan.market.quote} before the fee`,
      ],
    ],
    json: { notional: [PREVIEW_FIELDS.notional, ({ plan }) => notionalIn(plan)] },
  }),
  fee: orders({
    label: 'fee',
    text: ({ plan, preview }) => feeText(preview.fee, plan.side),
    json: {
      fee: [PREVIEW_FIELDS.fee, ({ preview }) => textOrNull(preview.fee?.fee)],
      feeCoin: [shape.nullable(shape.text('')), ({ preview }) => preview.fee?.coin ?? null],
    },
  }),
  available: orders({
    label: 'available',
    text: ({ plan: { market, side, account }, preview: { balance } }) => {
      if (balance === null)
        return account === 'spot' ? UNKNOWN : `${UNKNOWN}: the exchange does not report margin balances`;
      return `${formatAmount(balance.before)} ${spentCoin(market, side)}, then ${formatAmount(balance.after)}`;
    },
    json: {
      spentCoin: [shape.text('the coin that pays for it'), ({ plan }) => spentCoin(plan.market, plan.side)],
      balanceBefore: [
        shape.nullable(shape.decimal('available now, in the coin that is spent')),
        ({ preview }) => textOrNull(preview.balance?.before),
      ],
      balanceAfter: [
        shape.nullable(shape.decimal('available with the order open')),
        ({ preview }) => textOrNull(preview.balance?.after),
      ],
    },
  }),
};

function notionalIn({ orders: all }: PreviewedOrders['plan']): string {
  return Decimal.sum(all.map(notionalOf)).trimmed().toString();
}

function feeText(fee: PreviewData['fee'], side: Side): string {
  if (fee === null) return `${UNKNOWN} (no fill among your newest ${side}s in this market)`;
  return `about ${formatAmount(fee.fee)} ${fee.coin} if it fills, at the rate of earlier orders`;
}

function priceOrNone(price: Decimal | null, market: Market): string {
  return price === null ? 'none' : formatPrice(price, market);
}

function textOrNull(value: Decimal | null | undefined): string | null {
  return value?.toString() ?? null;
}

const TYPE_TEXT: Readonly<Record<OrderType, string>> = {
  limit: 'limit',
  postOnly: 'PostOnly (rejected if it would fill at once)',
  ioc: 'IOC (what does not fill at once is cancelled)',
};

/** A single order: its terms, and its client id unless it was typed without one. */
interface SingleOrder extends PreviewedOrders {
  readonly clientId: string;
  readonly terms: RecordedOrderTerms;
  readonly typed?: TypedRequest | undefined;
}

const order = factsOf<SingleOrder>();

/** What is known of a single order before it is sent. */
export const ORDER_FACTS = {
  ...PLACE_FACTS,
  amount: order({
    label: 'amount',
    text: ({ terms, plan }) => `${formatAmount(terms.amount)} ${plan.market.base}`,
    json: { amount: [PREVIEW_FIELDS.amount, ({ terms }) => terms.amount] },
  }),
  price: order({
    label: 'price',
    text: ({ terms, plan: { market } }) => `${formatPrice(terms.price, market)} ${market.quote}`,
    json: { price: [PREVIEW_FIELDS.price, ({ terms }) => terms.price] },
  }),
  distance: order({
    label: 'from mid',
    text: distanceOf,
    json: {
      distance: [
        shape.nullable(shape.decimal('percent above mid, negative below it')),
        ({ terms, preview: { reference } }) =>
          textOrNull(reference && distanceFrom(Decimal.of(terms.price), reference)),
      ],
    },
  }),
  book: BOOK_FACT,
  fills: order({
    label: 'fills at once',
    text: fillsText,
    json: {
      fillsAtOnce: [
        shape.nullable(shape.decimal('in the base coin')),
        ({ preview }) => textOrNull(preview.fills?.amount),
      ],
      fillsAtLeast: [
        shape.boolean('whether more may fill, from levels that were not read'),
        ({ preview }) => preview.fills?.atLeast ?? false,
      ],
      averagePrice: [
        shape.nullable(shape.decimal('of what fills at once')),
        ({ terms, preview: { fills } }) => textOrNull(fills && averagePrice(fills, terms.side)),
      ],
    },
  }),
  ...COST_FACTS,
  type: order({ label: 'type', text: ({ terms }) => TYPE_TEXT[terms.type] }),
  account: order({ label: 'account', text: ({ terms }) => accountText(terms) }),
  clientId: order({
    label: 'client id',
    text: ({ clientId, typed }) => (typed?.hasClientId === false ? 'none' : clientId),
  }),
  guards: GUARDS_FACT,
};

function distanceOf({ terms, plan: { market }, preview: { reference } }: SingleOrder): string {
  if (reference === null) return UNKNOWN;
  const name = reference.name === 'mid' ? '' : `${reference.name} `;
  const distance = distanceText(distanceFrom(Decimal.of(terms.price), reference));
  return `${distance} ${name}${formatPrice(reference.price, market)}`;
}

function fillsText({ terms, plan: { market }, preview: { fills } }: SingleOrder): string {
  if (fills === null) return UNKNOWN;
  const { base, quote } = market;
  const average = averagePrice(fills, terms.side);
  if (!average) return 'nothing';
  const amount = formatAmount(terms.amount);
  const isAll = fills.amount.equals(Decimal.of(terms.amount));
  const part = isAll
    ? `all ${amount} ${base}`
    : `${fills.atLeast ? 'at least ' : ''}${formatAmount(fills.amount)} of ${amount} ${base}`;
  return `${part} at ${averageText(average, terms.side, market)} ${quote} on average`;
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
export function dryOrder(context: WriteContext, single: SingleOrder): DryRequest {
  const { terms, clientId, typed } = single;
  const request = { kind: 'order', terms, clientId, parameters: typed?.parameters } as const;
  return dryRequest(context, request, previewJson(ORDER_FACTS, single));
}

/** The dry run of a single order. */
export const DRY_ORDER = dryRunShape(ORDER_FACTS);
