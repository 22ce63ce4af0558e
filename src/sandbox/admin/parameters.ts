/**
 * What a parameter of an administration call may be, as data: the sandbox checks its JSON by it, and `pit sandbox` the words of
 * its command line.
 */
export type Rule =
  | { readonly kind: 'text'; readonly optional?: true }
  | { readonly kind: 'number' | 'whole'; readonly min: number; readonly max: number; readonly optional?: true }
  /** One of these words, or a list of some. */
  | { readonly kind: 'word' | 'words'; readonly of: readonly string[]; readonly optional?: true }
  | { readonly kind: 'switch'; readonly optional?: true };

/** What a rule admits. */
export type ValueOf<R extends Rule> =
  | (R extends { readonly kind: 'text' }
      ? string
      : R extends { readonly kind: 'number' | 'whole' }
        ? number
        : R extends { readonly kind: 'word'; readonly of: readonly (infer Word)[] }
          ? Word
          : R extends { readonly kind: 'words'; readonly of: readonly (infer Word)[] }
            ? readonly Word[]
            : boolean)
  | (R extends { readonly optional: true } ? undefined : never);

export const text = { kind: 'text' } as const;

/** Missing is the same as false. */
export const toggle = { kind: 'switch', optional: true } as const;

/** A number between `min` and `max`, both included. */
export function number(min: number, max: number) {
  return { kind: 'number', min, max } as const;
}

export function whole(min: number, max: number) {
  return { kind: 'whole', min, max } as const;
}

export function word<const Word extends string>(...of: readonly Word[]) {
  return { kind: 'word', of } as const;
}

export function words<const Word extends string>(...of: readonly Word[]) {
  return { kind: 'words', of } as const;
}

export function optional<const R extends Rule>(rule: R) {
  return { ...rule, optional: true } as const;
}

/** What is wrong with a value, in words for its sender; undefined if nothing is. */
export function problemOf(rule: Rule, name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return rule.optional ? undefined : `${name} is missing.`;
  switch (rule.kind) {
    case 'text':
      return typeof value === 'string' && value !== '' ? undefined : `${name} is missing.`;
    case 'number':
    case 'whole': {
      const isWithin = typeof value === 'number' && value >= rule.min && value <= rule.max;
      if (isWithin && (rule.kind === 'number' || Number.isSafeInteger(value))) return undefined;
      return `${name} must be a ${rule.kind === 'whole' ? 'whole number' : 'number'} from ${rule.min} to ${rule.max}.`;
    }
    case 'switch':
      return typeof value === 'boolean' ? undefined : `${name} must be true or false.`;
    default: {
      const given: readonly unknown[] = rule.kind === 'words' && Array.isArray(value) ? value : [value];
      const unknown = given.find((one) => !rule.of.some((each) => each === one));
      if (unknown === undefined) return undefined;
      return `${name} cannot be ${JSON.stringify(unknown)}. There are ${rule.of.join(', ')}.`;
    }
  }
}
