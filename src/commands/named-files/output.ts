import fs from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { Writable } from 'node:stream';
import tty from 'node:tty';
import { Failure, systemErrorCode, usage } from '../../errors.js';
import { openRegular } from '../../platform/files/bounded-file.js';
import { cannotWrite, FILE_MODE, followPath, isOfAnother } from '../../platform/files/private-files.js';
import { Replacement } from '../../platform/files/replacement.js';
import type { Context } from '../session/command.js';

/** The failure for a file that the user named and that cannot be written. What is a Failure already is returned. */
export function cannotWriteOutput(file: string, thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return cannotWrite(file, thrown, 'Give a file in a folder that you can write to, with room for it.');
}

/** What a name on the command line stands for, as a place to write to. */
type OutputPlace =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'pipe' | 'device'; readonly file: string }
  /** A regular file, or one that does not exist yet: then its size is 0. */
  | { readonly kind: 'file'; readonly file: string; readonly size: number };

const STDOUT: readonly string[] = ['-', '/dev/stdout'];

/** Whether a name stands for stdout. */
export function isStdout(name: string): boolean {
  return STDOUT.includes(name);
}

/*
 * Who can write to the folder of a file, as everybody can in /tmp, may have made a file or a link of that name before. So pit writes to
 * a regular file only if no other user has made it and it has one name, and follows no link of another user.
 */

/**
 * Who may read a file that pit makes: the user alone, or whom the umask lets, as for prices, which everybody can ask for. One that
 * replaces another keeps its mode, unless it has keys.
 */
export type Secrecy = 'keys' | 'private' | 'public';

const NEW_FILE_MODE: Readonly<Record<Secrecy, number>> = { keys: FILE_MODE, private: FILE_MODE, public: 0o666 };

/**
 * Finds out where to write; links of the user and of root are followed. Throws Failure `usage` for folders, disks and sockets, for
 * what the user may not write to, and for a file or link that another user has made.
 */
export function outputPlace(name: string): OutputPlace {
  if (isStdout(name)) return { kind: 'stdout' };
  try {
    const found = fs.statSync(name, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw usage(`${name} is a folder.`, 'Give the name of a file in it.');
    if (found?.isBlockDevice() || found?.isSocket())
      throw usage(`${name} is a ${found.isSocket() ? 'socket' : 'disk'}.`, 'Give a file, a pipe or - for stdout.');
    const isThrough = found?.isFIFO() || found?.isCharacterDevice();
    const real = followed(name);
    const file = isThrough ? name : real;
    if (found?.isFile()) requireOwn(name, found);
    fs.accessSync(found === undefined ? path.dirname(file) : file, fs.constants.W_OK);
    // root may write to it all the same
    if (found?.isFile() && (found.mode & 0o222) === 0)
      throw usage(`${name} is read-only.`, 'Give another name, or make it writable.');
    if (isThrough) return { kind: found?.isFIFO() ? 'pipe' : 'device', file };
    return { kind: 'file', file, size: found?.size ?? 0 };
  } catch (error) {
    throw cannotWriteOutput(name, error);
  }
}

/** The file that a name leads to through links, also if the last link leads to a file that does not exist. */
function followed(name: string): string {
  const { real } = followPath(name, (part, found) => {
    if (!found.isSymbolicLink() || !isOfAnother(found)) return;
    throw usage(`${name} leads through a link of another user, ${part}.`, 'Give another name.');
  });
  return real;
}

/** Throws Failure `usage` for a file that another user has made, or that has a second name. */
function requireOwn(name: string, found: fs.Stats): void {
  if (isOfAnother(found)) throw usage(`${name} belongs to another user.`, 'Give another name.');
  if (found.nlink > 1) throw usage(`${name} has another name, a hard link.`, 'Give another name.');
}

/** Following no link: the file is where {@link outputPlace} found it. */
const GROWING =
  fs.constants.O_RDWR | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file that grows at its end, or makes it. What was opened is checked as {@link outputPlace} checks it. Throws Failure
 * `usage`. The caller closes the descriptor.
 */
export function openGrowing(name: string, file: string, secrecy: Secrecy): number {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, GROWING, NEW_FILE_MODE[secrecy]);
    const found = fs.fstatSync(descriptor);
    if (!found.isFile()) throw usage(`${name} is not a regular file.`, 'Give the name of a file.');
    requireOwn(name, found);
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    throw cannotWriteOutput(name, error);
  }
}

/** Begins the file that will be in the place of another, or the first there. Throws what the system reports. */
export function beginReplacement(file: string, secrecy: Secrecy): Replacement {
  const old = secrecy === 'keys' ? undefined : fs.statSync(file, { throwIfNoEntry: false });
  return new Replacement(file, old === undefined ? NEW_FILE_MODE[secrecy] & ~process.umask() : old.mode & 0o777);
}

/** Takes text for an output that is no regular file. */
export interface OutputStream {
  /** Resolves when the text is taken. Throws Failure `usage`, or StdoutClosed. */
  write(text: string): Promise<void>;
  /** Resolves when everything is taken. Throws the same. */
  end(): Promise<void>;
  /** Gives up. */
  destroy(): void;
}

/** How often a pipe is asked whether somebody reads it. */
const READER_MS = 100;

