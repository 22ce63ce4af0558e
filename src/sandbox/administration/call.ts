import type { Advice } from '../../errors.js';
/** Says no to an administration call: what was wrong, and the mend. Nothing was changed. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';

  constructor(
    message: string,
    readonly hint: Advice | null = null,
    /** Tells a program which refusal it is, where it can do something about it. */
    readonly reason: string | null = null,
  ) {
    super(message);
  }
}

/** What one administration call answers; `afterwards` runs after the answer was sent. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly afterwards?: () => void;
}

export type AdminCall = (input: AdminInput) => AdminAnswer | Promise<AdminAnswer>;

/** A call whose result is the whole answer. */
export function plainly<Result>(work: (input: AdminInput) => Result | Promise<Result>): AdminCall {
  return async (input) => ({ status: 200, body: await work(input) });
}

/** The JSON object that a call was given. Each reader throws {@link AdminRefusal} for what is missing or wrong. */
export class AdminInput {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  text(name: string): string {
    const value = this.values[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new AdminRefusal(`${name} is missing.`, `Give ${name} as a JSON string.`);
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  texts(name: string): string[] | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    throw new AdminRefusal(`${name} is not a list of texts.`);
  }

  /** A finite number; `least` and `most` are included. */
  number(name: string, least: number, most: number): number {
    const value = this.values[name];
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw new AdminRefusal(`${name} must be a number from ${least} to ${most}.`);
  }

  /** A whole number; `least` and `most` are included. */
  whole(name: string, least: number, most: number): number {
    const value = this.number(name, least, most);
    if (Number.isSafeInteger(value)) return value;
    throw new AdminRefusal(`${name} must be a whole number.`);
  }

  optionalNumber(name: string, least: number, most: number): number | undefined {
    return this.has(name) ? this.number(name, least, most) : undefined;
  }

  optionalWhole(name: string, least: number, most: number): number | undefined {
    return this.has(name) ? this.whole(name, least, most) : undefined;
  }

  isSet(name: string): boolean {
    return this.values[name] === true;
  }

  private has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }
}
