// Checks the rules of .dependency-cruiser.js, and that no module imports itself through others when it is loaded. Types are
// gone by then, so the second check reads what the bundler makes of the sources.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import { build } from 'rolldown';
import { root, run } from './prepare.js';

const CRUISER = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

run(process.execPath, [CRUISER, 'src']);

const folder = mkdtempSync(path.join(tmpdir(), 'pit-imports-'));
try {
  await withoutTypes(folder);
  for (const cycle of await cycles(folder)) {
    console.error(`Modules that import each other: ${cycle.join(' → ')}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function withoutTypes(base) {
  const files = readdirSync(path.join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'));
  cpSync(path.join(root, 'package.json'), path.join(base, 'package.json'));
  await build({
    cwd: root,
    input: files.map((file) => path.join('src', file)),
    platform: 'node',
    external: /^[^./\0]/,
    moduleTypes: { '.bin': 'binary' },
    treeshake: false,
    output: { dir: path.join(base, 'src'), preserveModules: true, preserveModulesRoot: 'src' },
  });
}

async function cycles(baseDir) {
  const ruleSet = {
    forbidden: [
      {
        name: 'no-cycle',
        severity: 'error',
        from: {},
        to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
      },
    ],
  };
  const { output } = await cruise(['src'], { baseDir, ruleSet, validate: true });
  return output.summary.violations.map(({ from, cycle }) => [from, ...cycle.map(({ name }) => name)]);
}
