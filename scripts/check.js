// `npm run check`: formatter and linter, the type checker, and whether what is made from the commands is as they are.
import { prepare, run } from './prepare.js';

prepare();
run(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
run(process.execPath, ['scripts/generate.js', '--check']);
