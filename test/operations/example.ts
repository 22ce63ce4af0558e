/*
 * What one operation of the interface is asked and answers, as the interface's document shows it. An entry imports no code of pit, only
 * types, so that no mistake is made on both sides. Every test of all operations follows from it: of the bytes (test/exchange/wire.test.ts),
 * of an exchange that knows nothing but the document (test/support/document-exchange.ts), of fields that are missing
 * (test/commands/missing-fields.test.ts), of where each field arrives (own-values.ts), and of hostile texts (hostile.ts).
 */

export type Rule = RegExp | 'market' | 'coin';

/** A value as JSON shows it. */
export type Shown = string | number | boolean | null | object;

/** What a field of an answer holds in the runs that find out where each field arrives. */
export interface OwnValue {
  /** As JSON; one for all runs, or one for each. */
  readonly sent: string | readonly string[];
  /** In the output, if it is not just the text of what was sent: for all fields of the output, or by their names. */
  readonly shown?: Shown | readonly Shown[] | { readonly by: Readonly<Record<string, Shown | readonly Shown[]>> };
}

export interface OperationExample {
  /** Parameters besides the common ones, with what the document says of them; a name that ends with `?` may be missing. */
  readonly parameters: Readonly<Record<string, Rule>>;
  /** The values of one request. */
  readonly values: Readonly<Record<string, string>>;
  /** The same request without the host; if it is signed, without accesskey, sign and reqTime. */
  readonly path: string;
  /** Whether it is sent to the trade host without a signature. */
  readonly unsigned?: true;
  /** One answer. */
  readonly answer: string;
  /** Whether the document does not show the body of an answer. */
  readonly notShown?: true;
  /** What the answer means. */
  readonly result: unknown;
  /** Fields that an answer is not used without, with the reason. `[]` is each entry of a list, `*` each name of an object. */
  readonly required: Readonly<Record<string, string>>;
  /** Fields of any text, although the answer has a number or an object there. */
  readonly texts?: readonly string[];
  /** Command lines that show the answer; one of `pit api` will do. None for an operation that is not a read. */
  readonly lines: readonly string[];
  /**
   * Values for fields that do not just arrive as they are sent, or that decide what is done with the others; `*` is the name of a market or
   * coin. Other fields get a value of the same form as in the answer.
   */
  readonly own?: Readonly<Record<string, OwnValue>>;
}

/** The order that the exchange has from the beginning, and shows for every client id. */
export const ORDER = { id: '2022022248511515550', market: 'btc_usdt', price: '31000.5', amount: '0.0123' } as const;
export const CLIENT_ID = 'document01';
export const PLACED_ID = '2022022248511515553';
export const BATCH_IDS = ['2022022248511515551', '2022022248511515552'] as const;
export const ADDRESS = '0x0af7f36b8f09410f3df62c81e5846da673d4d9a9';

export const NUMBER = /^\d+(\.\d+)?$/;
export const WHOLE = /^\d+$/;
export const SIDE = /^[01]$/;
export const PAGE = /^[1-9]\d*$/;

/** The answer of operations that have their fields beside a description. */
export function described(datas: string): string {
  return `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${datas}}}`;
}

/** What such an answer means. */
export function meaning(datas: unknown) {
  return { code: 1000, message: { des: 'success', isSuc: true, datas } };
}

/** A yes or no with these values in the runs, as 0 and 1. */
export const flag = (runs: string): OwnValue => ({ sent: [...runs].map((bit) => (bit === '1' ? 'true' : 'false')) });
export const text = (value: string): OwnValue => ({ sent: JSON.stringify(value) });
export const number = (digits: string): OwnValue => ({ sent: digits });
