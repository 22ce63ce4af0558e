import type { Readable } from 'node:stream';
import { Failure, systemErrorCode, usage } from '../../errors.js';
import { openInput } from '../../platform/input-stream.js';
import type { Context } from '../session/command.js';

/** The name of stdin on a command line. */
export const STDIN = '-';

export interface InputRules {
  /** The most bytes it may have; a device may give bytes forever. */
  readonly max: number;
  /** What the file has to be, for the failure. */
  readonly hint: string;
}

/**
 * Reads a file that the user named: a regular file, a pipe, a device, or `-` for stdin. While it waits for a writer, signals
 * end the program, and so does the time that the user has set. Throws Failure `usage` if it cannot be read or is too long.
 */
export async function readNamedFile(context: Context, name: string, rules: InputRules): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await readNamedChunks(context, name, rules, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Reads such a file in pieces. Throws as {@link readNamedFile}. */
export async function readNamedChunks(
  context: Context,
  name: string,
  rules: InputRules,
  take: (chunk: Buffer) => void,
): Promise<void> {
  const stream = opened(context, name, rules);
  const { onExit, endSignal } = context.host;
  const stop = () => void stream.destroy();
  const forget = onExit(stop);
  // a command of pit shell ends while the program goes on, and must not take what a later one is to read
  endSignal?.addEventListener('abort', stop);
  let length = 0;
  try {
    await context.budget.pausedDuring(async () => {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk);
        length += bytes.length;
        if (length > rules.max) throw usage(`${shownName(name)} is longer than ${inWords(rules.max)}.`, rules.hint);
        take(bytes);
      }
    });
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(shownName(name), error, rules.hint);
  } finally {
    forget();
    endSignal?.removeEventListener('abort', stop);
  }
}

/** The name of such a file in messages. */
export function shownName(name: string): string {
  return name === STDIN ? 'stdin' : name;
}

function opened({ host }: Context, name: string, { hint }: InputRules): Readable {
  if (name === STDIN) {
    if (host.input.isTTY === true) throw usage('- reads a pipe, but stdin is a terminal.', 'Name the file instead.');
    return host.input;
  }
  try {
    return openInput(name);
  } catch (error) {
    throw unreadable(name, error, hint);
  }
}

function unreadable(shown: string, error: unknown, hint: string): Failure {
  return usage(`Cannot read ${shown}: ${systemErrorCode(error)}.`, hint);
}

const UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

function inWords(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${bytes / size} ${unit}`;
}
