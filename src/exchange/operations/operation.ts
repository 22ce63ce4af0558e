import type { GenericSchema, InferOutput } from 'valibot';
import type { Parameter } from './parameters.js';

/**
 * Who may call an operation, and where it is served. Only getFeeInfo is `open`: on the trade host, but shown without
 * accesskey and sign.
 */
export type Access = 'public' | 'signed' | 'open';

/**
 * What an operation does: a `read` changes nothing, a `refresh` may be repeated without harm, a `write` is sent once.
 * All are GET requests, so this is the only thing that keeps an order from being sent twice.
 */
type Effect = 'read' | 'refresh' | 'write';

/** The limit a call counts against. Market data has one for K-line only; signed calls count per key and per IP. */
export type Bucket = 'unstated' | 'kline' | 'key' | 'ip';

export type Parameters = Readonly<Record<string, Parameter>>;

/** One operation of the interface. */
export interface Operation<Params extends Parameters = Parameters, Schema extends GenericSchema = GenericSchema> {
  readonly access: Access;
  readonly effect: Effect;
  readonly bucket: Bucket;
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

export type Result<Op extends Operation> = InferOutput<Op['result']>;

/** What one operation means in the project's own terms: how a request is written, and what its answer says. */
export interface Codec<Request, Op extends Operation, Value> {
  readonly encode: (request: Request) => Values<Op>;
  readonly decode: (answer: Result<Op>, request: Request) => Value;
}

/** An operation with its codec. */
export function withCodec<Params extends Parameters, Schema extends GenericSchema, Request, Value>(
  operation: Operation<Params, Schema>,
  codec: Codec<Request, Operation<Params, Schema>, Value>,
) {
  return { ...operation, ...codec };
}

function describe(access: Access, effect: Effect, bucket: Bucket) {
  return <const Params extends Parameters, Schema extends GenericSchema>(
    parameters: Params,
    result: Schema,
  ): Operation<Params, Schema> => ({ access, effect, bucket, parameters, result });
}

export const marketData = describe('public', 'read', 'unstated');
export const klineData = describe('public', 'read', 'kline');
export const signedRead = describe('signed', 'read', 'key');
export const signedRefresh = describe('signed', 'refresh', 'key');
export const signedWrite = describe('signed', 'write', 'key');
export const openRead = describe('open', 'read', 'ip');
