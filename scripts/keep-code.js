// The last step of the build: runs what nearly every command runs, and keeps the code that V8 made of it.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepCode, quickRequire } from './quick-require.js';

const folder = fileURLToPath(new URL('../dist', import.meta.url));
const scripts = new Map();
const load = (name) => quickRequire(folder, name, (file, script) => scripts.set(file, script));

process.argv = [process.execPath, path.join(folder, '../bin/pit.js'), '--help'];
const { pit } = load('./pit.cjs');
load('./got.cjs');
load('./conf.cjs');
await pit();

for (const [file, script] of scripts) keepCode(file, script);
