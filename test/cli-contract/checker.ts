import type { Shape, TypeName } from '../../src/cli/shapes.js';

/**
 * The violations of a schema in a value, each with its path. Stricter than JSON Schema: a field that the schema
 * does not name is a violation, so that nothing reaches the output without a promise.
 */
export function violationsOf(shape: Shape, value: unknown, where = '$'): string[] {
  if (shape.anyOf !== undefined) return bestOf(shape.anyOf.map((one) => violationsOf(one, value, where)));
  const { type, enum: words, pattern } = shape;
  if (type === undefined) return [];
  const types: readonly TypeName[] = typeof type === 'string' ? [type] : type;
  if (!types.some((one) => isOfType(one, value)))
    return [`${where} is ${JSON.stringify(value)}, no ${types.join(' or ')}`];
  if (words !== undefined && !words.includes(value as string))
    return [`${where} is ${value}, none of ${words.join(', ')}`];
  if (typeof value === 'string' && pattern !== undefined && !new RegExp(pattern).test(value))
    return [`${where} is ${JSON.stringify(value)}, not like ${pattern}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => violationsOf(shape.items ?? {}, item, `${where}[${index}]`));
  return typeof value === 'object' && value !== null ? faultsInFields(shape, value, where) : [];
}

function faultsInFields({ properties = {}, required = [], additionalProperties }: Shape, value: object, where: string) {
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${where} has no ${name}`);
  const own = Object.entries(value).flatMap(([name, field]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return shape === undefined ? [`${where}.${name} is in no schema`] : violationsOf(shape, field, `${where}.${name}`);
  });
  return [...missing, ...own];
}

/** One that fits, or the one that comes nearest to it. */
function bestOf(all: readonly string[][]): string[] {
  return all.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

function isOfType(type: TypeName, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
