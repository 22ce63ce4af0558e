import { spawn } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';

/** Renames two folders into each other's place until it is killed. It ends if it may not. */
const SWAP = `
const fs = require('node:fs');
const [one, other] = process.argv.slice(1);
process.stdout.write('ready');
for (;;) {
  try { fs.renameSync(one, one + '.aside'); fs.renameSync(other, one); fs.renameSync(one, other); fs.renameSync(one + '.aside', one); }
  catch (error) { if (error.code === 'EPERM' || error.code === 'EACCES') process.exit(13); }
}`;

/** Works while another user puts each of two folders in the other's place, again and again, and puts both back. Only root can do that. */
export async function whileSwapped<Value>(
  folders: readonly [string, string],
  user: number,
  work: () => Promise<Value>,
): Promise<Value> {
  const [one, other] = folders;
  const swapper = spawn(process.execPath, ['-e', SWAP, ...folders], { uid: user, gid: user });
  const ended = new Promise((resolve) => swapper.once('exit', resolve));
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
  try {
    return await work();
  } finally {
    swapper.kill('SIGKILL');
    await ended;
    // it was stopped between two renames
    const aside = `${one}.aside`;
    if (existsSync(aside) && existsSync(one)) renameSync(one, other);
    if (existsSync(aside)) renameSync(aside, one);
  }
}
