/** Text that goes into the JSON as it is: above all a number whose digits a double would change. */
export class Verbatim {
  constructor(readonly text: string) {}
}

export type Json = string | number | boolean | null | Verbatim | readonly Json[] | { readonly [name: string]: Json };

/** A JSON number from plain decimal text; every digit is kept, zeros at the end too. */
export function number(text: string): Verbatim {
  return new Verbatim(text);
}

/** A list of JSON numbers, such as a price and an amount. */
export function numbers(texts: readonly string[]): Verbatim {
  return new Verbatim(`[${texts.join(',')}]`);
}

/** Compact JSON. A `number` in it is a count or a time: throws RangeError unless it is a safe whole number. */
export function write(json: Json): string {
  if (typeof json === 'string') return JSON.stringify(json);
  if (json instanceof Verbatim) return json.text;
  if (typeof json === 'number') return writeInteger(json);
  if (typeof json !== 'object' || json === null) return String(json);
  if (isList(json)) return `[${json.map(write).join(',')}]`;
  return `{${Object.entries(json)
    .map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`)
    .join(',')}}`;
}

function isList(json: object): json is readonly Json[] {
  return Array.isArray(json);
}

function writeInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  return String(value);
}
