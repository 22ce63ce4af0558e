import * as v from 'valibot';
import { printableName } from '../../domain/coin.js';
import { Decimal } from '../../domain/decimal.js';
import type { Level } from '../../domain/market-data.js';
import { quotation, quotedName } from '../../domain/quotation.js';
import { asInteger, scalarText } from '../../platform/json.js';

/**
 * A field is required if it decides about money: what identifies, prices, amounts, states, and times that orders and withdrawals
 * are found by. Every other one is `maybe`, and null if it is missing.
 *
 * The kinds of value in responses. Each accepts a JSON number or a JSON string, because deployments were seen to send
 * either, and returns one form: amounts, prices and ids as exact text, counts and codes as numbers.
 */
function field<Output>(expected: string, read: (value: unknown) => Output | undefined) {
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const output = read(dataset.value);
      if (output !== undefined) return output;
      addIssue({ message: `expected ${expected}, got ${describe(dataset.value)}` });
      return NEVER;
    }),
  );
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const text = scalarText(value);
  if (text !== undefined) return quotation(text);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/** The form of most numbers, which needs no conversion. */
const PLAIN = /^(?:0|[1-9]\d{0,39})(?:\.\d{1,40})?$/;

function decimalText(value: unknown): string | undefined {
  const text = scalarText(value);
  return text === undefined || PLAIN.test(text) ? text : Decimal.parse(text)?.toString();
}

/** A price or an amount: plain digits with the exponent expanded and zeros kept as sent. */
export const decimal = field('a decimal number', decimalText);

function unsignedText(value: unknown): string | undefined {
  const text = decimalText(value);
  return text?.startsWith('-') ? undefined : text;
}

/** A decimal that is not negative: no price and no amount of market data is. */
export const unsignedDecimal = field('a decimal number of 0 or more', unsignedText);

/** A list of prices with their amounts, `[[price, amount], …]`. It is checked as a whole, because streams send many books. */
export const levels = field('a list of pairs of decimal numbers of 0 or more', (value): Level[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  const found: Level[] = [];
  for (const pair of value) {
    if (!Array.isArray(pair)) return undefined;
    const price = unsignedText(pair[0]);
    const amount = unsignedText(pair[1]);
    if (price === undefined || amount === undefined) return undefined;
    found.push({ price, amount });
  }
  return found;
});

/** A decimal that a quiet market may leave empty: null, `""` and `"--"` become null. */
export const emptyableDecimal = field('a decimal number', (value) => (isEmpty(value) ? null : decimalText(value)));

/** The same for what is not negative. */
export const emptyableUnsigned = field('a decimal number of 0 or more', (value) =>
  isEmpty(value) ? null : unsignedText(value),
);

/** Whether a value stands for none. */
export function isEmpty(value: unknown): boolean {
  return [null, '', '-', '--'].includes(value as string | null);
}

/** A number of things, a scale or a raw code. */
export const integer = field('a whole number', asInteger);

/** An identifier: digits that a double could not hold. */
export const id = field('an id of digits', (value) => {
  const text = scalarText(value);
  return text !== undefined && /^\d{1,40}$/.test(text) ? text : undefined;
});

/** The id of what a write made. An id of 0 is invalid: some servers send it for none, so it proves nothing. */
export const createdId = field('an id of digits other than 0', (value) => {
  const text = scalarText(value);
  return text !== undefined && /^(?=0*[1-9])\d{1,40}$/.test(text) ? text : undefined;
});

/** The last moment a Date can hold, in the year 275760. */
const LATEST_MS = 8.64e15;

/**
 * A moment, in milliseconds since the Unix epoch. The interface says milliseconds for some fields and only "timestamp" for
 * others; seconds were observed there. A value below 10^11 is taken as seconds: as milliseconds it would lie before 1974.
 */
export const instant = field('a time since the Unix epoch', (value) => {
  const time = asInteger(value);
  if (time === undefined || time < 0 || time > LATEST_MS) return undefined;
  return time < 100_000_000_000 ? time * 1000 : time;
});

/** A yes or no; also `"true"` and `1`, as observed. */
export const flag = field('true or false', (value) => {
  if (typeof value === 'boolean') return value;
  const text = scalarText(value);
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
});

/** A text, or a number sent in its place. */
export const text = field('a text', scalarText);

/** What identifies a market or a chain, made printable. A name that is only unusual is as good as any. */
export const name = field('a name', (value) => {
  const text = scalarText(value);
  return text === undefined ? undefined : printableName(text);
});

/** A name that may be missing: null or missing becomes null. */
export const optionalName = v.optional(
  field('a name', (value) => {
    const text = scalarText(value);
    if (value === null || text === '') return null;
    return text === undefined ? undefined : printableName(text);
  }),
  null,
);

/** A text that may be missing: null or missing becomes null. */
export const optionalText = v.optional(
  field('a text', (value) => (value === null ? null : scalarText(value))),
  null,
);

/** A decimal that may be missing: null or missing becomes null. */
export const optionalDecimal = v.optional(emptyableDecimal, null);

/** A field that may be missing: null or missing becomes null. */
export function maybe<Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, null);
}

/** Numbers are objects here, as they are exact. */
const object = field('an object', (value) => {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && !Array.isArray(value) && scalarText(value) === undefined ? value : undefined;
});

/** What stands in the place of an entry that cannot be read. */
export class Unreadable {
  constructor(readonly problem: string) {}
}

/** An entry that is read by itself: if it is not what it should be, only it is {@link Unreadable}. */
export function entry<Schema extends v.GenericSchema>(schema: Schema) {
  const unreadable = (dataset?: { readonly issues?: readonly v.BaseIssue<unknown>[] | undefined }) =>
    new Unreadable(dataset?.issues?.[0] === undefined ? 'it cannot be read' : issueText(dataset.issues[0]));
  const read = v.fallback(schema, unreadable as never);
  return read as unknown as v.GenericSchema<unknown, v.InferOutput<Schema> | Unreadable>;
}

/** What is wrong, with the name of the field. */
export function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  // names in the answer are a part of it
  const shown = path === null ? null : quotedName(path);
  const where = shown === null ? 'the body' : `field ${shown === path ? `"${path}"` : shown}`;
  if (issue.kind === 'schema' && issue.input === undefined) return `${where} is missing`;
  const isOwn = issue.kind !== 'schema' || issue.type === 'union';
  return isOwn ? `${where}: ${issue.message}` : `${where} should be ${issue.expected}`;
}

/** Values by name; a list has none. */
export function keyed<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(object, v.record(v.string(), schema));
}

/** An object whose fields may all be missing: nothing but an object is one. */
export function group<Fields extends v.ObjectEntries>(fields: Fields) {
  return v.pipe(object, v.object(fields));
}

/** `{code, message: string, …}`, as bills, fees, withdrawals and orders answer. */
export function enveloped<Fields extends v.ObjectEntries>(fields: Fields) {
  return v.object({ code: integer, message: optionalText, ...fields });
}

/** `{code, message: {des, isSuc, datas}}`, as addresses, records and cancellations answer. The code alone shows the success. */
export function withDetails<Datas extends v.GenericSchema>(datas: Datas) {
  return v.object({ code: integer, message: group({ des: optionalText, isSuc: maybe(flag), datas }) });
}
