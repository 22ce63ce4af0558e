import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { displayWidth } from '../../src/terminal/text.js';
import { endFile } from './after-file.js';
import { recordHint, wrongHints } from './every-hint.js';
import { refusePorts } from './refused-ports.js';

// A vitest set-up file: runs for every test file, so that its hook belongs to that file.

// the same cases each time, so that a failure is of the change; another seed explores others
fc.configureGlobal({ seed: Number(process.env.PIT_TEST_SEED ?? 20_181_023) });
afterAll(endFile);
afterAll(refusePorts());

vi.mock(import('../../src/cli/hints.js'), async (original) => {
  const hints = await original();
  const commandLine: typeof hints.commandLine = (given, argv) => {
    recordHint(given, argv);
    return hints.commandLine(given, argv);
  };
  return { ...hints, commandLine };
});
afterEach(async () => {
  const wrong = await wrongHints();
  if (wrong.length > 0) expect(wrong).toEqual([]);
});

// as the build does: cli-table3 measures as pit does
const requireOfTable = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
requireOfTable('string-width');
const loaded = requireOfTable.cache[requireOfTable.resolve('string-width')];
if (loaded !== undefined) loaded.exports = displayWidth;
