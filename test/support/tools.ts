import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';

const known = new Map<string, boolean>();

/**
 * Whether a program that a test needs is installed, for `describe.skipIf(!requires('python3'))`. A missing one is written
 * to the list that the test run names at its end; with PIT_TEST_COMPLETE=1, as CI has it, it fails instead.
 */
export function requires(program: string): boolean {
  return knownOr(program, () => isInstalled(program));
}

/** The same for something other than a program, recognized by one of its files. */
export function requiresFile(name: string, file: string): boolean {
  return knownOr(name, () => existsSync(file));
}

function knownOr(name: string, look: () => boolean): boolean {
  const found = known.get(name) ?? look();
  if (!found && !known.has(name)) report(name);
  known.set(name, found);
  return found;
}

/** Names something that a machine lacks and that cannot be installed: the run reports it at its end, and does not fail. */
export function lacks(name: string): void {
  const list = process.env.PIT_TEST_MISSING;
  if (list !== undefined) appendFileSync(list, `${name}\n`);
}

function isInstalled(program: string): boolean {
  const { error, status } = spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 20_000 });
  return error === undefined && status === 0;
}

function report(program: string): void {
  if (process.env.PIT_TEST_COMPLETE === '1') {
    throw new Error(`${program} is not installed, and PIT_TEST_COMPLETE=1 asks for every test.`);
  }
  const list = process.env.PIT_TEST_MISSING;
  if (list !== undefined) appendFileSync(list, `${program}\n`);
}
