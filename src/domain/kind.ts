/**
 * A kind of text that stands for a value. Command lines read it as people write it; requests, files and calls of programs have its
 * exact form.
 */
export interface Kind<Value = string> {
  /** The exact form, as a part of patterns with the flag `u`. */
  readonly pattern: string;
  /** The exact form of a text in ASCII, as a part of any pattern. V8 takes milliseconds to read the letters of all scripts. */
  readonly asciiPattern: string;
  /** Whether a text has the exact form. */
  readonly isExact: (text: string) => boolean;
  /** Reads a text as people write it; undefined if it is not of this kind. */
  readonly read: (text: string) => Value | undefined;
  /** The rule that a wrong text breaks: the rest of a sentence that begins with its name. */
  readonly rule: string;
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * @param read reads other ways of writing it; left out if there are none
 * @param asciiPattern left out if the pattern has nothing but ASCII
 */
export function kindOf(
  pattern: string,
  rule: string,
  read?: (text: string) => string | undefined,
  asciiPattern = pattern,
): Kind {
  const exactAscii = new RegExp(`^(?:${asciiPattern})$`, 'u');
  let exact = asciiPattern === pattern ? exactAscii : undefined;
  const isExact = (text: string) => {
    if (ASCII.test(text)) return exactAscii.test(text);
    exact ??= new RegExp(`^(?:${pattern})$`, 'u');
    return exact.test(text);
  };
  return { pattern, asciiPattern, isExact, rule, read: read ?? ((text) => (isExact(text) ? text : undefined)) };
}

/** A whole number that is not negative, from `min` to `max`, both included. */
export function wholeFrom(min: bigint, max: bigint): Kind<bigint> {
  const pattern = '\\d{1,30}';
  const digits = new RegExp(`^${pattern}$`);
  const read = (text: string) => {
    const value = digits.test(text) ? BigInt(text) : -1n;
    return value >= min && value <= max ? value : undefined;
  };
  return {
    pattern,
    asciiPattern: pattern,
    isExact: (text) => read(text) !== undefined,
    read,
    rule: `must be a whole number from ${min} to ${max}`,
  };
}

/** One of these words, which people write in any case. */
export function choiceOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  const isExact = (text: string) => words.some((word) => word === text);
  const pattern = words.join('|');
  return {
    pattern,
    asciiPattern: pattern,
    isExact,
    read: (text) => words.find((word) => word === text || word === text.toLowerCase()),
    rule: `must be one of ${words.join(', ')}`,
  };
}
