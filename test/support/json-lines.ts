import { expect } from 'vitest';

/** With --json, each line that a program reads from stderr is an object; without --verbose there are no notes among them. */
export function expectJsonLines(line: string, stderr: string): void {
  const kinds = linesOf(stderr).map((text) => Object.keys(JSON.parse(text)).join());
  const allowed = line.includes('--verbose') ? ['warning', 'note'] : ['warning'];
  const isLast = (kind: string, index: number) => kind === 'error' && index === kinds.length - 1;
  const wrong = kinds.filter((kind, index) => !allowed.includes(kind) && !isLast(kind, index));
  expect({ line, wrong }).toEqual({ line, wrong: [] });
}

interface CliWarning {
  readonly message: string;
  readonly hint: string | null;
}

/** The warnings of a command with --json. */
export function warnings(stderr: string): CliWarning[] {
  return linesOf(stderr).flatMap((line) => (JSON.parse(line) as { readonly warning?: CliWarning }).warning ?? []);
}

function linesOf(stderr: string): string[] {
  return stderr === '' ? [] : stderr.trimEnd().split('\n');
}
