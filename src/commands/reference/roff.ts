/** Text as roff prints it: nothing in it is a request, an escape or a typographer's quote. */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(
      /[^\n\x20-\x7e]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^\./gm, '\\&.');
}

export function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

export function paragraph(text: string): string[] {
  return ['.PP', roff(text)];
}

/** A term with what it means, indented below it. */
export function entry(term: string, meaning: string): string[] {
  return ['.TP', term, roff(meaning)];
}

/** Lines as they are. */
export function verbatim(lines: readonly string[]): string[] {
  return ['.PP', '.nf', ...lines.map(roff), '.fi'];
}
