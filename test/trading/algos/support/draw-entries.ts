import fc from 'fast-check';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoEntry, AlgoEntryName, EntryOf } from '../../../../src/trading/algos/plan/entries/entry-terms.js';

/** What the entries of campaigns are drawn with. */
export interface EntryDraw {
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** A price at which an order rests near the market, or fills at once. */
  readonly near: Decimal;
  /** How much is drawn in all, and the smallest order at the near price. */
  readonly amount: Decimal;
  readonly least: Decimal;
  /** A price beyond which an entry does not follow the market. */
  readonly bound: Decimal;
  /** How long slices may be apart, and how many of them there may be. */
  readonly everyMs: readonly number[];
  readonly slots: readonly number[];
}

/** An entry of each kind, as campaigns draw it. */
const ENTRY_DRAWS: { readonly [Name in AlgoEntryName]: (draw: EntryDraw) => EntryOf<Name> } = {
  limit: ({ pick, near }) => ({ kind: 'limit', type: pick(['limit', 'limit', 'postOnly']), price: near }),
  twap({ chance, pick, everyMs, slots }) {
    const every = pick(everyMs);
    return { kind: 'twap', durationMs: every * pick(slots), everyMs: every, isPassive: chance(0.4), bound: null };
  },
  iceberg: ({ pick, near, amount, least }) => {
    const share = amount.times(Decimal.of(pick(['0.5', '0.34', '0.21']))).rescaled(amount.scale, 'down');
    return {
      kind: 'iceberg',
      type: pick(['limit', 'limit', 'postOnly']),
      price: near,
      show: share.compare(least) < 0 ? least : share,
    };
  },
  chase: ({ chance, bound }) => ({ kind: 'chase', bound: chance(0.5) ? bound : null }),
};

export const DRAWN_ENTRIES = Object.keys(ENTRY_DRAWS) as AlgoEntryName[];

export function drawEntry<Name extends AlgoEntryName>(name: Name, draw: EntryDraw): EntryOf<Name> {
  return ENTRY_DRAWS[name](draw);
}

/** An entry of any kind with any numbers. */
export function anyEntry(decimal: fc.Arbitrary<Decimal>, length: fc.Arbitrary<number>): fc.Arbitrary<AlgoEntry> {
  const bound = fc.option(decimal, { nil: null });
  const entries: { readonly [Name in AlgoEntryName]: fc.Arbitrary<EntryOf<Name>> } = {
    limit: fc.record({
      kind: fc.constant('limit'),
      type: fc.constantFrom('limit', 'postOnly', 'ioc'),
      price: decimal,
    }),
    twap: fc.record({
      ...{ kind: fc.constant('twap'), durationMs: length, everyMs: length },
      ...{ isPassive: fc.boolean(), bound },
    }),
    iceberg: fc.record({
      ...{ kind: fc.constant('iceberg'), type: fc.constantFrom('limit', 'postOnly') },
      ...{ price: decimal, show: decimal },
    }),
    chase: fc.record({ kind: fc.constant('chase'), bound }),
  };
  return fc.oneof<fc.Arbitrary<AlgoEntry>[]>(...Object.values(entries));
}
