import type { GenericSchema, InferOutput } from 'valibot';
import { COIN } from '../../domain/coin.js';
import { Decimal, decimalPattern, plainNumber } from '../../domain/decimal.js';
import { choiceOf, type Kind, wholeFrom } from '../../domain/kind.js';
import { MARKET } from '../../domain/market.js';
import { CLIENT_ID } from '../../domain/order.js';
import type { GrowingList } from '../lists/growing-pages.js';

/**
 * Who may call an operation, and on which host: `public` on the market-data host, `signed` on the trade host. `keyless` is
 * on the trade host too, but the interface shows it without accesskey and sign; only getFeeInfo is.
 */
export type Access = 'public' | 'signed' | 'keyless';

/**
 * What an operation does: a `read` changes nothing, a `refresh` may be repeated without harm, a `write` is sent once.
 * All are GET requests, so this is the only thing that keeps an order from being sent twice.
 */
type Effect = 'read' | 'refresh' | 'write';

/** The limit a call counts against. Market data has one for K-line only; signed calls count per key and per IP. */
export type Bucket = 'none' | 'kline' | 'key' | 'ip';

export type Parameters = Readonly<Record<string, Parameter>>;

/** One operation of the interface. */
export interface Operation<Params extends Parameters = Parameters, Schema extends GenericSchema = GenericSchema> {
  readonly access: Access;
  readonly effect: Effect;
  readonly bucket: Bucket;
  /** The longest body of a response that is read, in bytes. */
  readonly maxBytes: number;
  readonly parameters: Params;
  /** The whole response body on success. */
  readonly result: Schema;
}

type RequiredNames<Params extends Parameters> = {
  [Name in keyof Params]: Params[Name]['required'] extends true ? Name : never;
}[keyof Params];

/** The values of an operation's own parameters: text as it is signed. An undefined one is not sent. */
export type Values<Op extends Operation> = { readonly [Name in RequiredNames<Op['parameters']>]: string } & {
  readonly [Name in keyof Op['parameters']]?: string | undefined;
};

export type OperationResult<Op extends Operation> = InferOutput<Op['result']>;

/** Converts between domain values and the interface: encodes the request of an operation and decodes its response. */
export interface Codec<Request, Op extends Operation, Value> {
  readonly encode: (request: Request) => Values<Op>;
  readonly decode: (answer: OperationResult<Op>, request: Request) => Value;
}

/** A read that needs nothing but its description is a method of `Exchange`. */
interface PlainRead<Name extends string, Value> {
  /** What that method is called. It takes the request of the codec. Absent: `ExchangeClient` has a method of its own. */
  readonly read?: Name;
  /** What it returns if the exchange refuses it as not found. Absent: it throws. */
  readonly ifNotFound?: NoInfer<Value>;
}

/** The rows of a page of a list. */
type RowOf<Value> = Value extends { readonly records: readonly (infer Row)[] } ? Row : never;

/** A list with pages that needs nothing but its description is a method of `Exchange`, which reads one page of it or all. */
interface PagedRead<Name extends string, Value> {
  readonly pages?: Pick<GrowingList<RowOf<NoInfer<Value>>>, 'identity' | 'time'> & {
    /** What that method is called. It takes the request of the codec without page and size, and which page: all if undefined. */
    readonly read: Name;
  };
}

/** What the page about the interface says of an operation. */
export interface Remarks {
  /** What it is for, in a sentence. */
  readonly about: string;
  /** What the interface leaves open. */
  readonly notShown?: string;
}

/** An operation with its codec. */
export function withCodec<
  Params extends Parameters,
  Schema extends GenericSchema,
  Request,
  Value,
  const Name extends string = never,
  const ListName extends string = never,
>(
  operation: Operation<Params, Schema>,
  codec: Codec<Request, Operation<Params, Schema>, Value> &
    PlainRead<Name, Value> &
    PagedRead<ListName, Value> &
    Remarks,
): typeof operation & typeof codec {
  return { ...operation, ...codec };
}

/** The longest body of a page: several times that of 1,000 entries. */
const PAGE_BYTES = 2 ** 20;
/** The longest body of a list without pages: several times that of all markets or coins. */
export const WHOLE_LIST_BYTES = 4 * 2 ** 20;

function describe(access: Access, effect: Effect, bucket: Bucket) {
  return <const Params extends Parameters, Schema extends GenericSchema>(
    parameters: Params,
    result: Schema,
    maxBytes = PAGE_BYTES,
  ): Operation<Params, Schema> => ({ access, effect, bucket, maxBytes, parameters, result });
}

export const marketData = describe('public', 'read', 'none');
export const klineData = describe('public', 'read', 'kline');
export const signedRead = describe('signed', 'read', 'key');
export const signedRefresh = describe('signed', 'refresh', 'key');
export const signedWrite = describe('signed', 'write', 'key');
export const keylessRead = describe('keyless', 'read', 'ip');