/** Opens stdout, a device or a pipe, and waits until somebody reads the pipe. Throws Failure `usage`. */
export async function openOutputStream(
  context: Context,
  name: string,
  place: Exclude<OutputPlace, { kind: 'file' }>,
): Promise<OutputStream> {
  const { output, budget, host } = context;
  const unhurried = (work: () => Promise<void>) => budget.pausedDuring(work);
  if (place.kind === 'stdout')
    return {
      write: (text) => unhurried(() => output.print(text)),
      end: () => Promise.resolve(),
      destroy: () => undefined,
    };
  const stream = await budget
    .pausedDuring(() => openWritable(context, place))
    .catch((error) => {
      throw cannotWriteOutput(name, error);
    });
  const forget = host.onExit(() => stream.destroy());
  // the writer receives the error too
  stream.on('error', () => undefined);
  const done = (begin: (taken: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      begin((error) => (error ? reject(notTaken(name, error)) : resolve()));
    });
  return {
    write: (text) => unhurried(() => done((taken) => stream.write(text, taken))),
    end: () => {
      forget();
      return done((taken) => stream.end(taken));
    },
    destroy: () => {
      forget();
      stream.destroy();
    },
  };
}

function notTaken(name: string, error: Error): Failure {
  return systemErrorCode(error) === 'EPIPE'
    ? usage(`The reader of ${name} closed it early.`, 'It received only a part of the data.')
    : cannotWriteOutput(name, error);
}

/** Opening a pipe without a reader would wait in a way that nothing can end. */
const WITHOUT_WAITING = fs.constants.O_WRONLY | (fs.constants.O_NONBLOCK ?? 0);

async function openWritable(
  { host }: Context,
  { kind, file }: { readonly kind: 'pipe' | 'device'; readonly file: string },
): Promise<Writable> {
  for (;;) {
    try {
      const descriptor = fs.openSync(file, WITHOUT_WAITING);
      if (kind === 'pipe') return new Socket({ fd: descriptor, readable: false, writable: true });
      return tty.isatty(descriptor) ? new tty.WriteStream(descriptor) : fs.createWriteStream('', { fd: descriptor });
    } catch (error) {
      if (kind !== 'pipe' || systemErrorCode(error) !== 'ENXIO') throw error;
      await host.sleep(READER_MS);
    }
  }
}

/** How much of a file shows what wrote it. */
const HEAD_BYTES = 1_024;

/** What may be replaced without `--force`, and how. */
interface Rules {
  readonly isForced: boolean;
  /** Whether pit wrote a file, by its first bytes as text. */
  isOurs(head: string): boolean;
  readonly secrecy: Secrecy;
}

/** Writes a whole text to where the user named. */
export class OutputTarget {
  readonly #context: Context;
  readonly #rules: Rules;

  /**
   * Nothing is written yet. Throws Failure `usage` if the place cannot be written, or is a file that pit did not write, without
   * `--force`.
   */
  constructor(
    context: Context,
    readonly name: string,
    rules: Rules,
  ) {
    this.#context = context;
    this.#rules = rules;

    this.#place = this.#check();
    if (this.#place.kind === 'stdout') requireFreeStdout(context);
  }

  #check(): OutputPlace {
    const { name } = this;
    const { isForced, isOurs } = this.#rules;
    const place = outputPlace(name);
    if (place.kind !== 'file') return place;
    try {
      fs.accessSync(path.dirname(place.file), fs.constants.W_OK);
      if (place.size === 0 || isForced || isOurs(headOf(place.file))) return place;
    } catch (error) {
      throw cannotWriteOutput(name, error);
    }
    throw usage(`${name} exists, and pit did not write it.`, 'Give another name, or --force to replace it.');
  }

  readonly #place: OutputPlace;

  get isStdout(): boolean {
    return this.#place.kind === 'stdout';
  }

  /** Writes everything; a regular file appears when it is whole. Throws Failure `usage`, and StdoutClosed. */
  async write(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const { name } = this;
    const context = this.#context;
    const place = this.#place;
    if (place.kind === 'file') return this.#replace(place.file, pieces);
    const stream = await openOutputStream(context, name, place);
    try {
      for await (const piece of pieces) await stream.write(piece);
      await stream.end();
    } finally {
      stream.destroy();
    }
  }

  async #replace(file: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
    let replacement: Replacement | undefined;
    const forget = this.#context.host.onExit(() => replacement?.discard());
    try {
      replacement = beginReplacement(file, this.#rules.secrecy);
      for await (const piece of pieces) fs.writeFileSync(replacement.descriptor, piece);
      // somebody may have put another file there meanwhile
      this.#check();
      replacement.commit();
    } catch (error) {
      throw cannotWriteOutput(this.name, error);
    } finally {
      forget();
      replacement?.close();
    }
  }
}

/** Throws Failure `usage` if something else would be printed on stdout. */
function requireFreeStdout({ globals }: Context): void {
  const flag =
    globals.fields === undefined ? { json: '--json', csv: '--csv', table: undefined }[globals.format] : '--fields';
  if (flag !== undefined)
    throw usage(`- and ${flag} exclude each other.`, 'Both print on stdout. Give a file, or leave the flag out.');
}

function headOf(file: string): string {
  const descriptor = openRegular(file);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('utf8', 0, fs.readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    fs.closeSync(descriptor);
  }
}
