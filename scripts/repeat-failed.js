// `node scripts/repeat-failed.js MOST FLAKY BROKEN COMMAND…`, for `.ci/run`: runs the tests with the command, then each file that
// failed once more, alone. The run fails if one fails again or if more than MOST files failed. A test that passes only when it is
// repeated is flaky: it is added to the file FLAKY with its first error, and the others to the file BROKEN.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [mostRepeated = '', flaky = '', broken = '', command = '', ...words] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'pit-failures-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const report = path.join(folder, 'failures.json');
if (passes()) process.exit(0);
const { files, elsewhere } = failures();
if (files.length === 0 || elsewhere > 0) fail('The run failed outside of its tests, so no file is repeated.');
if (files.length > Number(mostRepeated)) {
  for (const { file, tests } of files) note(broken, file, tests);
  fail(`Test files that failed: ${files.length}. None is repeated, because more than ${mostRepeated} failed.`);
}

for (const { file, tests } of files) {
  console.log(`\n== Once more, alone: ${file}`);
  if (passes(file)) {
    console.log(`${file} passed when it was repeated.`);
    note(flaky, file, tests);
  } else {
    console.log(`${file} failed again.`);
    note(broken, file, failures().files.find((again) => again.file === file)?.tests ?? tests);
    process.exitCode = 1;
  }
}

/**
 * What the last run reported, as `test/support/failure-report.ts` writes it.
 * @returns {{ files: { file: string, tests: { title: string, error: string }[] }[], elsewhere: number }}
 */
function failures() {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { files: [], elsewhere: 0 };
}

/**
 * Adds tests to a list that `.ci/run` prints at its end.
 * @param {string} list
 * @param {string} file
 * @param {{ title: string, error: string }[]} tests
 */
function note(list, file, tests) {
  for (const { title, error } of tests)
    appendFileSync(list, `${file} > ${title} (Node ${process.versions.node})\n    ${error}\n`);
}

/** @param {string[]} files */
function passes(...files) {
  const env = { ...process.env, PIT_TEST_FAILURES: report };
  const { status, error } = spawnSync(command, [...words, ...files], { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  return status === 0;
}

/** @param {string} message */
function fail(message) {
  console.log(`\n${message}`);
  process.exit(1);
}
