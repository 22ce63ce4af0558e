import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeOwnFolder } from '../../src/platform/files/private-files.js';
import type { SandboxExchange } from '../../src/sandbox/exchange/exchange.js';

/** How long before a sandbox its history of prices begins, in ms, if a test needs no more: three weeks take as long to make as all else. */
export const SHORT_HISTORY_MS = 3_600_000;

/** The files of a sandbox, by their names. */
type Files = ReadonlyMap<string, Buffer>;

/** The files of sandboxes before anything has happened in them, by all that they depend on. */
const filesOfNew = new Map<string, Files>();

/**
 * Writes the files of a new sandbox into a folder: it takes much less time to copy its first minute of trading than to simulate it again.
 *
 * @param terms all that the first minute depends on
 * @param open makes the sandbox in the folder
 */
export async function writeGenesis(folder: string, terms: string, open: () => Promise<SandboxExchange>): Promise<void> {
  const known = filesOfNew.get(terms);
  if (known === undefined) filesOfNew.set(terms, await filesOf(folder, await open()));
  else copyGenesis(folder, known);
}

/** Closes a new sandbox of a folder and returns its files. */
export async function filesOf(folder: string, exchange: SandboxExchange): Promise<Files> {
  await exchange.close();
  const files = readdirSync(folder).filter((name) => !name.endsWith('-lock'));
  return new Map(files.map((name) => [name, readFileSync(path.join(folder, name))]));
}

/** Writes such files into a folder, from which the same sandbox can be opened. */
export function copyGenesis(folder: string, files: Files): void {
  makeOwnFolder(folder);
  for (const [name, content] of files) writeFileSync(path.join(folder, name), content, { mode: 0o600 });
}
