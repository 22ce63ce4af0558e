// `npm run campaign:NAME [-- WORDS]`: builds what is out of date, bundles test/campaigns/NAME.ts and runs it with the words.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { prepare, root, run } from './prepare.js';

prepare();
const [name = '', ...words] = process.argv.slice(2);
const directory = mkdtempSync(path.join(tmpdir(), 'pit-campaign-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
const outfile = path.join(directory, `${name}.mjs`);
await build({
  entryPoints: [path.join(root, 'test', 'campaigns', `${name}.ts`)],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
run(process.execPath, [outfile, ...words]);
