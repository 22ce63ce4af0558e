import { NumberText, parseJson, printJson } from '../../platform/json.js';
import type { Answer } from '../../terminal/answer.js';
import { JsonText } from '../../terminal/json.js';
import type { Screen } from '../../terminal/screen.js';
import { safe } from '../../terminal/text.js';
import { csvRows, rendered } from './rendering.js';

/**
 * The exchange's body as an answer: for programs as it came, numbers as they were sent; for people as a table.
 * @param raw for people the body itself, byte for byte unless a terminal shows it
 */
export function bodyAnswer(body: string, raw: boolean): Answer {
  const value = parseJson(body);
  const plain = withoutNumbers(value);
  return {
    data: new JsonText(printJson(value)),
    csv: csvRows(plain),
    show: (screen) => (raw ? rawBody(screen, body) : rendered(screen, plain)),
  };
}

function rawBody({ width }: Screen, body: string): string {
  if (width === Number.POSITIVE_INFINITY) return body;
  return body.split('\n').map(safe).join('\n');
}

/** Every number as its characters, as tables and CSV show it. */
function withoutNumbers(value: unknown): unknown {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return value.map(withoutNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutNumbers(inner)]));
}
