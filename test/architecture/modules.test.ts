import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from './sources.js';

interface Measured {
  /** The command. */
  readonly what: string;
  /** The modules in which a function was called. */
  readonly names: readonly string[];
}

/**
 * How many of our own modules a command may execute: what a reader opens to follow it. Before you raise a number, look
 * whether the new module is needed by every run of the command, and whether it belongs to one that is executed anyway.
 */
const MOST: readonly (readonly [line: RegExp, most: number])[] = [
  [/^pit depth .*--json/, 43],
  [/^pit order buy .*--yes/, 73],
];

it('depth and order buy execute few of our own modules', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/bench.js', 'modules', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const measured = JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('[')) ?? 'null') as
    | Measured[]
    | null;
  expect(measured, stderr).not.toBeNull();
  for (const [line, most] of MOST) {
    const executed = measured?.find(({ what }) => line.test(what))?.names ?? [];
    // a program that was not measured executes none
    expect(executed).toContain('main.js');
    expect(executed.length, executed.join('\n')).toBeLessThanOrEqual(most);
  }
});
