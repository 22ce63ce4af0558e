import type { Refusal } from '../refusals.js';
import { CODE_IS_TEXT } from './choices.js';
import { type Json, write } from './json.js';

/** How one family of operations says no. The shapes are observed; the interface shows none. */
export type Family = (refusal: Refusal) => string;

/** Market data: `{"error": …}`, or `{"result": false, "message": …}` when it is too busy to answer. */
export const marketData: Family = (refusal) => {
  const busy = refusal.reason === 'tooFrequent' || refusal.reason === 'locked';
  return write(busy ? { result: false, message: refusal.message } : { error: refusal.message });
};

/** Signed operations: `{"code", "message"}`. */
const signed: Family = ({ code, message }) => write({ code, message });

const signedWithTextCode: Family = ({ code, message }) => write({ code: String(code), message });

export function signedFamily(name: string): Family {
  return CODE_IS_TEXT.has(name) ? signedWithTextCode : signed;
}

/** The code of an answer to this operation, as a number or as the string that the interface shows. */
export function codeOf(name: string, code: number): Json {
  return CODE_IS_TEXT.has(name) ? String(code) : code;
}

/** The family that a path belongs to, also where the path leads nowhere. */
export function familyOf(path: string): Family {
  return path.startsWith('/data/v1') ? marketData : signed;
}
