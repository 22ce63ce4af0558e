import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { TermsMarket } from '../../trading/algos/plan/check-terms.js';
import type { AlgoTerms } from '../../trading/algos/plan/terms.js';
import { countAlgo } from '../../trading/algos/record/agent-algos.js';
import { encodeFact } from '../../trading/algos/record/facts.js';
import { lineKey, totals } from '../../trading/batches/lines.js';
import type { BatchLine, BatchTerms, RecordedOrderTerms } from '../../trading/journal/write.js';
import { notionalText, remainderOf, termsKey, termsText } from '../../trading/orders/terms.js';
import type { OrderToPlace, WorkedOut } from '../../trading/prepared/prepared-write.js';
import type { GivenAccount } from '../../trading/replace/order-account.js';
import type { ReplacePlan } from '../../trading/replace/plan.js';
import { algoSentences, algoText } from '../algo/view/sentences.js';
import { type AlgoDraft, algoDraftArgs } from './algo-args.js';
import { type LadderInput, ladderText } from './batch-input.js';
import { ladderArgs, orderArgs, replaceArgs } from './order-args.js';
import { accountText } from './preview.js';

/*
 * What a command of orders does for an agent: the command line with the numbers that its expressions came to, and the orders that it
 * places and cancels. All of it follows from the terms that are sent, so that nothing else can be shown than what is sent.
 */

/** An order at its final price and amount. */
export function orderForAgent(terms: RecordedOrderTerms): WorkedOut {
  const { market, side, account, price, amount, expressions } = terms;
  const key = (of: string) => `${market} ${side} ${account} ${of}`;
  return {
    ...{ kind: 'order', market, argv: orderArgs(terms), ...NOTHING },
    // its type and loans do not matter: an agent that repeats an order may have changed them
    key: key(termsKey(price, amount)),
    askedKey: expressions === undefined ? null : key(`${expressions.price} ${expressions.amount}`),
    text: `${termsText(terms)} (${terms.type}, ${accountText(terms)})`,
    places: [placed(terms)],
    notional: notionalText(terms),
  };
}

/** The orders of a ladder. */
export function ladderForAgent(
  { market, side, account }: Pick<BatchTerms, 'market' | 'side' | 'account'>,
  orders: { readonly asked: LadderInput; readonly evaluated: LadderInput; readonly lines: readonly BatchLine[] },
): WorkedOut {
  const { asked, evaluated, lines } = orders;
  const { amount, notional } = totals(lines);
  const prices = lines.map(([, price]) => price).sort((one, other) => Decimal.of(one).compare(Decimal.of(other)));
  const range = [...new Set([prices[0] ?? '', prices.at(-1) ?? ''])].map(grouped).join(' to ');
  const what = `${side} ${formatAmount(amount)} ${market}${lines.length > 1 ? ' in all' : ''} at ${range}`;
  const common = { side, type: 'limit', account, borrow: false, repay: false } as const;
  const key = (of: string) => `${market} ${side} ${account} ${of}`;
  return {
    ...{ kind: 'ladder', market, argv: ladderArgs({ side, market, account }, evaluated), ...NOTHING },
    key: key(lines.map(lineKey).toSorted().join(', ')),
    askedKey: key(ladderText(asked)),
    text: `${lines.length} orders: ${what} (limit, ${accountText(common)})`,
    places: lines.map(([, price, size]) => placed({ ...common, price, amount: size })),
    notional: notional.trimmed().toString(),
  };
}

/** A replacement: its order is counted with what has filled of the replaced one. */
export function replacementForAgent(
  { order, terms }: ReplacePlan,
  { account, borrow, repay }: GivenAccount,
): WorkedOut {
  const { market, wanted } = terms;
  const rest = remainderOf(wanted, terms.filled ?? order.filled);
  const at = { kind: 'number', price: Decimal.of(wanted.price) } as const;
  const amount = { kind: 'base', amount: Decimal.of(wanted.amount) } as const;
  const { id, side, price, amount: size, filled } = order;
  return {
    ...{ kind: 'replace', market, ...NOTHING },
    argv: replaceArgs(market, id, { at, amount, account, borrow, repay }),
    ...{ key: null, askedKey: null },
    text: `cancel order ${id} and ${termsText(rest)} instead (${rest.type}, ${accountText(rest)})`,
    places: [placed(rest)],
    cancels: [{ id, side, price, amount: size, filled }],
    notional: notionalText(rest),
  };
}

/**
 * An algo order as it would begin in this market.
 * @param evaluated with what its prices and amounts came to
 */
export function algoForAgent(evaluated: AlgoDraft, terms: AlgoTerms, market: TermsMarket): WorkedOut {
  const { bid, ask } = market;
  // the limits of the agent are those of whoever commits it
  const { agent: _, ...own } = terms;
  const line = encodeFact({ fact: 'began', time: 0, terms: { ...own, id: '' }, bid: null, ask: null });
  return {
    ...{ kind: 'algo', market: terms.market.market, ...NOTHING },
    argv: algoDraftArgs(evaluated, []),
    ...{ key: line, askedKey: null },
    text: `algo order: ${algoText(terms)}`,
    does: algoSentences(terms, { bid, ask }).does,
    notional: countAlgo(terms, market).largest.trimmed().toString(),
  };
}

const NOTHING = { does: [], places: [], cancels: [] } as const;

function placed({ side, type, account, borrow, repay, price, amount }: OrderToPlace): OrderToPlace {
  return { side, type, account, borrow, repay, price, amount };
}
