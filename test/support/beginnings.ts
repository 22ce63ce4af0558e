import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeOwnFolder } from '../../src/platform/files/private-files.js';
import type { SandboxExchange } from '../../src/sandbox/exchange/exchange.js';

/** The files of sandboxes before anything has happened in them, by what they begin with. */
const beginnings = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * Gives a folder the data of a new sandbox: it takes much less time to copy its first minute of trading than to simulate it again.
 *
 * @param terms all that the first minute depends on
 * @param open makes the sandbox in the folder
 */
export async function begin(folder: string, terms: string, open: () => Promise<SandboxExchange>): Promise<void> {
  const known = beginnings.get(terms);
  if (known !== undefined) {
    makeOwnFolder(folder);
    for (const [name, content] of known) writeFileSync(path.join(folder, name), content, { mode: 0o600 });
    return;
  }
  const exchange = await open();
  await exchange.close();
  const files = readdirSync(folder).filter((name) => !name.endsWith('-lock'));
  beginnings.set(terms, new Map(files.map((name) => [name, readFileSync(path.join(folder, name))])));
}
