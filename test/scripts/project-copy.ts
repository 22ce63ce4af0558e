import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUILT } from '../support/command.js';

export const ROOT = path.dirname(path.dirname(BUILT));

/** Where npm writes down what it has installed. */
const INSTALLED = path.join('node_modules', '.package-lock.json');

/** A copy of the project without tests and without what was built. `remove` deletes it. */
export function copyProject(name: string): { readonly copy: string; readonly remove: () => void } {
  // in the project, because links do not reach another disk
  mkdirSync(path.join(ROOT, 'release'), { recursive: true });
  const copy = mkdtempSync(path.join(ROOT, 'release', `${name}-`));
  for (const file of readdirSync(ROOT))
    if (!/^(\.git|dist|release|node_modules|test)$/.test(file))
      cpSync(path.join(ROOT, file), path.join(copy, file), { recursive: true });
  mkdirSync(path.join(copy, 'node_modules'));
  for (const file of readdirSync(path.join(ROOT, 'node_modules')))
    if (!file.startsWith('.')) linkTree(path.join(ROOT, 'node_modules', file), path.join(copy, 'node_modules', file));
  if (existsSync(path.join(ROOT, INSTALLED))) cpSync(path.join(ROOT, INSTALLED), path.join(copy, INSTALLED));
  return { copy, remove: () => rmSync(copy, { recursive: true, force: true }) };
}

/** The same tree with the same files, which are linked: nothing of it may be written. */
function linkTree(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}
