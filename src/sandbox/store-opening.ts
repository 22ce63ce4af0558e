import { chmodSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import { DamagedStore } from './store-damage.js';

/** Where LMDB's first page has its mark and the page size, in bytes, as the pinned version lays them out. */
const MARK = { at: 24, value: 0xbeefc0de };
const PAGE_SIZE_AT = 48;
const HEAD = 64;

/** Batching by event turn begins each turn with a write whose promise nobody can hear: its rejection would end the process. */
const OPTIONS = { noSubdir: true, encoding: 'msgpack', overlappingSync: false, eventTurnBatching: false } as const;

/**
 * Opens an LMDB file, which only its owner can read. Throws {@link DamagedStore} for one that is not LMDB's, which LMDB
 * itself would not survive: it reads what it has mapped without a look, and the process is gone.
 */
export function openDatabase(file: string): RootDatabase {
  demandHead(file);
  try {
    // LMDB gives its files the mode 0664, less the umask
    const database = open({ path: file, ...OPTIONS });
    for (const each of [file, `${file}-lock`]) chmodSync(each, 0o600);
    return database;
  } catch (error) {
    if (isLmdbs(error)) throw new DamagedStore(file, error.message, error);
    throw error;
  }
}

/** LMDB's own errors have codes below zero, the system's above. */
function isLmdbs(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 0;
}

/** An empty file is one that was about to be made. */
function demandHead(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    const length = readSync(descriptor, head, 0, HEAD, 0);
    const [mark, pageSize] = numbersIn(head);
    if (length < HEAD || mark !== MARK.value) throw new DamagedStore(file, 'it does not begin as a store does');
    if (fstatSync(descriptor).size < 2 * pageSize) throw new DamagedStore(file, 'it is cut off');
  } finally {
    closeSync(descriptor);
  }
}

/** The numbers are in the byte order of the machine. */
function numbersIn(head: Buffer): [mark: number, pageSize: number] {
  const words = new DataView(head.buffer, head.byteOffset, head.length);
  const little = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  return [words.getUint32(MARK.at, little), words.getUint32(PAGE_SIZE_AT, little)];
}
