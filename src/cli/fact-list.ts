import type { Screen } from '../terminal/screen.js';
import type { RecordLine } from '../terminal/table.js';
import type * as shape from './shapes.js';

/** A value for programs: its shape, and how it follows from what is described. */
type Field<Of, Value> = readonly [described: shape.Shape<Value>, value: (of: Of) => NoInfer<Value>];

type Values = Readonly<Record<string, unknown>>;

/** The fields of JSON that hold these values. */
type FieldsFor<Of, Json> = { readonly [Name in keyof Json]: Field<Of, Json[Name]> };

/** One thing that is known of something: for people, as fields of JSON for programs, or both. */
export interface Fact<Of, Json extends Values = Values> {
  /** Several things of a kind, above the table: a table of their own, or a line each. Empty for nothing. */
  readonly above: (of: Of, screen: Screen) => string;
  /** Lines of the table. */
  readonly entries: (of: Of, screen: Screen) => readonly RecordLine[];
  readonly json: FieldsFor<Of, Json>;
}

/**
 * What is known of something, in its order. What people see, the JSON and its schema follow from it. Facts that replace others of the
 * same name stand in their place.
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

/** Returns the function that makes facts of things of a kind. */
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
export interface ShownFacts {
  readonly above: (screen: Screen) => string;
  readonly lines: (screen: Screen) => readonly RecordLine[];
}

/** What people see of these facts: empty parts are left out. */
export function shownOf<Of>(facts: Facts<Of>, of: Of): ShownFacts {
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
