import * as shape from '../../cli/shapes.js';
import type { Screen } from '../../terminal/screen.js';
import type { RecordLine } from '../../terminal/table.js';
import type { Breach } from '../../trading/guards/guards.js';
import type { GuardName } from '../../trading/guards/limits.js';

/** A value for programs: its shape, and how it follows from what is described. */
export type Field<Of, Value> = readonly [described: shape.Shape<Value>, value: (of: Of) => NoInfer<Value>];

type Values = Readonly<Record<string, unknown>>;

/** The fields of JSON that hold these values. */
type FieldsFor<Of, Json> = { readonly [Name in keyof Json]: Field<Of, Json[Name]> };

/** One thing that a preview says: to people, as fields of its JSON to programs, or both. */
export interface Fact<Of, Json extends Values = Values> {
  /** Several things of a kind, above the table: a table of their own, or a line each. Empty for nothing. */
  readonly above: (of: Of, screen: Screen) => string;
  /** Lines of the table. */
  readonly entries: (of: Of, screen: Screen) => readonly RecordLine[];
  readonly json: FieldsFor<Of, Json>;
}

/**
 * What a preview says, in its order. What people see, the JSON and its schema follow from it. Facts that replace others of the same name
 * stand in their place.
 */
export type Facts<Of> = Readonly<Record<string, Fact<Of>>>;

interface Line<Of> {
  readonly label: string;
  /** Null is shown as missing; undefined leaves the line out. */
  readonly text: (of: Of, screen: Screen) => string | null | undefined;
  readonly paint?: RecordLine[2];
}

/** What people see of a fact: a line, any number of lines, what is above them, or nothing. */
type Shown<Of> = Line<Of> | Pick<Fact<Of>, 'entries'> | Pick<Fact<Of>, 'above'> | { readonly label?: never };

/** Returns the function that makes facts of plans of a kind. */
export function factsOf<Of>() {
  return <Json extends Values = Record<never, never>>(
    fact: Shown<Of> & { readonly json?: FieldsFor<Of, Json> },
  ): Fact<Of, Json> => ({
    above: 'above' in fact ? fact.above : () => '',
    entries: 'entries' in fact ? fact.entries : 'text' in fact ? entriesOf(fact) : () => [],
    json: fact.json ?? ({} as FieldsFor<Of, Json>),
  });
}

function entriesOf<Of>({ label, text, paint }: Line<Of>): Fact<Of>['entries'] {
  return (of, screen) => {
    const shown = text(of, screen);
    return shown === undefined ? [] : [[label, shown, paint]];
  };
}

/** What people see of facts. */
export interface Preview {
  readonly above: (screen: Screen) => string;
  readonly lines: (screen: Screen) => readonly RecordLine[];
}

/** What people see of these facts: empty parts are left out. */
export function shownOf<Of>(facts: Facts<Of>, of: Of): Preview {
  const all = Object.values(facts);
  return {
    above: (screen) =>
      all
        .map(({ above }) => above(of, screen))
        .filter((part) => part !== '')
        .join('\n'),
    lines: (screen) => all.flatMap(({ entries }) => entries(of, screen)),
  };
}

/** The values that facts of these types have, as one object. */
export type JsonOf<All> = UnionOf<All[keyof All]> extends (all: infer Json) => void ? Json : never;

type UnionOf<One> = One extends { readonly json: FieldsFor<never, infer Json> } ? (all: Json) => void : never;

/** The values that facts have for programs. */
export function valuesOf<Of, All extends Facts<Of>>(facts: All & Facts<Of>, of: Of): JsonOf<All> {
  const fields = Object.values(facts).flatMap(({ json }) => Object.entries(json));
  return Object.fromEntries(fields.map(([name, [, value]]) => [name, value(of)])) as JsonOf<All>;
}

/** The fields that hold these values. */
export function fieldsOf<All extends Facts<never>>(
  facts: All,
): { readonly [Name in keyof JsonOf<All>]: shape.Shape<JsonOf<All>[Name]> } {
  const fields = Object.values(facts).flatMap(({ json }) => Object.entries(json));
  return Object.fromEntries(fields.map(([name, [described]]) => [name, described])) as never;
}

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
export type PreviewJson = shape.InferFields<typeof PREVIEW_FIELDS> & Values;

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
