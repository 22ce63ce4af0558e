import { Decimal } from '../domain/decimal.js';

const PLAIN = /^[ -~]*$/;

/** One JSON document on one line. Decimals and big integers are strings, and what is undefined is null. */
export function toJson(data: unknown): string {
  const text = data instanceof JsonText ? data.text : (JSON.stringify(data, plain) ?? 'null');
  if (PLAIN.test(text)) return text;
  // characters that JSON lets through but that move or hide text on a terminal; the pattern is here because compiling it takes long
  return text.replace(/[\x7f-\x9f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, escaped);
}

/** Data that is a JSON document already. */
export class JsonText {
  constructor(readonly text: string) {}
}

function plain(_key: string, value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'bigint' || value instanceof Decimal ? value.toString() : value;
}

function escaped(character: string): string {
  let text = '';
  for (let unit = 0; unit < character.length; unit += 1) {
    text += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return text;
}
