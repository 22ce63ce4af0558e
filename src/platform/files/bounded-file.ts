import fs from 'node:fs';

/** Thrown for what may have no end, or is longer than its reader allows. Its `code` says so in words. */
export class UnboundedFile extends Error {
  override readonly name = 'UnboundedFile';

  constructor(readonly code: string) {
    super(`it is ${code}`);
  }
}

/** Opening a pipe without a writer would wait for one. */
const WITHOUT_WAITING = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** The code of {@link UnboundedFile} for what is no regular file. */
export const NOT_REGULAR = 'not a regular file';

/**
 * Opens a regular file for reading. Throws {@link UnboundedFile} for devices, pipes and folders, and the system's error if it
 * cannot be opened. The caller closes the descriptor.
 * @param flags more flags, as O_NOFOLLOW; by default links are followed
 */
export function openRegular(file: string, flags = 0): number {
  return openFound(file, flags).descriptor;
}

/** An open file, and what the system reported about it then. */
export interface FoundFile {
  readonly descriptor: number;
  readonly found: fs.Stats;
}

/** The same with what the system reported, so that it need not be asked again. The caller closes the file. */
export function openFound(file: string, flags = 0): FoundFile {
  const descriptor = fs.openSync(file, WITHOUT_WAITING | flags);
  const found = fs.fstatSync(descriptor);
  if (found.isFile()) return { descriptor, found };
  fs.closeSync(descriptor);
  throw new UnboundedFile(NOT_REGULAR);
}

const BLOCK = 65_536;
/** Files of the kernel, such as those of processes, have no size and little content. */
const LEAST = 1_024;

/**
 * The bytes of a regular file. Every file that pit reads whole is read here or in pieces. Throws
 * {@link UnboundedFile} for a device, pipe or folder and for more than `max` bytes, whatever size the system reports, and
 * the system's error if the file cannot be read.
 */
export function readBounded(file: string, max: number): Buffer {
  return readAndClose(openFound(file), max);
}

/** The same of an open file, which it closes. */
export function readAndClose(file: FoundFile, max: number): Buffer {
  try {
    return readFound(file, max);
  } finally {
    fs.closeSync(file.descriptor);
  }
}

function readFound({ descriptor, found }: FoundFile, max: number): Buffer {
  const expected = Math.min(found.size, max);
  let bytes = Buffer.allocUnsafe(Math.max(expected + 1, LEAST));
  let length = 0;
  for (;;) {
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(BLOCK)]);
    const read = fs.readSync(descriptor, bytes, length, bytes.length - length, length);
    length += read;
    if (length > max) throw new UnboundedFile(`longer than ${inWords(max)}`);
    // there was room for one more byte than its size
    if (read === 0 || length === found.size) return bytes.subarray(0, length);
  }
}

/** The same as UTF-8. */
export function readTextBounded(file: string, max: number): string {
  return readBounded(file, max).toString('utf8');
}

function inWords(bytes: number): string {
  if (bytes >= 2 ** 20) return `${Math.floor(bytes / 2 ** 20)} MiB`;
  return bytes >= 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${bytes} bytes`;
}
