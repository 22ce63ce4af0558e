import fs from 'node:fs';
import path from 'node:path';
import type Conf from 'conf';
import { Failure, suggest, systemErrorCode } from '../errors.js';
import { UnboundedFile } from '../platform/files/bounded-file.js';
import { LOCK, locked } from '../platform/files/lock.js';
import {
  cannotWrite,
  FILE_MODE,
  isPrivateFile,
  makePrivateFolder,
  notFolder,
  readPrivate,
  requirePrivateFolder,
} from '../platform/files/private-files.js';

export type Document = Readonly<Record<string, unknown>>;
type ConfClass = typeof Conf<Record<string, unknown>>;

/** What may be done while the folder is locked. Files are named relative to it, by names checked before. */
export interface Writer {
  has(file: string): boolean;
  read(file: string): Document | null;
  /** Replaces the whole file, also one that was damaged. */
  write(file: string, document: Document): void;
  /** Whether there was one to delete. */
  delete(file: string): boolean;
}

/** What a killed process leaves between writing its temporary file and renaming it. */
const LEFTOVER = /\.json\.tmp-[0-9a-f]+$/;

/**
 * The configuration folder: small JSON documents, one file each, all readable by their owner only. Readers take no
 * lock, since a file is replaced in one step; writers take turns.
 */
export class ConfigStore {
  constructor(readonly folder: string) {}

  /** @throws Failure `credentials` when the file is damaged, open to others or unreadable */
  async read(file: string): Promise<Document | null> {
    const text = documentText(this.folder, file);
    // Without a file there is nothing to load the library for; this is every command of someone who has no profile.
    return text === null ? null : parseWith(await loadConf(), path.join(this.folder, file), text);
  }

  /** The names of the documents in a folder within, sorted. */
  names(within: string): string[] {
    try {
      const entries = fs.readdirSync(path.join(this.folder, within));
      return entries
        .filter((entry) => entry.endsWith('.json'))
        .map((entry) => entry.slice(0, -'.json'.length))
        .sort();
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') return [];
      if (systemErrorCode(thrown) === 'ENOTDIR') throw notFolder(path.join(this.folder, within));
      throw unreadable(path.join(this.folder, within), thrown);
    }
  }

  /**
   * Changes documents while no other process does.
   * @throws what `work` throws, and Failure when the folder cannot be made, locked or written
   */
  async change<T>(work: (writer: Writer) => T): Promise<T> {
    makePrivateFolder(this.folder);
    const conf = await loadConf();
    return locked(this.folder, () => {
      sweep(this.folder);
      return work(writer(this.folder, conf));
    });
  }
}

function writer(root: string, conf: ConfClass): Writer {
  const at = (file: string) => path.join(root, file);
  const has = (file: string) => isPrivateFile(root, file);
  return {
    has,
    read: (file) => {
      const text = documentText(root, file);
      return text === null ? null : parseWith(conf, at(file), text);
    },
    write: (file, document) => {
      makePrivateFolder(root, path.dirname(file));
      has(file);
      writeWith(conf, at(file), document);
    },
    delete: (file) => remove(at(file)),
  };
}

/** A file that is open to others may be deleted as well: that is a fix, too. */
function remove(file: string): boolean {
  try {
    fs.unlinkSync(file);
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw cannotWrite(file, thrown);
  }
}

const MAX_BYTES = 2 ** 20;

/** The text of a document; null if there is none. */
function documentText(root: string, name: string): string | null {
  const file = path.join(root, name);
  try {
    const bytes = readPrivate(root, name, MAX_BYTES);
    if (bytes === undefined) return null;
    requirePrivateFolder(root);
    return bytes.toString('utf8');
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    throw thrown instanceof UnboundedFile ? damaged(file, thrown.message) : unreadable(file, thrown);
  }
}

/**
 * The document in a text that was read of a file. The library is given the text: the file may be another one by now. The
 * parser's own words stay out of the failure, and so does its error: they quote the file, which may hold a key.
 */
function parseWith(conf: ConfClass, file: string, text: string): Document {
  try {
    return open(conf, file, { clearInvalidConfig: false, deserialize: () => JSON.parse(text) as Document }).store;
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    if (!(thrown instanceof SyntaxError)) throw unreadable(file, thrown);
    throw damaged(file, 'it is not JSON');
  }
}

/** The failure for a document that exists but is not valid. */
export function damaged(file: string, why: string): Failure {
  return new Failure('credentials', `${file} is damaged: ${why}.`, {
    hint: [
      'Fix it in an editor, or move it away and make it again.',
      suggest('Make a profile', 'profile', 'add', 'NAME', '--base-url', 'URL', '--trade-url', 'URL'),
      suggest('Store its keys', 'keys', 'set', '--profile', 'NAME'),
    ],
  });
}

function unreadable(file: string, thrown: unknown): Failure {
  return new Failure('credentials', `${file} cannot be read (${systemErrorCode(thrown)}).`, {
    hint: 'Check who may read it and the folders above it.',
  });
}

/** With a variable that marks a Snap package, the library would write in place, and a reader could see half a file. */
function writeWith(conf: ConfClass, file: string, document: Document): void {
  const snap = process.env.SNAP;
  delete process.env.SNAP;
  try {
    open(conf, file, { clearInvalidConfig: true }).store = { ...document };
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  } finally {
    if (snap !== undefined) process.env.SNAP = snap;
  }
}

function open(
  conf: ConfClass,
  file: string,
  options: Pick<ConstructorParameters<ConfClass>[0] & object, 'clearInvalidConfig' | 'deserialize'>,
): Conf<Record<string, unknown>> {
  return new conf({
    cwd: path.dirname(file),
    configName: path.basename(file, '.json'),
    configFileMode: FILE_MODE,
    accessPropertiesByDotNotation: false,
    ...options,
  });
}

function sweep(root: string): void {
  for (const folder of [root, ...subfolders(root)]) {
    for (const entry of fs.readdirSync(folder)) {
      if (LEFTOVER.test(entry)) fs.rmSync(path.join(folder, entry), { force: true });
    }
  }
}

function subfolders(root: string): string[] {
  const entries = fs.readdirSync(root, { withFileTypes: true });
  const kept = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(LOCK));
  return kept.map((entry) => path.join(root, entry.name));
}

async function loadConf(): Promise<ConfClass> {
  const { default: conf } = await import('conf');
  return conf;
}
