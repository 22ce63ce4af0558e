// `npm run check`: formatter, linter, types, imports, unused code, and whether the generated files are current.
import { prepare, run } from './prepare.js';

prepare();
run(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
run(process.execPath, ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'src']);
// knip requires modules that are ES modules, which Node 20 does when it is told
const requiring = process.features.require_module === true ? [] : ['--experimental-require-module', '--no-warnings'];
const knip = [...requiring, 'node_modules/knip/bin/knip.js', '--treat-config-hints-as-errors'];
run(process.execPath, knip);
// tests keep no code alive: an export that only a test imports is marked with @internal
run(process.execPath, [...knip, '--production', '--include', 'files,exports,types']);
run(process.execPath, ['scripts/generate.js', '--check']);
