// `node scripts/repeat-failed.js LIST COMMAND…`, for `.ci/run`: runs the tests with the command, then each file that failed once
// more, alone. The run fails if one fails again or if more than six failed. A test that passes only when it is repeated is
// flaky: it is added to the file LIST with its first error.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MOST_REPEATED = 6;

const [list = '', command = '', ...words] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'pit-failures-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const report = path.join(folder, 'failures.json');
if (passes()) process.exit(0);
// what `test/support/failure-report.ts` writes
const { files, elsewhere } = existsSync(report)
  ? JSON.parse(readFileSync(report, 'utf8'))
  : { files: [], elsewhere: 0 };
if (files.length === 0 || elsewhere > 0) fail('The run failed outside of its tests, so no file is repeated.');
if (files.length > MOST_REPEATED)
  fail(`${files.length} test files failed; no more than ${MOST_REPEATED} are repeated.`);

for (const { file, tests } of files) {
  console.log(`\n== Once more, alone: ${file}`);
  if (passes(file)) {
    console.log(`${file} passed when it was repeated.`);
    for (const { title, error } of tests)
      appendFileSync(list, `${file} > ${title} (Node ${process.versions.node})\n    ${error}\n`);
  } else {
    console.log(`${file} failed again.`);
    process.exitCode = 1;
  }
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
