declare const described: unique symbol;

/**
 * The `--json` of a command as a JSON Schema (draft 2020-12) with few keywords, so that every checker knows them.
 * Objects are open: fields may be added later, never removed or retyped.
 */
export interface Shape<Value = unknown> {
  /** What the shape describes, before it is printed: known to the compiler only. See {@link Infer}. */
  readonly [described]?: Value;
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

/** The values that a shape describes, with each decimal, id and time as its text. */
export type Infer<Described extends Shape> = Described extends Shape<infer Value> ? Value : never;

/** The object that these fields describe. */
export type InferFields<Described extends Fields> = { readonly [Name in keyof Described]: Infer<Described[Name]> };

export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';
export type Fields = Readonly<Record<string, Shape>>;

const DECIMAL = '^-?\\d+(\\.\\d+)?$';
const TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** Makes the schema of a kind of value. Its description has a few words, or none. */
type Kind<Value> = (description: string) => Shape<Value>;

function kind<Value>(shape: Shape): Kind<Value> {
  return (description) => ({ ...shape, ...(description === '' ? {} : { description }) }) as Shape<Value>;
}

/** A text of pit or of its user. */
export const text = kind<string>({ type: 'string' });
/** A text that the exchange, or a stranger through it, has chosen. */
export const outsideText = kind<string>({ type: 'string', fromOutside: true });
/** A price or an amount: plain digits, no exponent, zeros kept as sent. */
export const decimal = kind<string>({ type: 'string', pattern: DECIMAL });
/** An id of the exchange, whose digits a double could not hold. */
export const id = kind<string>({ type: 'string', pattern: '^\\d+$' });
/** ISO 8601 in UTC with milliseconds. */
export const time = kind<string>({ type: 'string', pattern: TIME });
export const boolean = kind<boolean>({ type: 'boolean' });
/** A number of things, a scale or a raw code. */
export const integer = kind<number>({ type: 'integer' });
/** A number that is not an amount. */
export const number = kind<number>({ type: 'number' });

/** Whether values of the shape are times. */
export function isTime({ pattern }: Shape): boolean {
  return pattern === TIME;
}

/** Whether it is a price, an amount or a count. An id has digits too, but is not a number. */
export function isNumeric({ type, pattern }: Shape): boolean {
  return pattern === DECIMAL || [type].flat().some((one) => one === 'integer' || one === 'number');
}

/** One of these words; later versions may add words. */
export function enumOf<const Word extends string>(words: readonly Word[], description: string): Shape<Word> {
  return kind<Word>({ type: 'string', enum: words })(description);
}

/** The same, or null if the value is absent. */
export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return orNull(shape) as Shape<Value | null>;
}

function orNull(shape: Shape): Shape {
  const { type, enum: values, anyOf, ...rest } = shape;
  if (anyOf !== undefined) return { ...rest, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined) throw new TypeError('a shape without a type already allows null');
  const types: readonly TypeName[] = typeof type === 'string' ? [type] : type;
  if (types.includes('null')) return shape;
  return { type: [...types, 'null'], ...rest, ...(values === undefined ? {} : { enum: [...values, null] }) };
}

/** The same fields, but each may be null. */
export function nullableFields<Described extends Fields>(
  fields: Described,
): { readonly [Name in keyof Described]: Shape<Infer<Described[Name]> | null> } {
  const entries = Object.entries(fields).map(([name, field]) => [name, nullable(field)]);
  return Object.fromEntries(entries);
}

/** An object. Every field is always present. */
export function object<Described extends Fields>(
  properties: Described,
  description = '',
): Shape<InferFields<Described>> {
  return kind<InferFields<Described>>({ type: 'object', properties, required: Object.keys(properties) })(description);
}

/** An array of elements of one kind. */
export function array<Item>(items: Shape<Item>, description = ''): Shape<readonly Item[]> {
  return kind<readonly Item[]>({ type: 'array', items })(description);
}

/** An object whose field names are data, such as coins. */
export function mapOf<Value>(
  additionalProperties: Shape<Value>,
  description: string,
): Shape<Readonly<Record<string, Value>>> {
  return kind<Readonly<Record<string, Value>>>({ type: 'object', additionalProperties })(description);
}

/** A value of any of these kinds. */
export function anyOf<const Kinds extends readonly Shape[]>(...anyOf: Kinds): Shape<Infer<Kinds[number]>> {
  return { anyOf } as Shape<Infer<Kinds[number]>>;
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
