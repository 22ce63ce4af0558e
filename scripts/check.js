// `npm run check`: formatter and linter, then the type checker.
import { prepare, run } from './prepare.js';

prepare();
run(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
