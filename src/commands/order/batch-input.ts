import { requireConsent } from '../../cli/consent.js';
import { bestPrices } from '../../domain/book.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Side } from '../../domain/order.js';
import { Failure, quoted, usage } from '../../errors.js';
import { checkLines, refuseGroupedRows } from '../../trading/batches/check-lines.js';
import { averagePriceOf, rungsOf, type Weight } from '../../trading/batches/ladder.js';
import { totals } from '../../trading/batches/lines.js';
import { type ParsedLines, parseLines } from '../../trading/batches/parse-lines.js';
import {
  type AmountExpression,
  amountTerms,
  amountText,
  evaluateAmount,
  evaluatePrice,
  type PriceExpression,
  parsePrice,
  priceText,
} from '../../trading/expressions.js';
import type { BatchLine } from '../../trading/journal/write.js';
import { type MarketSnapshot, orThrow } from '../../trading/preview/market-snapshot.js';
import { referenceOf } from '../../trading/preview/market-view.js';
import { wholeNumber } from '../inputs/parsers.js';
import { readNamedFile } from '../named-files/input.js';
import type { Context } from '../session/command.js';

/** The flags that say which orders are meant. */
interface Flags {
  readonly file: string | undefined;
  readonly ladder: Ladder | undefined;
  readonly amount: AmountExpression | undefined;
  readonly weight: Weight | undefined;
  readonly resume: string | undefined;
}

/** Which orders are meant, before anything is requested from the exchange. */
export type BatchInput =
  | ({ readonly kind: 'lines' } & ParsedLines)
  | LadderInput
  | { readonly kind: 'resume'; readonly job: string; readonly lines: readonly BatchLine[] | undefined };

/** A ladder with the amount that its orders share. */
export interface LadderInput {
  readonly kind: 'ladder';
  readonly ladder: Ladder;
  readonly amount: AmountExpression;
  readonly weight: Weight;
}

/** A ladder as the user wrote it. */
interface Ladder {
  readonly from: PriceExpression;
  readonly to: PriceExpression;
  readonly count: number;
}

const MAX_ORDERS = 100_000;

/** Parses `30000:31000:20` and `bid:bid-2%:10`. Throws Failure `usage`. */
export function parseLadder(word: string): Ladder {
  const [from, to, count, ...rest] = word.split(':');
  if (from === undefined || to === undefined || count === undefined || rest.length > 0) {
    const form = 'Write FROM:TO:N, two prices and how many orders: 30000:31000:20, or bid:bid-2%:10.';
    throw usage(`${quoted(word)} is not a ladder.`, form);
  }
  const orders = wholeNumber('The number of orders of a ladder', 2, MAX_ORDERS);
  return { from: parsePrice(from), to: parsePrice(to), count: orders(count) };
}

/** The orders of a new job. */
export type NewOrders = Exclude<BatchInput, { kind: 'resume' }>;

/** The words of a ladder, the same for all ways to write it. */
export function ladderText({ ladder, amount, weight }: LadderInput): string {
  return `${priceText(ladder.from)}:${priceText(ladder.to)}:${ladder.count} ${amountText(amount)} ${weight}`;
}

/** Far more than a job of a whole day, in bytes. */
const RULES = { max: 32 * 2 ** 20, hint: 'It must be a file that you may read, or - for stdin. Split a longer one.' };

/** Reads what the flags name. Throws Failure `usage`. */
export async function readInput(context: Context, flags: Flags): Promise<BatchInput> {
  // before stdin is read to its end
  requireConsent(context);
  const { file, ladder, amount, weight = 'equal', resume } = flags;
  if (ladder !== undefined && amount !== undefined) return { kind: 'ladder', ladder, amount, weight };
  const text = file === undefined ? undefined : (await readNamedFile(context, file, RULES)).toString('utf8');
  const parsed = text === undefined ? undefined : parseLines(text);
  if (resume !== undefined) return { kind: 'resume', job: resume, lines: parsed?.lines };
  return { kind: 'lines', lines: [], grouped: [], ...parsed };
}

/** The orders to send, and what a ladder leaves of its amount. */
interface ResolvedOrders {
  readonly lines: readonly BatchLine[];
  /** The ladder with its expressions evaluated. */
  readonly ladder?: LadderInput;
  readonly unused?: string;
}

