import fs from 'node:fs';
import { Failure } from '../../errors.js';
import { FILE_MODE } from '../../platform/files/private-files.js';
import type { Context } from '../session/command.js';
import { type InputRules, readNamedChunks, STDIN, shownName } from './input.js';

/** Whether the user named a pipe or stdin, which can be read only once. */
export function isPiped(name: string): boolean {
  return name === STDIN || fs.statSync(name, { throwIfNoEntry: false })?.isFIFO() === true;
}

/**
 * Copies a pipe or stdin to a private file, and runs the work that reads it. Failures of the work name the pipe, not the copy. The caller
 * removes the file. Throws Failure `usage` if the input cannot be read or is too long, and what the work throws.
 */
export async function withPipedCopy<Result>(
  context: Context,
  name: string,
  rules: InputRules,
  copy: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const descriptor = fs.openSync(copy, 'w', FILE_MODE);
  try {
    await readNamedChunks(context, name, rules, (chunk) => fs.writeFileSync(descriptor, chunk));
  } finally {
    fs.closeSync(descriptor);
  }
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, message, hints, cause } = error;
    throw new Failure(kind, message.replaceAll(copy, shownName(name)), { hint: hints, cause });
  }
}
