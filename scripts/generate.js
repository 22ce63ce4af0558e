// `npm run generate`: generates man pages and docs/commands.md from the commands, and docs/interface.md from the descriptions of
// the exchange's interface. With --check it only reports files that are out of date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { importBundled } from './bundle-program.js';
import { preparePackages, root } from './prepare.js';

preparePackages();
/** @type {(file: string) => string} */
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const onlyCheck = process.argv.includes('--check');

/** @param {string} file */
function textOf(file) {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

const { referenceFiles } = await importBundled(path.join(root, 'src/commands/reference/index.ts'));
const files = await referenceFiles(read);
const changed = [...files].filter(([file, text]) => textOf(file) !== text);
const pages = path.join(root, 'man', 'man1');
const old = readdirSync(pages, { encoding: 'utf8' }).filter((name) => !files.has(`man/man1/${name}`));
if (onlyCheck) {
  for (const [file] of changed) console.error(`${file} is out of date: npm run generate`);
  for (const name of old) console.error(`man/man1/${name} belongs to no command: npm run generate`);
  if (changed.length + old.length > 0) process.exitCode = 1;
} else {
  for (const name of old) rmSync(path.join(pages, name));
  for (const [file, text] of changed) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    console.log(file);
  }
}
