/** The most characters of a text that a message quotes. No real reason of an exchange is longer. */
const LONGEST = 200;
/** The marks themselves, and whatever looks like them. */
const MARKS = /["\u201c-\u201f\u2033\u3003\u301d-\u301f\uff02]/g;
const BREAKS = /[\s\x85]+/gu;
/** What usual names consist of, and no sentence. */
const USUAL_NAME = /^[\w.-]{1,65}$/;

/**
 * A text of an answer as every message quotes it, be it a reason, a name or a wrong value: on one line, cut, without what moves or hides
 * text, and in “these marks”. pit uses them for nothing else, and the text cannot close them: what is between them are not pit's words.
 */
export function quotation(text: string): string {
  // what moves the cursor or hides text; the pattern is here because compiling it takes long
  const printable = text
    .slice(0, LONGEST)
    .replace(BREAKS, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]+/gu, '\ufffd');
  const line = printable.replace(MARKS, "'").trim();
  return `“${line}${text.length > LONGEST ? '…' : ''}”`;
}

/** A name in an answer, as a part of a sentence: a usual one as it is, any other in quotation marks. */
export function quotedName(name: string): string {
  return USUAL_NAME.test(name) ? name : quotation(name);
}

/** A message in a field of its own: without the marks if all of it is one quotation. */
export function unmarked(message: string): string {
  const [, text] = /^“([^“”]*)”$/.exec(message) ?? [];
  return text ?? message;
}

/** A message in which what {@link quotation} marked has other marks. */
export function withMarks(message: string, open: string, close: string): string {
  return message.replaceAll('“', open).replaceAll('”', close);
}
