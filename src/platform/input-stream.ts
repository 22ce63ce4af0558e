import fs from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import tty from 'node:tty';

/** Opening a pipe without a writer would wait for one, and nothing could end that. */
const WITHOUT_WAITING = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** Opens a file, pipe, terminal or device for reading. A pipe without a writer waits for one as a stream waits for data. */
export function openInput(file: string): Readable {
  return inputStream(fs.openSync(file, WITHOUT_WAITING));
}

/**
 * The stream of an open descriptor, which it closes. A thread that waits in a read cannot be ended and keeps the program from
 * exiting, so what may have no data yet is read by events.
 */
export function inputStream(descriptor: number): Readable {
  const file = fs.fstatSync(descriptor);
  if (file.isFIFO() || file.isSocket()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return tty.isatty(descriptor) ? new tty.ReadStream(descriptor) : fs.createReadStream('', { fd: descriptor });
}
