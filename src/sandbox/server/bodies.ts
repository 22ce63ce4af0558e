import type { RequestRefused } from '../refusals.js';
import { CODE_IS_TEXT, type Dialect, SUCCESS } from './interface-details.js';

/** Text that is written into the JSON unchanged, such as a number whose digits a double would change. */
export class RawJson {
  constructor(readonly text: string) {}
}

export type Json = string | number | boolean | null | RawJson | readonly Json[] | { readonly [name: string]: Json };

/** A JSON number from decimal text, with all its digits. */
export function number(text: string): RawJson {
  return new RawJson(text);
}

/** A list of JSON numbers, such as a price and an amount. */
export function numbers(texts: readonly string[]): RawJson {
  return new RawJson(`[${texts.join(',')}]`);
}

/** Compact JSON. A `number` in it is a count or a time: throws RangeError unless it is a safe integer. */
export function toJsonText(json: Json): string {
  if (typeof json === 'string') return JSON.stringify(json);
  if (json instanceof RawJson) return json.text;
  if (typeof json === 'number') return writeInteger(json);
  if (typeof json !== 'object' || json === null) return String(json);
  if (isList(json)) return `[${json.map(toJsonText).join(',')}]`;
  return `{${Object.entries(json)
    .map(([name, value]) => `${JSON.stringify(name)}:${toJsonText(value)}`)
    .join(',')}}`;
}

function isList(json: object): json is readonly Json[] {
  return Array.isArray(json);
}

function writeInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  return String(value);
}

/** The body of a refusal. The formats are observed; the interface shows none. */
export type RefusalBody = (refusal: RequestRefused) => string;

/** Market data: `{"error": …}`, or `{"result": false, "message": …}` when it is too busy to answer. */
export const marketDataRefusal: RefusalBody = (refusal) => {
  const busy = refusal.reason === 'tooFrequent' || refusal.reason === 'locked';
  return toJsonText(busy ? { result: false, message: refusal.message } : { error: refusal.message });
};

/** Signed operations: `{"code", "message"}`. */
const signedNumberRefusal: RefusalBody = ({ code, message }) => toJsonText({ code, message });

const signedTextRefusal: RefusalBody = ({ code, message }) => toJsonText({ code: String(code), message });

export function signedRefusal(name: string, dialect: Dialect): RefusalBody {
  return isCodeText(name, dialect) ? signedTextRefusal : signedNumberRefusal;
}

/** The code of an answer to this operation, as a number or as the string that the interface shows. */
export function codeOf(name: string, code: number, dialect: Dialect): Json {
  return isCodeText(name, dialect) ? String(code) : code;
}

function isCodeText(name: string, dialect: Dialect): boolean {
  return dialect === 'document' && CODE_IS_TEXT.has(name);
}

/** The format for a path, also for one that does not exist. */
export function refusalBodyOf(path: string): RefusalBody {
  return path.startsWith('/data/v1') ? marketDataRefusal : signedNumberRefusal;
}

/** A success whose message is an object: `{code, message: {des, isSuc, datas}}`. */
export function successWith(datas: Json): Json {
  return { code: SUCCESS.code, message: { des: SUCCESS.message, isSuc: true, datas } };
}
