import type { Definition } from './definition.js';
import type { Shape } from './shapes.js';

/** A field by its name, dotted if it is nested; `[]` stands for each element of a list. */
export type Leaf = readonly [name: string, shape: Shape];

/** Returns the plain values of a shape, each once, in their order. */
export function valueFields(shape: Shape): Leaf[] {
  return distinct(fieldsOf(shape, '', ELEMENTS));
}

/** Returns the `--csv` columns of a command: the fields of a row, nested ones with dots. A list is one cell. */
export function rowFields({ output, row }: Pick<Definition, 'output' | 'row'>): Leaf[] {
  return distinct(rowShapes(row ?? output).flatMap((one) => fieldsOf(one, '', CELL)));
}

/** Returns the names of a row's fields: the `--csv` header. */
export function fieldNames(row: Shape): string[] {
  return rowFields({ output: row }).map(([name]) => name);
}

/** If several forms have a field of the same name, the first one describes it. */
function distinct(all: readonly Leaf[]): Leaf[] {
  const names = all.map(([name]) => name);
  return all.filter(([name], index) => names.indexOf(name) === index);
}

/** What a list in a row becomes. */
type ListHandling = (shape: Shape, name: string) => Leaf[];

const ELEMENTS: ListHandling = (shape, name) => fieldsOf(shape.items ?? {}, `${name}[]`, ELEMENTS);
const CELL: ListHandling = (shape, name) => [[name, shape]];

function rowShapes(shape: Shape): readonly Shape[] {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap(rowShapes);
  return shape.items === undefined ? [shape] : rowShapes(shape.items);
}

function fieldsOf(shape: Shape, name: string, lists: ListHandling): Leaf[] {
  const { properties, anyOf, items } = shape;
  if (anyOf !== undefined) return anyOf.flatMap((one) => fieldsOf(one, name, lists));
  if (items !== undefined) return lists(shape, name);
  if (properties === undefined) return name === '' ? [] : [[name, shape]];
  return Object.entries(properties).flatMap(([key, inner]) =>
    fieldsOf(inner, name === '' ? key : `${name}.${key}`, lists),
  );
}
