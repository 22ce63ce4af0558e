// `npm test`: installs, builds and runs the tests. Words after `--` go to the test runner.
import { prepare, run } from './prepare.js';

prepare();
// it makes every start of Node parse a file of certificates, and the tests talk to this machine alone
delete process.env.NODE_EXTRA_CA_CERTS;
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
