import { expect, it } from 'vitest';
import { type Facts, factsOf, fieldsOf, shownOf } from '../../../src/cli/fact-list.js';
import * as shape from '../../../src/cli/shapes.js';
import { GUARDS_FACT, PREVIEW_FIELDS, previewJson } from '../../../src/commands/writes/preview-facts.js';
import { screenOf } from '../../../src/terminal/screen.js';

const PLAIN = screenOf(Object.assign(Object.create(null), { isTTY: false }), {});

interface Loan {
  readonly amount: string;
  readonly note: string | null | undefined;
  readonly warnings: readonly { readonly text: string }[];
}

const fact = factsOf<Loan>();

const LOAN_FACTS = {
  amount: fact({
    label: 'borrows',
    text: ({ amount }) => `${amount} btc`,
    json: { amount: [PREVIEW_FIELDS.amount, ({ amount }) => amount], days: [shape.integer('of the loan'), () => 7] },
  }),
  note: fact({ label: 'note', text: ({ note }) => note }),
};

const LOAN: Loan = { amount: '2', note: 'for a week', warnings: [{ text: 'dear' }] };

const shown = (facts: Facts<Loan>, loan: Loan) =>
  shownOf(facts, loan)
    .lines(PLAIN)
    .map(([label, text]) => [label, text]);

it('shows the line, the JSON fields and the schema of one fact', () => {
  expect(shown({ amount: LOAN_FACTS.amount }, LOAN)).toEqual([['borrows', '2 btc']]);
  expect(previewJson(LOAN_FACTS, LOAN)).toMatchObject({ amount: '2', days: 7 });
  expect(fieldsOf(LOAN_FACTS)).toEqual({ amount: PREVIEW_FIELDS.amount, days: shape.integer('of the loan') });
});

it('gives programs the fields of any preview, with null for what no fact says', () => {
  expect(previewJson(LOAN_FACTS, LOAN)).toEqual({
    ...{ price: null, amount: '2', notional: null, fee: null, warnings: ['dear'], days: 7 },
  });
});

it('shows a missing text as a line, and leaves out a line without a text', () => {
  const { note } = LOAN_FACTS;
  expect(shown({ note }, { ...LOAN, note: null })).toEqual([['note', null]]);
  expect(shown({ note }, { ...LOAN, note: undefined })).toEqual([]);
});

it('puts a fact that replaces another in its place', () => {
  const facts = { ...LOAN_FACTS, amount: fact({ label: 'lends', text: ({ amount }) => amount }) };
  expect(shown(facts, LOAN)).toEqual([
    ['lends', '2'],
    ['note', 'for a week'],
  ]);
});

it('names a guard that blocks among the warnings and in a field of its own, and says if it is overridden', () => {
  const breaches = [{ guard: 'price-band', message: 'too far', failure: null }] as const;
  const json = previewJson({ guards: GUARDS_FACT }, { breaches, overridden: ['price-band'], warnings: [] });
  // people read it in the question
  const guarded = { breaches, overridden: [], warnings: [] };
  expect(shownOf({ guards: GUARDS_FACT }, guarded).lines(PLAIN)).toEqual([]);
  expect(json).toMatchObject({
    warnings: ['price-band (overridden): too far'],
    guards: [{ guard: 'price-band', message: 'too far', overridden: true }],
  });
});
