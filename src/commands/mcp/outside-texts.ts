import { safe } from '../../terminal/text.js';

/** Marks a text that the exchange, or a stranger through it, has chosen. The instructions of the server say what it means. */
export const FROM_OUTSIDE = '[outside]';

/** In characters. What is shorter is no instruction, and would be found in the middle of words. */
const SHORTEST = 4;

/** The texts of the exchange that messages of one command may quote, and their marks. */
export class OutsideTexts {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    // a message may end with it, and has a full stop of its own then
    const shown = safe(text).trim().replace(/\.$/, '');
    if (shown.length >= SHORTEST) this.#texts.add(shown);
  };

  /** An error by a refusal, marked as a whole if the text of the exchange is not in it as it was sent. */
  markRefusal(message: string): string {
    const marked = this.mark(message);
    return this.#texts.size > 0 && marked === message ? quotation(message) : marked;
  }

  /** The message with each of these texts marked and in quotation marks, which none of them can close. */
  mark(message: string): string {
    if (this.#texts.size === 0) return message;
    const longestFirst = [...this.#texts].sort((one, other) => other.length - one.length);
    const pattern = new RegExp(
      longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
      'gu',
    );
    return message.replace(pattern, quotation);
  }
}

function quotation(text: string): string {
  return `${FROM_OUTSIDE} "${text.replaceAll('"', "'")}"`;
}
