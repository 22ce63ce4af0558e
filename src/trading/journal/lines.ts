import { createHash } from 'node:crypto';

const SUM_LENGTH = 16;

/**
 * A value as a line of a journal file: a checksum and JSON. It begins and ends with a line feed of its own, so that a torn
 * or damaged neighbour on either side never makes it unreadable.
 */
export function lineOf(value: object): string {
  const text = JSON.stringify(value);
  return `\n${checksum(text)} ${text}\n`;
}

/** The values of all complete lines; anything else is skipped. */
export function valuesIn(content: string): unknown[] {
  return content.split('\n').flatMap((line) => {
    const text = line.slice(SUM_LENGTH + 1);
    return text !== '' && line.slice(0, SUM_LENGTH) === checksum(text) ? [JSON.parse(text)] : [];
  });
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LENGTH);
}
