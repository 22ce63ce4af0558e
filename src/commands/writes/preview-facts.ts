import { type Facts, factsOf, valuesOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import type { Breach } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';

/** What the preview of any write holds. Facts say those that it knows. */
export const PREVIEW_FIELDS = {
  price: shape.nullable(shape.decimal('')),
  amount: shape.nullable(shape.decimal('')),
  notional: shape.nullable(shape.decimal('price times amount, in the quote coin')),
  fee: shape.nullable(shape.decimal('an estimate')),
  warnings: shape.array(shape.text('')),
};

/** What a preview warns of, and the guards that block the write. */
export interface Warned {
  readonly warnings: readonly {
    readonly text: string;
    /** Whether a fact of the preview says it to people. */
    readonly isFact?: boolean;
  }[];
  readonly breaches?: readonly Breach[];
  readonly overridden?: readonly GuardName[];
}

/** A preview for programs. Null is unknown. */
export type PreviewJson = shape.InferFields<typeof PREVIEW_FIELDS> & Readonly<Record<string, unknown>>;

/** For a write whose effects are unknown before it is sent. */
export const NO_PREVIEW: PreviewJson = { price: null, amount: null, notional: null, fee: null, warnings: [] };

/** The warnings include the guards that block, for programs that read only these. */
export function previewJson<Of extends Warned>(facts: Facts<Of>, of: Of): PreviewJson {
  const warnings = [...guardTexts(of), ...of.warnings.map(({ text }) => text)];
  return { ...NO_PREVIEW, warnings, ...valuesOf(facts, of) };
}

/** Each guard that blocks as a sentence; says if it is overridden. */
export function guardTexts({ breaches = [], overridden = [] }: Pick<Warned, 'breaches' | 'overridden'>): string[] {
  return breaches.map(
    ({ guard, message }) => `${guard}${overridden.includes(guard) ? ' (overridden)' : ''}: ${message}`,
  );
}

const guarded = factsOf<Required<Warned>>();

/** The guards that block, for programs: people read them below every preview, or in the question. */
export const GUARDS_FACT = guarded({
  json: {
    guards: [
      shape.array(
        shape.object({
          guard: shape.text('its name'),
          message: shape.text(''),
          overridden: shape.boolean(''),
        }),
        'the guards that block the order',
      ),
      ({ breaches, overridden }) =>
        breaches.map(({ guard, message }) => ({ guard, message, overridden: overridden.includes(guard) })),
    ],
  },
});
