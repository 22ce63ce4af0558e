import { expect, it } from 'vitest';
import type { Ticker } from '../../../src/domain/market-data.js';
import { alertField, type Field } from '../../../src/trading/alerts/fields.js';

const TICKER: Ticker = {
  ...{ bid: '99.0', ask: '101.0', last: '100.5', open: '98', high: '110', low: '90' },
  ...{ change: '-2.5', volume: '1234.5' },
};
const EMPTY: Ticker = {
  ...{ bid: null, ask: null, last: null, open: null, high: null, low: null },
  ...{ change: null, volume: null },
};

/** The value of each condition in that ticker. */
const VALUES: Readonly<Record<Field, string>> = {
  ...{ last: '100.5', bid: '99.0', ask: '101.0', high: '110', low: '90' },
  ...{ change: '-2.5', spread: '2', volume: '1234.5' },
};

it.each(Object.entries(VALUES))(
  'the condition %s has the value %s in a ticker, and none in an empty one',
  (name, value) => {
    const { valueIn } = alertField(name as Field);
    expect([valueIn(TICKER)?.toString(), valueIn(EMPTY)]).toEqual([value, null]);
  },
);
