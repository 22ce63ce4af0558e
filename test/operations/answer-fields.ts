/** Names that are data, such as markets and coins. */
export const isData = (name: string) => /^(btc_usdt|zec_eur|[A-Z]{3,4})$/.test(name);

export type Tree = { readonly [name: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A field of an answer by its path, where `[]` is each entry of a list and `*` each name of an object that is data. */
export interface AnswerField {
  readonly field: string;
  /** Where it is in the answer for the first time. */
  readonly at: readonly string[];
  readonly value: unknown;
}

/** Every field of an answer. */
export function fieldsOf(value: unknown, field = '', at: readonly string[] = []): AnswerField[] {
  const all = Array.isArray(value)
    ? value.flatMap((one, index) => fieldsOf(one, `${field}[]`, [...at, String(index)]))
    : Object.entries(isTree(value) ? value : {}).flatMap(([name, inner]) => {
        const path = nameAfter(field, name);
        return [{ field: path, at: [...at, name], value: inner }, ...fieldsOf(inner, path, [...at, name])];
      });
  return all.filter((one, index) => all.findIndex((other) => other.field === one.field) === index);
}

/** The answer without a field, or with null there. */
export function changed(value: unknown, field: string, how: 'missing' | 'null', path = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => changed(one, field, how, `${path}[]`));
  if (!isTree(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const here = nameAfter(path, name);
    if (here !== field) return [[name, changed(inner, field, how, here)]];
    return how === 'missing' ? [] : [[name, null]];
  });
  return Object.fromEntries(entries);
}

/** The entries of a list that have other fields than those before them. */
export function distinct(list: readonly unknown[]): readonly unknown[] {
  const forms = list.map((one) => Object.keys(isTree(one) ? one : {}).join());
  return list.filter((_, index) => forms.indexOf(forms[index] ?? '') === index);
}

function nameAfter(path: string, name: string): string {
  return `${path}${path === '' ? '' : '.'}${isData(name) ? '*' : name}`;
}
