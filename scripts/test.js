// `npm test`: installs, builds and runs the tests. Words after `--` go to the test runner.
import { prepare, run } from './prepare.js';

prepare();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
