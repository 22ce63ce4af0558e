// `npm test` and `npm run test:system`: install, build and run one part of the tests (test/support/parts.ts). Words after `--` go to the
// test runner.
import { availableParallelism } from 'node:os';
import { prepare, run } from './prepare.js';

const [part = '', ...words] = process.argv.slice(2);
prepare();
// it makes every start of Node parse a file of certificates, and the tests talk to this machine alone
delete process.env.NODE_EXTRA_CA_CERTS;
// tests of the system wait for processes much of their time
const workers = part === 'system' ? [`--maxWorkers=${2 * availableParallelism()}`] : [];
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', `${part}*`, ...workers, ...words]);
