import fs from 'node:fs';
import { codeOf } from '../../config/private.js';
import { cannotRead } from './files.js';

const CHUNK = 65_536;
const LINE_FEED = 10;

/**
 * The lines of a file, last first; none if there is no file. Reads no more than is asked for: the newest lines of a journal
 * are at its end, and it may have many. Throws Failure `usage` if it cannot be read.
 */
export function* linesBackwards(file: string): Generator<string> {
  try {
    yield* linesFromEnd(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw cannotRead(file, thrown);
  }
}

function* linesFromEnd(file: string): Generator<string> {
  const descriptor = fs.openSync(file, 'r');
  try {
    let [end, rest] = [fs.fstatSync(descriptor).size, Buffer.alloc(0)];
    while (end > 0) {
      const start = Math.max(0, end - CHUNK);
      const bytes = Buffer.concat([bytesOf(descriptor, start, end), rest]);
      // what comes before the first line feed may have begun earlier
      const first = start === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
      const isPart = start > 0 && first === 0;
      if (!isPart) yield* linesIn(bytes.subarray(first)).reverse();
      rest = isPart ? bytes : bytes.subarray(0, Math.max(0, first - 1));
      end = start;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Fewer if the file was truncated meanwhile. */
function bytesOf(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, start));
}

function linesIn(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n');
}
