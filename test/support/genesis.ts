import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeOwnFolder } from '../../src/platform/files/private-files.js';
import type { SandboxExchange } from '../../src/sandbox/exchange/exchange.js';

/** How long before a sandbox its history of prices begins, in ms, if a test needs no more: three weeks take as long to make as all else. */
export const SHORT_HISTORY_MS = 3_600_000;

/** The files of sandboxes before anything has happened in them, by all that they depend on. */
const filesOfNew = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * Writes the files of a new sandbox into a folder: it takes much less time to copy its first minute of trading than to simulate it again.
 *
 * @param terms all that the first minute depends on
 * @param open makes the sandbox in the folder
 */
export async function writeGenesis(folder: string, terms: string, open: () => Promise<SandboxExchange>): Promise<void> {
  const known = filesOfNew.get(terms);
  if (known !== undefined) {
    makeOwnFolder(folder);
    for (const [name, content] of known) writeFileSync(path.join(folder, name), content, { mode: 0o600 });
    return;
  }
  const exchange = await open();
  await exchange.close();
  const files = readdirSync(folder).filter((name) => !name.endsWith('-lock'));
  filesOfNew.set(terms, new Map(files.map((name) => [name, readFileSync(path.join(folder, name))])));
}
