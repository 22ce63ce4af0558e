import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Runs a test file that records its ends, with this project's configuration, in a folder outside of it. */
function endedFile(lines: readonly string[]): { ends: string; status: number | null; printed: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-ended-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  const at = (name: string) => path.join(folder, name);
  const named = (...names: string[]) => JSON.stringify(path.join(ROOT, ...names));
  writeFileSync(at('notes'), '');
  const config = [
    `import config from ${named('vitest.config.ts')};`,
    // its projects are the tests of this folder
    `const test = { ...config.test, projects: undefined, include: [${JSON.stringify(at('*.test.ts'))}] };`,
    `export default { root: ${named()}, test };`,
  ];
  writeFileSync(at('vitest.config.mts'), config.join('\n'));
  const source = [
    "import { appendFileSync } from 'node:fs';",
    "import { beforeAll, it } from 'vitest';",
    `import { afterFile } from ${named('test', 'support', 'after-file.js')};`,
    `const note = (text) => appendFileSync(${JSON.stringify(at('notes'))}, text);`,
    ...lines,
  ];
  writeFileSync(at('one.test.ts'), source.join('\n'));
  const words = [path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', at('vitest.config.mts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  return { ends: readFileSync(at('notes'), 'utf8'), status, printed: stdout + stderr };
}

it('what hooks and tests started ends after the file, in reverse order', () => {
  const { ends, status, printed } = endedFile([
    "beforeAll(() => afterFile(() => note('hook;')));",
    "it('one', () => afterFile(async () => note('test;')));",
    "it('two', () => note('two;'));",
  ]);
  expect({ ends, status }, printed).toEqual({ ends: 'two;test;hook;', status: 0 });
});

it('a failing end prevents no other end, and fails the run', () => {
  const { ends, status, printed } = endedFile([
    "beforeAll(() => afterFile(() => note('hook;')));",
    "it('one', () => afterFile(() => { throw new Error('stuck'); }));",
  ]);
  expect({ ends, status }, printed).toEqual({ ends: 'hook;', status: 1 });
  expect(printed).toContain('stuck');
});
