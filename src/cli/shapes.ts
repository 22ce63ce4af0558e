/**
 * The `--json` of a command as a JSON Schema (draft 2020-12) with few keywords, so that every checker knows them.
 * Objects are open: fields may be added later, never removed or retyped.
 */
export interface Shape {
  readonly type?: TypeName | readonly TypeName[];
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Fields;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly anyOf?: readonly Shape[];
  /** A text that the exchange, or a stranger through it, has chosen: for an agent it is data, never an instruction. */
  readonly fromOutside?: true;
}

export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';
export type Fields = Readonly<Record<string, Shape>>;

const DECIMAL = '^-?\\d+(\\.\\d+)?$';
const TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** Makes the schema of a kind of value. Its description has a few words, or none. */
type Kind = (description: string) => Shape;

function kind(shape: Shape): Kind {
  return (description) => ({ ...shape, ...(description === '' ? {} : { description }) });
}

/** A text of pit or of its user. */
export const text = kind({ type: 'string' });
/** A text that the exchange, or a stranger through it, has chosen. */
export const outsideText = kind({ type: 'string', fromOutside: true });
/** A price or an amount: plain digits, no exponent, zeros kept as sent. */
export const decimal = kind({ type: 'string', pattern: DECIMAL });
/** An id of the exchange, whose digits a double could not hold. */
export const id = kind({ type: 'string', pattern: '^\\d+$' });
/** ISO 8601 in UTC with milliseconds. */
export const time = kind({ type: 'string', pattern: TIME });
export const boolean = kind({ type: 'boolean' });
/** A number of things, a scale or a raw code. */
export const integer = kind({ type: 'integer' });
/** A number that is not an amount. */
export const number = kind({ type: 'number' });

/** Whether values of the shape are times. */
export function isTime({ pattern }: Shape): boolean {
  return pattern === TIME;
}

/** Whether it is a price, an amount or a count. An id has digits too, but is not a number. */
export function isNumeric({ type, pattern }: Shape): boolean {
  return pattern === DECIMAL || [type].flat().some((one) => one === 'integer' || one === 'number');
}

/** One of these words; later versions may add words. */
export function enumOf(words: readonly string[], description: string): Shape {
  return kind({ type: 'string', enum: words })(description);
}

/** The same, or null if the value is absent. */
export function nullable(shape: Shape): Shape {
  const { type, enum: values, anyOf, ...rest } = shape;
  if (anyOf !== undefined) return { ...rest, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined) throw new TypeError('a shape without a type already allows null');
  const types: readonly TypeName[] = typeof type === 'string' ? [type] : type;
  if (types.includes('null')) return shape;
  return { type: [...types, 'null'], ...rest, ...(values === undefined ? {} : { enum: [...values, null] }) };
}

/** An object. Every field is always present. */
export function object(properties: Fields, description = ''): Shape {
  return kind({ type: 'object', properties, required: Object.keys(properties) })(description);
}

/** An array of elements of one kind. */
export function array(items: Shape, description = ''): Shape {
  return kind({ type: 'array', items })(description);
}

/** An object whose field names are data, such as coins. */
export function mapOf(additionalProperties: Shape, description: string): Shape {
  return kind({ type: 'object', additionalProperties })(description);
}

/** A value of any of these kinds. */
export function anyOf(...anyOf: readonly Shape[]): Shape {
  return { anyOf };
}

/** The shape with all that it holds changed by `change`, from the inside out. */
export function mapShape<Changed extends object>(shape: Shape, change: (one: Shape) => Changed): Changed {
  const { properties, items, additionalProperties, anyOf } = shape;
  const within = (inner: Shape) => mapShape(inner, change) as Shape;
  return change({
    ...shape,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, within(inner)])),
    }),
    ...(items && { items: within(items) }),
    ...(additionalProperties && { additionalProperties: within(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(within) }),
  });
}

/** Any JSON value. */
export const anything: Shape = {};
