// `npm run campaign:NAME [-- WORDS]`: builds what is out of date, bundles test/campaigns/NAME.ts and runs it with the words.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleProgram } from './bundle-program.js';
import { problemOfWords } from './campaign-words.js';
import { prepare, root, run } from './prepare.js';

const [name = '', ...words] = process.argv.slice(2);
const problem = problemOfWords(name, words);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
prepare();
// as in scripts/test.js
delete process.env.NODE_EXTRA_CA_CERTS;
const directory = mkdtempSync(path.join(tmpdir(), 'pit-campaign-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const outfile = path.join(directory, `${name}.mjs`);
await bundleProgram(path.join(root, 'test', 'campaigns', `${name}.ts`), outfile);
run(process.execPath, [outfile, ...words]);
