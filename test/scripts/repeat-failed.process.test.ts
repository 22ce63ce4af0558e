import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCRIPT = path.join(ROOT, 'scripts/repeat-failed.js');

/** Stands for the runner: writes the report that it is given, and fails; a single file fails if it is named as broken. */
const RUNNER = `
  const [report, broken, file] = process.argv.slice(1);
  if (file !== undefined) process.exit(broken.split(',').includes(file) ? 1 : 0);
  if (report !== 'none') require('node:fs').writeFileSync(process.env.PIT_TEST_FAILURES, report);
  process.exit(broken === '' ? 0 : 1);
`;

let folder: string;
let lists: { flaky: string; broken: string };

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pit-repeat-'));
  lists = { flaky: path.join(folder, 'flaky'), broken: path.join(folder, 'broken') };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the script on a run of tests in which these files failed. Those that are broken fail each time. */
function repeat(failed: readonly string[] | 'none', broken: readonly string[], { elsewhere = 0, most = 2 } = {}) {
  const files =
    failed === 'none' ? [] : failed.map((file) => ({ file, tests: [{ title: 'adds', error: '1 is not 2' }] }));
  const report = failed === 'none' ? 'none' : JSON.stringify({ files, elsewhere });
  const words = [String(most), lists.flaky, lists.broken, process.execPath, '-e', RUNNER, report, broken.join(',')];
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, ...words], { encoding: 'utf8' });
  return {
    status,
    stdout,
    flaky: listed(lists.flaky),
    broken: listed(lists.broken),
  };
}

const listed = (list: string) =>
  existsSync(list) ? readFileSync(list, 'utf8').replaceAll(` (Node ${process.versions.node})`, '') : '';

it('a run without a failure passes, and nothing is repeated', () => {
  expect(repeat('none', [], { most: 0 })).toEqual({ status: 0, stdout: '', flaky: '', broken: '' });
});

it('a test that passes when it is repeated is listed with its error, and the run passes', () => {
  const { status, stdout, flaky, broken } = repeat(['a.test.ts', 'b.test.ts'], ['other']);
  expect({ status, flaky, broken }).toEqual({
    status: 0,
    flaky: 'a.test.ts > adds\n    1 is not 2\nb.test.ts > adds\n    1 is not 2\n',
    broken: '',
  });
  expect(stdout).toContain('== Once more, alone: b.test.ts\nb.test.ts passed when it was repeated.\n');
});

it('a file that fails again fails the run, and its tests are listed apart', () => {
  const { status, stdout, flaky, broken } = repeat(['a.test.ts', 'b.test.ts'], ['a.test.ts']);
  expect({ status, flaky, broken }).toEqual({
    status: 1,
    flaky: 'b.test.ts > adds\n    1 is not 2\n',
    broken: 'a.test.ts > adds\n    1 is not 2\n',
  });
  expect(stdout).toContain('a.test.ts failed again.\n');
});

it.each<[string, Parameters<typeof repeat>]>([
  ['more failed files than may be repeated', [['a', 'b', 'c'], ['other']]],
  ['a failed file where none may be repeated', [['a'], ['other'], { most: 0 }]],
  ['an error outside of the tests', [['a'], ['other'], { elsewhere: 1 }]],
  ['no report', ['none', ['other']]],
  ['no failed file', [[], ['other']]],
])('a run with %s fails, and nothing is repeated', (_, words) => {
  const { status, stdout, flaky } = repeat(...words);
  expect({ status, flaky }).toEqual({ status: 1, flaky: '' });
  expect(stdout).not.toContain('Once more');
});

it('the report names the failed tests, hooks and files of a real run', () => {
  const broken = {
    'hook.test.js': "beforeAll(() => { throw new Error('no room'); }); it('stores', () => {});",
    'import.test.js': "import './missing.js';",
    'sum.test.js': "describe('sum', () => { it('adds', () => { expect(1).toBe(2); }); it('is shown', () => {}); });",
    'whole.test.js': "it('passes', () => {});",
  };
  for (const [name, text] of Object.entries(broken)) writeFileSync(path.join(folder, name), text);
  const report = path.join(folder, 'failures.json');
  const runner = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporter = path.join(ROOT, 'test/support/failure-report.ts');
  const words = ['run', '--root', folder, '--globals', '--no-isolate', '--maxWorkers=1', '--reporter', reporter];
  const environment = { ...process.env, PIT_TEST_FAILURES: report };
  expect(() => execFileSync(process.execPath, [runner, ...words], { env: environment, stdio: 'ignore' })).toThrow();
  const { files, elsewhere } = JSON.parse(readFileSync(report, 'utf8')) as {
    files: { file: string; tests: { title: string; error: string }[] }[];
    elsewhere: number;
  };
  const failed = files.map(({ file, tests }) => [path.basename(file), tests[0]?.title, tests[0]?.error]);
  expect({ failed: failed.sort(), elsewhere }).toEqual({
    failed: [
      ['hook.test.js', 'the file', 'no room'],
      ['import.test.js', 'the file', expect.stringContaining('missing.js')],
      ['sum.test.js', 'sum > adds', 'expected 1 to be 2 // Object.is equality'],
    ],
    elsewhere: 0,
  });
});
