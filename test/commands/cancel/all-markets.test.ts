import { describe, expect, it } from 'vitest';
import { marketsToCancel } from '../../../src/commands/cancel/all-markets.js';
import { Failure } from '../../../src/errors.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

interface Known {
  /** The markets of the exchange whose rules can be read. */
  readonly listed?: readonly string[] | Failure;
  /** Those whose rules cannot be read; null is one without a name. */
  readonly leftOut?: readonly (string | null)[];
  /** Those of the journal. */
  readonly traded?: readonly string[] | Failure;
  /** Those in which a side had open orders when it was read last. */
  readonly open?: Readonly<Record<string, 'buy' | 'sell'>>;
}

function marketsOf({ listed = [], leftOut = [], traded = [], open = {} }: Known) {
  const orThrow = <Value>(value: Value | Failure): Value => {
    if (value instanceof Failure) throw value;
    return value;
  };
  const named = (names: readonly (string | null)[]) =>
    names.map((market) => ({ market, name: 'a', reason: 'no rules' }));
  const catalog = { all: async () => named(orThrow(listed)), leftOut: async () => named(leftOut) };
  const trading = {
    journal: { markets: () => orThrow(traded) },
    knownSides: {
      read: ({ market, side }: { market: string; side: string }) => ({ followed: open[market] === side ? [1] : [] }),
    },
  } as unknown as TradingContext;
  return marketsToCancel({ session: { markets: async () => catalog } as never }, trading);
}

describe('the markets in which everything is cancelled', () => {
  it('begin with those that had open orders, and those of the journal, each once', async () => {
    const known = {
      listed: ['a_b', 'c_d', 'e_f', 'g_h'],
      traded: ['e_f', 'c_d', 'old_gone'],
      open: { g_h: 'sell', c_d: 'buy' },
    } as const;
    const { names, known: traded, failure } = await marketsOf(known);
    expect(names).toEqual(['c_d', 'g_h', 'e_f', 'a_b']);
    expect([...traded]).toEqual(['e_f', 'c_d', 'old_gone']);
    expect(failure).toBeUndefined();
  });

  it('include those whose rules cannot be read, and say that one has no name', async () => {
    expect(await marketsOf({ listed: ['a_b'], leftOut: ['c_d'] })).toMatchObject({
      ...{ names: ['a_b', 'c_d'], failure: undefined },
    });
    expect(await marketsOf({ listed: ['a_b'], leftOut: ['c_d', null] })).toMatchObject({
      ...{ names: ['a_b', 'c_d'], failure: { kind: 'partial' } },
    });
  });

  it('are those of the journal if the exchange lists none, and those of the exchange if the journal cannot be read', async () => {
    const failure = new Failure('unreachable', 'Connection reset.');
    expect(await marketsOf({ listed: failure, traded: ['e_f'] })).toEqual({
      ...{ names: ['e_f'], known: new Set(['e_f']), failure },
    });
    expect(await marketsOf({ listed: ['a_b'], traded: failure })).toEqual({
      ...{ names: ['a_b'], known: new Set(), failure: undefined },
    });
  });
});
