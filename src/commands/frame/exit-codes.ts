import { FAILURES, OTHER_ENDS } from '../../errors.js';

interface End {
  readonly exitCode: number;
  /** The `kind` of the error object; empty where there is none. */
  readonly kind: string;
  readonly meaning: string;
}

/** Every way that pit ends, by its exit code. */
export function ends(): End[] {
  const failures = Object.entries(FAILURES).map(([kind, end]) => ({ kind, ...end }));
  return [...OTHER_ENDS.map((end) => ({ kind: '', ...end })), ...failures].sort(
    (left, right) => left.exitCode - right.exitCode,
  );
}

/** What `pit help exit-codes` says. */
export function exitCodeHelp(): string {
  const lines = ends().map(
    ({ exitCode, kind, meaning }) => `  ${String(exitCode).padStart(3)}  ${kind.padEnd(11)}  ${meaning}`,
  );
  return ['How pit ends, and the kind of the error object that --json writes to stderr:', '', ...lines, ''].join('\n');
}

/** The same for README. */
export function exitCodeTable(): string {
  const rows = ends().map(({ exitCode, kind, meaning }) => `| ${exitCode} | ${kind && `\`${kind}\``} | ${meaning} |`);
  return ['| exit code | kind | |', '|---|---|---|', ...rows].join('\n');
}
