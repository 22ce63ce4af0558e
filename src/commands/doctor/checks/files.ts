import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, shellWord } from '../../../config/private.js';
import { type Check, fail, ok } from '../check.js';

/** Nobody has so many; a link to somewhere else would. */
const MOST = 20_000;

/** Bits that let the group or everyone else in. */
const OTHERS = 0o077;

/** What lies open to others, or is not the user's own. */
interface Trouble {
  readonly file: string;
  readonly words: string;
  readonly mend: string;
}

export const files: Check = {
  name: 'files',
  async look({ context: { host } }) {
    if (process.geteuid === undefined) return ok('permissions are not looked at on this system');
    const { config, state } = host.directories;
    const seen: string[] = [];
    const troubles = [...(await troublesIn(config, seen)), ...(await troublesIn(state, seen))];
    const [first, ...more] = troubles;
    if (first === undefined)
      return ok(seen.length === 0 ? 'nothing there yet' : `${seen.length} files and folders, the user's alone`);
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    const mends = [...new Set(troubles.map(({ mend }) => mend))];
    return fail(
      `${first.file} ${first.words}${others}`,
      mends.length > 3 ? `${mends.slice(0, 3).join('; ')} …` : mends.join('; '),
    );
  },
};

async function troublesIn(root: string, seen: string[]): Promise<Trouble[]> {
  const troubles: Trouble[] = [];
  const open = [root];
  for (let file = open.pop(); file !== undefined && seen.length < MOST; file = open.pop()) {
    try {
      // people keep their configuration folder elsewhere and link it
      const found = await (file === root ? stat : lstat)(file);
      seen.push(file);
      troubles.push(...troubleOf(file, found));
      if (found.isDirectory()) open.push(...(await readdir(file)).map((name) => path.join(file ?? '', name)));
    } catch (thrown) {
      // a file that has just gone is nobody's trouble
      if (codeOf(thrown) !== 'ENOENT') troubles.push(unseen(file, codeOf(thrown)));
    }
  }
  return troubles;
}

function troubleOf(file: string, { mode, uid }: Stats): Trouble[] {
  const isLink = (mode & 0o170000) === 0o120000;
  if (isLink) return [];
  if (uid !== process.geteuid?.())
    return [
      {
        file,
        words: 'belongs to another user',
        mend: 'Run pit as its owner, or set PIT_HOME to a folder of your own.',
      },
    ];
  if ((mode & OTHERS) === 0) return [];
  const words = `is open to other users (mode ${(mode & 0o777).toString(8)})`;
  return [{ file, words, mend: `chmod go-rwx ${shellWord(file)}` }];
}

function unseen(file: string, code: string): Trouble {
  return { file, words: `cannot be looked at (${code})`, mend: `Check who may read ${file} and the folders above it.` };
}
