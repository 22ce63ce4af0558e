// `npm run campaign:mutants [-- FILE…]`: changes one thing at a time in code that decides about money, in the named
// files or in all of stryker.config.js, and expects a test to fail each time.
import { preparePackages, run } from './prepare.js';

preparePackages();
const files = process.argv.slice(2);
run(process.execPath, ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'stryker.config.js'], {
  ...(files.length === 0 ? {} : { PIT_MUTANTS: files.join(',') }),
});
