import fs from 'node:fs';
import path from 'node:path';
import { cannotWrite, codeOf } from '../../config/private.js';
import { replaceFile } from '../../config/replace-file.js';
import { usage } from '../../errors.js';

/** What a user's own file may have; a file that others could not read before is not opened to them. */
const NEW_FILE = 0o644;

/**
 * The text of a file of the user's, each byte a character, so that whatever encoding it has comes out as it went in; null
 * where there is none.
 * @throws Failure `usage` where it cannot be read, or is a link to nowhere
 */
export function readOwn(file: string): string | null {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' && !isLink(file)) return null;
    const why = codeOf(thrown) === 'ENOENT' ? 'it links to a file that is not there' : codeOf(thrown);
    throw usage(`${file} cannot be read (${why}).`, 'Mend or move it, and run this again; nothing was changed.');
  }
}

/**
 * Replaces a file of the user's in one step, what a link leads to rather than the link.
 * @throws Failure `usage` where it cannot be written
 */
export function writeOwn(file: string, text: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
    const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode ?? NEW_FILE;
    replaceFile(target, Buffer.from(text, 'latin1'), mode & 0o7777);
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  }
}

/** @throws Failure `usage` where it cannot be removed */
export function removeOwn(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  }
}

/** Text as it is kept here: the bytes of its UTF-8, each a character. */
export function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function isLink(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