/** What a parameter may hold: `problem` returns the broken rule in words, or undefined if the text is valid. */
export interface ParameterKind {
  readonly problem: (text: string) => string | undefined;
  /** The possible values, if there are only some. */
  readonly choices?: readonly string[];
  /** Must appear in no message, log or file. */
  readonly secret?: true;
  /** A text that a user typed as it is sent: with its numbers in plain digits. Absent if the text holds no decimal number. */
  readonly plain?: (text: string) => string;
}

export interface Parameter {
  readonly kind: ParameterKind;
  readonly required: boolean;
  /** Exactly one parameter of the same group is given. */
  readonly group?: string;
}

/** A parameter that must be given. */
export function required<Kind extends ParameterKind>(kind: Kind) {
  return { kind, required: true } as const;
}

/** A parameter that may be missing. */
export function optional<Kind extends ParameterKind>(kind: Kind) {
  return { kind, required: false } as const;
}

/** One of several ways to name the same thing. */
export function oneOf<Kind extends ParameterKind>(group: string, kind: Kind) {
  return { kind, required: false, group } as const;
}

function pattern(expression: RegExp, rule: string): ParameterKind {
  return { problem: (text) => (expression.test(text) ? undefined : rule) };
}

/** A text in the exact form of its kind. */
function exactly({ isExact, rule }: Kind<unknown>): ParameterKind {
  return { problem: (text) => (isExact(text) ? undefined : rule) };
}

/** One of these values. */
export function choice(...choices: readonly string[]): ParameterKind {
  return { choices, ...exactly(choiceOf(...choices)) };
}

/** A whole number within a range, both ends included. */
export function wholeNumber(from: bigint, to: bigint): ParameterKind {
  return exactly(wholeFrom(from, to));
}

const LARGEST_INT = 2n ** 31n - 1n;
const LARGEST_LONG = 2n ** 63n - 1n;

/** A Java `long` that is not negative: ids and times. */
export const long = wholeNumber(0n, LARGEST_LONG);
/** "Page number starting at 1"; a Java `int`. */
export const pageNumber = wholeNumber(1n, LARGEST_INT);
/** A page number or a page size. The interface states no range for it, and some clients send 0 (observed). */
export const unboundedInt = wholeNumber(0n, LARGEST_INT);

/** `<base>_<quote>` in lower case. */
export const market = exactly(MARKET);

/** A coin's name. Both cases were observed to be accepted; pit sends lower case. */
export const coin = exactly({ ...COIN, isExact: (text) => COIN.read(text) !== undefined });

/** More digits than people may type. */
const NUMBER = new RegExp(`^${decimalPattern(40)}$`);

/** Plain digits above zero with an optional fraction, no exponent. */
export const amount: ParameterKind = {
  plain: plainNumber,
  problem: (text) => {
    return NUMBER.test(text) && Decimal.of(text).sign > 0 ? undefined : 'must be a decimal number above zero';
  },
};

/** Like {@link amount}, but may be zero. */
export const amountOrZero: ParameterKind = {
  ...pattern(NUMBER, 'must be a decimal number'),
  plain: plainNumber,
};

export const clientOrderId = exactly(CLIENT_ID);

/** `YYYY-MM-DD HH:MM:SS`, a date and a time that exist; the zone is not stated. */
export const wallClock: ParameterKind = {
  problem: (text) => (isWallClock(text) ? undefined : 'must be a time like 2022-03-28 10:00:00'),
};

function isWallClock(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const written = `${text.replace(' ', 'T')}.000Z`;
  const date = new Date(written);
  // a Date takes the 31st of June as the 1st of July
  return !Number.isNaN(date.getTime()) && date.toISOString() === written;
}

/** `[[price,amount],…]`, 1 to 20 pairs; the raw text is signed. */
export const pricesAndAmounts: ParameterKind = {
  ...pattern(
    /^\[\[\d+(\.\d+)?,\d+(\.\d+)?\](,\[\d+(\.\d+)?,\d+(\.\d+)?\]){0,19}\]$/,
    'must be 1 to 20 pairs like [[31000.5,0.01],[30999,0.02]]',
  ),
  plain: (text) => text.replace(/[^[\],]+/g, (part) => plainNumber(part.trim())),
};

/** The pattern is here because compiling it takes long. */
function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}

/** Any printable characters. They are signed raw and sent percent-encoded. */
export const printable: ParameterKind = {
  problem: (text) => {
    if (text === '') return 'must not be empty';
    if (text.length > 500) return 'must not be longer than 500 characters';
    return hasControls(text) ? 'must not hold control characters' : undefined;
  },
};

/** A printable text that must appear in no message, log or file. */
export const secret: ParameterKind = { ...printable, secret: true };

/** An address, or `<account>_<remark>` on chains with a memo. */
export const address: ParameterKind = { ...printable };

/** Any value, for parameters that the interface does not restrict. */
export const anything: ParameterKind = {
  problem: (text) => (text.length <= 500 && !hasControls(text) ? undefined : 'must not hold control characters'),
};
