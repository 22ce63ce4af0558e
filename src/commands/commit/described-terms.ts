import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { totals } from '../../trading/batches/lines.js';
import { notionalText, remainderOf, termsText } from '../../trading/orders/terms.js';
import { algoIn, type OrderToCancel, type PreparedTerms } from '../../trading/prepared/prepared-write.js';
import { algoSentences, algoText } from '../algo/sentences.js';
import { accountText } from '../order/preview.js';

/** An order that a prepared write places. */
interface OrderToPlace {
  readonly side: 'buy' | 'sell';
  readonly type: 'limit' | 'postOnly' | 'ioc';
  readonly account: 'spot' | 'isolated' | 'cross';
  readonly price: string;
  readonly amount: string;
  /** Price x amount, in the quote coin. */
  readonly notional: string;
}

/** What a prepared write does. */
interface DescribedTerms {
  /** In a sentence. */
  readonly text: string;
  /** What an algo order will do, in sentences. */
  readonly does?: readonly string[];
  readonly places: readonly OrderToPlace[];
  readonly cancels: readonly OrderToCancel[];
  /** Of all orders that it places, in the quote coin; null if it places none. */
  readonly notional: string | null;
}

/** Describes a prepared write by the terms that are sent, so that nothing else can be shown than what is sent. */
export function describedTerms(write: PreparedTerms): DescribedTerms {
  switch (write.kind) {
    case 'algo': {
      const { terms, bid, ask } = algoIn(write.terms);
      const { does } = algoSentences(terms, { bid, ask });
      const text = `algo order: ${algoText(terms)}`;
      return { text, does, places: [], cancels: [], notional: write.terms.notional };
    }
    case 'algoCancel':
    case 'algoPause':
    case 'algoResume':
      return { text: write.terms.text, places: [], cancels: [], notional: null };
    case 'order': {
      const { terms } = write;
      const text = `${termsText(terms)} (${terms.type}, ${accountText(terms)})`;
      return { text, places: [placed(terms)], cancels: [], notional: notionalText(terms) };
    }
    case 'ladder': {
      const { market, side, account, lines } = write.terms;
      const { amount, notional } = totals(lines);
      const prices = lines.map(([, price]) => price).sort((one, other) => Decimal.of(one).compare(Decimal.of(other)));
      const range = [...new Set([prices[0] ?? '', prices.at(-1) ?? ''])].map(grouped).join(' to ');
      const what = `${side} ${formatAmount(amount)} ${market}${lines.length > 1 ? ' in all' : ''} at ${range}`;
      const where = accountText({ account, borrow: false, repay: false });
      return {
        text: `${lines.length} orders: ${what} (limit, ${where})`,
        places: lines.map(([, price, size]) => placed({ side, type: 'limit', account, price, amount: size })),
        cancels: [],
        notional: notional.trimmed().toString(),
      };
    }
    case 'replace': {
      const { terms, replaced } = write;
      const rest = remainderOf(terms.wanted, terms.filled ?? replaced.filled);
      const instead = `${termsText(rest)} instead (${rest.type}, ${accountText(rest)})`;
      return {
        text: `cancel order ${replaced.id} and ${instead}`,
        places: [placed(rest)],
        cancels: [replaced],
        notional: notionalText(rest),
      };
    }
    case 'cancel': {
      const { market, orders } = write.terms;
      const what = orders.length === 1 ? `order ${orders[0]?.id}` : `${orders.length} orders`;
      return { text: `cancel ${what} in ${market}`, places: [], cancels: orders, notional: null };
    }
  }
}

function placed({ side, type, account, price, amount }: Omit<OrderToPlace, 'notional'>): OrderToPlace {
  return { side, type, account, price, amount, notional: notionalText({ price, amount }) };
}
