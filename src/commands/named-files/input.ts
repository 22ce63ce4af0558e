import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Context } from '../../cli/context.js';
import { FILE_MODE } from '../../config/private-files.js';
import { Failure, systemErrorCode, usage } from '../../errors.js';
import { openInput } from '../../platform/input-stream.js';

/** The name of stdin on a command line. */
const STDIN = '-';

interface Rules {
  /** The most bytes it may have; a device may give bytes forever. */
  readonly max: number;
  /** What the file has to be, for the failure. */
  readonly hint: string;
}

/**
 * Reads a file that the user named: a regular file, a pipe, a device, or `-` for stdin. While it waits for a writer, signals
 * end the program, and so does the time that the user has set. Throws Failure `usage` if it cannot be read or is too long.
 */
export async function readNamedFile(context: Context, name: string, rules: Rules): Promise<Buffer> {
  return readStream(context, opened(context, name, rules), shownName(name), rules);
}

/** Reads a stream to its end. Throws the same. */
export async function readStream(context: Context, stream: Readable, shown: string, rules: Rules): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await readChunks(context, stream, shown, rules, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/**
 * Lets the sandbox read what the user named: a regular file itself, and a private copy of what a pipe or stdin gives. Throws the
 * same, and what the work throws.
 */
export async function withFileForSandbox<Result>(
  context: Context,
  name: string,
  rules: Rules,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  if (name !== STDIN && !fs.statSync(name, { throwIfNoEntry: false })?.isFIFO()) return work(realPath(name));
  const stream = opened(context, name, rules);
  const copy = await context.sandbox.transferFile();
  const remove = () => fs.rmSync(copy, { force: true });
  const forget = context.host.onExit(remove);
  try {
    const descriptor = fs.openSync(copy, 'w', FILE_MODE);
    try {
      await readChunks(context, stream, shownName(name), rules, (chunk) => fs.writeFileSync(descriptor, chunk));
    } finally {
      fs.closeSync(descriptor);
    }
    return await work(copy);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, message, hints, cause } = error;
    throw new Failure(kind, message.replaceAll(copy, shownName(name)), { hint: hints, cause });
  } finally {
    forget();
    remove();
  }
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

function shownName(name: string): string {
  return name === STDIN ? 'stdin' : name;
}

function opened({ host }: Context, name: string, { hint }: Rules): Readable {
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

async function readChunks(
  { host, budget }: Context,
  stream: Readable,
  shown: string,
  { max, hint }: Rules,
  take: (chunk: Buffer) => void,
): Promise<void> {
  const forget = host.onExit(() => stream.destroy());
  let length = 0;
  try {
    await budget.pausedUnlessSet(async () => {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk);
        length += bytes.length;
        if (length > max) throw usage(`${shown} is longer than ${inWords(max)}.`, hint);
        take(bytes);
      }
    });
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(shown, error, hint);
  } finally {
    forget();
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
