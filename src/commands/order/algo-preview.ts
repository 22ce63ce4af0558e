import { factsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { type Decimal, formatAmount, formatPrice } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { RecordLine } from '../../terminal/table.js';
import type { TermsMarket } from '../../trading/algos/plan/check-terms.js';
import { namedPriceOf } from '../../trading/algos/plan/entries/entry-kinds.js';
import { type AlgoTerms, EXIT_PRICES, kindOf, mapExitPrices } from '../../trading/algos/plan/terms.js';
import { spentCoin } from '../../trading/preview/market-snapshot.js';
import { distanceFrom, distanceText, referenceOf, viewOf } from '../../trading/preview/market-view.js';
import { algoTermsRow, TERMS_FIELDS } from '../algo/view/algo-fields.js';
import { doesEntries } from '../algo/view/algo-row.js';
import { wordsOf } from '../algo/view/entry-words.js';
import { algoSentences } from '../algo/view/sentences.js';
import { type DryRequest, dryRunShape } from '../writes/dry-run.js';
import { GUARDS_FACT, PREVIEW_FIELDS, previewJson, type Warned } from '../writes/preview-facts.js';
import type { AlgoDraft } from './algo-args.js';
import { sideFact } from './preview.js';

/** An algo order with its expressions evaluated and checked. Its breach is that of the guard of the algo order as a whole. */
export interface PlannedAlgo extends Required<Warned> {
  /** As it was asked for, with what its prices and amounts came to. */
  readonly evaluated: AlgoDraft;
  readonly terms: AlgoTerms;
  readonly market: TermsMarket;
  readonly spendable: Decimal | Failure;
  /** That of the guards, as a share; null if it is off. */
  readonly priceBand: Decimal | null;
}

const fact = factsOf<PlannedAlgo>();

/** What is known of an algo order before it is created. */
export const ALGO_FACTS = {
  side: sideFact<PlannedAlgo>(({ terms }) => terms.side),
  market: fact({ label: 'market', text: ({ terms }) => terms.market.market }),
  amount: fact({
    label: 'amount',
    text: ({ terms: { amount, market } }) => `${formatAmount(amount)} ${market.base}`,
    json: { amount: [PREVIEW_FIELDS.amount, ({ terms }) => terms.amount.toString()] },
  }),
  kind: fact({ label: 'kind', text: ({ terms }) => kindOf(terms) }),
  prices: fact({
    entries: priceEntries,
    json: {
      price: [PREVIEW_FIELDS.price, ({ terms }) => firstPrice(terms)?.toString() ?? null],
      notional: [
        PREVIEW_FIELDS.notional,
        ({ terms }) => firstPrice(terms)?.times(terms.amount).trimmed().toString() ?? null,
      ],
    },
  }),
  book: fact({
    label: 'bid, ask',
    text: ({ terms: { market: rules }, market: { bid, ask } }) => {
      const shown = (price: Decimal | null) => (price === null ? 'none' : formatPrice(price, rules));
      return `${shown(bid)}, ${shown(ask)} ${rules.quote}`;
    },
  }),
  does: fact({
    entries: (planned) => doesEntries(sentencesOf(planned).does),
    json: {
      does: [shape.array(shape.text(''), 'what it will do, in sentences'), (planned) => sentencesOf(planned).does],
    },
  }),
  exchangeKnows: fact({
    label: 'exchange knows',
    text: (planned) => sentencesOf(planned).exchangeKnows,
    json: { exchangeKnows: [shape.text('what works without pit'), (planned) => sentencesOf(planned).exchangeKnows] },
  }),
  onlyPitKnows: fact({
    label: 'only pit knows',
    text: (planned) => sentencesOf(planned).onlyPitKnows,
    json: {
      onlyPitKnows: [shape.text('what happens only while pit watches'), (planned) => sentencesOf(planned).onlyPitKnows],
    },
  }),
  available: fact({
    label: 'available',
    text: ({ spendable, terms: { market, side } }) =>
      spendable instanceof Failure ? 'unknown' : `${formatAmount(spendable)} ${spentCoin(market, side)}`,
  }),
  guards: GUARDS_FACT,
};

function sentencesOf({ terms, market, priceBand }: PlannedAlgo) {
  return algoSentences(terms, market, { priceBand });
}

/** The price that its amount is counted at for programs; null if nothing names one. */
function firstPrice({ entry, exits }: AlgoTerms): Decimal | null {
  return namedPriceOf(entry) ?? exits?.take ?? exits?.stop ?? null;
}

function priceEntries({ terms: { side, market: rules, entry, exits }, market }: PlannedAlgo): RecordLine[] {
  const reference = referenceOf(viewOf(market), side);
  const priced = (label: string, price: Decimal | null): RecordLine[] => {
    if (price === null) return [];
    const distance = reference === null ? '' : `, ${distanceText(distanceFrom(price, reference))}`;
    return [[label, `${formatPrice(price, rules)} ${rules.quote}${distance}`]];
  };
  return [
    ...(entry === null ? [] : priced(wordsOf(entry).price, namedPriceOf(entry))),
    ...(entry === null ? [] : wordsOf(entry).rows(entry, rules)),
    ...(exits === null
      ? []
      : Object.values(mapExitPrices((name) => priced(EXIT_PRICES[name].label, exits[name]))).flat()),
  ];
}

/** What would be created, as programs read it. There is no request of its own. */
export function dryAlgo(planned: PlannedAlgo): DryRequest {
  return { operation: 'algo', request: algoTermsRow(planned.terms), preview: previewJson(ALGO_FACTS, planned) };
}

/** The dry run of an algo order. */
export const DRY_ALGO = dryRunShape(ALGO_FACTS, {
  operation: shape.text('algo: its orders are placed later'),
  request: shape.object(TERMS_FIELDS, 'the algo order that would be created'),
});