/** The orders of a file or a ladder, which follow the market's rules. Throws Failure. */
export async function newOrders(
  input: NewOrders,
  snapshot: MarketSnapshot,
  market: Market,
  side: Side,
): Promise<ResolvedOrders> {
  if (input.kind === 'ladder') return ordersOfLadder(input, snapshot, market, side);
  const { lines, grouped } = input;
  if (grouped.length > 0) {
    const book = await snapshot.book();
    refuseGroupedRows(grouped, lines, market, book instanceof Failure ? null : referenceOf(book, side));
  }
  checkLines(market, lines, 'Line');
  return { lines };
}

async function ordersOfLadder(
  { ladder: asked, amount, weight }: LadderInput,
  snapshot: MarketSnapshot,
  market: Market,
  side: Side,
): Promise<ResolvedOrders> {
  const resolved = await resolveLadder(snapshot, market, asked, { side, amount, weight });
  const { lines, from, to, total, unused, requested, coin } = resolved;
  checkLines(market, lines, 'Order');
  const ends = {
    from: { kind: 'number', price: from },
    to: { kind: 'number', price: to },
    count: asked.count,
  } as const;
  const ladder = { kind: 'ladder', ladder: ends, amount: { kind: 'base', amount: total }, weight } as const;
  if (unused.sign <= 0) return { lines, ladder };
  return { lines, ladder, unused: `${formatAmount(unused)} of ${formatAmount(requested)} ${coin}` };
}

/** The orders of a ladder, and what rounding leaves of the amount that was asked for. */
interface LadderOrders {
  readonly lines: readonly BatchLine[];
  readonly from: Decimal;
  readonly to: Decimal;
  /** The amount that was asked for, in the base coin. */
  readonly total: Decimal;
  readonly unused: Decimal;
  readonly requested: Decimal;
  /** The coin of both. */
  readonly coin: string;
}

/**
 * The orders of a ladder, its relative prices resolved against one reading of the book, and a share against the balance.
 * Throws Failure.
 */
async function resolveLadder(
  snapshot: MarketSnapshot,
  market: Market,
  { from, to, count }: Ladder,
  { side, amount, weight }: { readonly side: Side; readonly amount: AmountExpression; readonly weight: Weight },
): Promise<LadderOrders> {
  const isRelative = from.kind === 'relative' || to.kind === 'relative';
  if (amount.kind === 'share') snapshot.balances();
  const best = isRelative ? bestPrices(await orThrow(snapshot.book())) : { bid: null, ask: null };
  const [first, last] = [from, to].map((price) => evaluatePrice(price, best, side, market.priceScale));
  if (first === undefined || last === undefined || first.sign <= 0 || last.sign <= 0)
    throw usage(`The ladder goes from ${first} to ${last}, which is not above zero.`, 'Choose a smaller offset.');
  const shape = { side, weight, from: first, to: last, count };
  const available = amount.kind === 'share' ? await orThrow(snapshot.spendable(market, side)) : Decimal.zero;
  const total = evaluateAmount(amount, amountTerms(market, side, averagePriceOf(shape, market)), available);
  const { lines, rest } = rungsOf({ ...shape, total }, market);
  const value = quoteValueOf(amount, market, side, available);
  const evaluated = { lines, from: first, to: last, total };
  if (value === undefined) return { ...evaluated, unused: rest, requested: total, coin: market.base };
  const unused = value.minus(totals(lines).notional).rescaled(market.priceScale, 'down');
  return { ...evaluated, unused, requested: value.rescaled(market.priceScale, 'down'), coin: market.quote };
}

/** What an amount is worth in the quote coin, if that is how it was given. */
function quoteValueOf(
  amount: AmountExpression,
  { quote }: Market,
  side: Side,
  available: Decimal,
): Decimal | undefined {
  if (amount.kind === 'value' && amount.coin === quote) return amount.value;
  const isShareOfQuote = amount.kind === 'share' && side === 'buy';
  return isShareOfQuote ? available.times(amount.percent).times(Decimal.of('0.01')) : undefined;
}
