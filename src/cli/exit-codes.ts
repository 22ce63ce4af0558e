import { FAILURES, OTHER_EXITS } from '../errors.js';
import { wrapped } from '../terminal/text.js';

interface Ending {
  readonly exitCode: number;
  /** The `kind` of the error object; empty if there is none. */
  readonly kind: string;
  readonly meaning: string;
}

/** Every way pit can end, ordered by exit code. */
export function exitCodes(): Ending[] {
  const failures = Object.entries(FAILURES).map(([kind, end]) => ({ kind, ...end }));
  return [...OTHER_EXITS, ...failures].sort((left, right) => left.exitCode - right.exitCode);
}

const TITLE = 'Exit codes, with the kind of the error object that --json writes to stderr:';
/** The width of the columns before the text. */
const INDENT = 20;

/** The text of `pit help exit-codes` for a screen of this width. */
export function exitCodeHelp(width: number): string {
  const lines = exitCodes().map(({ exitCode, kind, meaning }) => {
    const words = wrapped(meaning, width - INDENT).replaceAll('\n', `\n${' '.repeat(INDENT)}`);
    return `  ${String(exitCode).padStart(3)}  ${kind.padEnd(11)}  ${words}`;
  });
  return [wrapped(TITLE, width), '', ...lines, ''].join('\n');
}

/** The table of exit codes in the README. */
export function exitCodeTable(): string {
  const rows = exitCodes().map(
    ({ exitCode, kind, meaning }) => `| ${exitCode} | ${kind && `\`${kind}\``} | ${meaning} |`,
  );
  return ['| exit code | kind | |', '|---|---|---|', ...rows].join('\n');
}
