import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { displayWidth } from '../../src/terminal/text.js';
import { endFile } from './after-file.js';

// A vitest set-up file: runs for every test file, so that its hook belongs to that file.

// the same cases each time, so that a failure is of the change; another seed explores others
fc.configureGlobal({ seed: Number(process.env.PIT_TEST_SEED ?? 20_181_023) });
afterAll(endFile);

// as the build does: cli-table3 measures as pit does
const requireOfTable = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
requireOfTable('string-width');
const loaded = requireOfTable.cache[requireOfTable.resolve('string-width')];
if (loaded !== undefined) loaded.exports = displayWidth;
