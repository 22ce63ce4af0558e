import fs from 'node:fs';
import path from 'node:path';
import type { InputRules } from '../named-files/input.js';
import { isPiped, withPipedCopy } from '../named-files/piped-copy.js';
import type { Context } from '../session/command.js';

/**
 * Runs the work with the name of a private file that passes data to or from the sandbox, and removes the file afterwards. Starts
 * the sandbox if it does not run.
 */
export async function withTransferFile<Result>(
  { sandbox, host }: Context,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  await sandbox.ensure();
  const { transferFile } = await import('../../sandbox/lifecycle/files.js');
  const file = transferFile(host.directories);
  const remove = () => fs.rmSync(file, { force: true });
  const forget = host.onExit(remove);
  try {
    return await work(file);
  } finally {
    forget();
    remove();
  }
}

/**
 * Lets the sandbox read what the user named: a regular file directly, and a pipe or stdin from a private copy. Throws Failure
 * `usage` if the input cannot be read or is too long, and what the work throws.
 */
export async function withFileForSandbox<Result>(
  context: Context,
  name: string,
  rules: InputRules,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  if (!isPiped(name)) return work(realPath(name));
  return withTransferFile(context, (copy) => withPipedCopy(context, name, rules, copy, () => work(copy)));
}

/** The same file for another process: `/dev/stdin` would be another one there. */
function realPath(name: string): string {
  try {
    return fs.realpathSync(name);
  } catch {
    // the sandbox says why it cannot read it
    return path.resolve(name);
  }
}
