import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { binaryFiles } from './test/support/binary-files.js';
import { SYSTEM_FILES } from './test/support/parts.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const ROOM = 4e9;

// commands run in the processes of the runner, where the zone cannot be set for one of them
process.env.TZ = 'UTC';

// in memory, where a flush costs nothing, if there is room: tests kill processes, but no machine
const memory = '/dev/shm';
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > ROOM) process.env.TMPDIR = memory;
}

// in Node 20, which has no quick compiler between its slow one and none: what the tests run a few hundred times is not worth it
const isWithoutQuickCompiler = Number.parseInt(process.versions.node, 10) < 22;
const COMPILE_LATER = isWithoutQuickCompiler ? ['--interrupt-budget=600000'] : [];

const ALL = ['test/**/*.test.ts'];
const ALONE = ['test/contributing/*.test.ts'];

export default defineConfig({
  define: { PIT_VERSION: JSON.stringify(version) },
  plugins: [binaryFiles],
  test: {
    // `npm test` and `npm run test:system`
    projects: [
      { extends: true, test: { name: 'tests', include: ALL, exclude: [...SYSTEM_FILES, ...ALONE] } },
      // each replaces tables of the program by ones with a made-up row
      { extends: true, test: { name: 'tests-alone', include: ALONE, isolate: true } },
      { extends: true, test: { name: 'system', include: [...SYSTEM_FILES] } },
    ],
    // the workers load much the same modules: each is compiled once and kept by its content, also for the next run
    experimental: { fsModuleCache: true },
    globalSetup: ['test/support/current-program.ts', 'test/support/missing.ts'],
    setupFiles: ['test/support/every-file.ts'],
    // the runner leaves one core free, and uses one of two
    maxWorkers: availableParallelism(),
    reporters: ['default', './test/support/closing-line.ts', './test/support/failure-report.ts'],
    // most of what the tests allocate dies young
    execArgv: ['--max-semi-space-size=64', ...COMPILE_LATER],
    // modules keep what they load once and nothing else, so that the next file may go on with those that are loaded; the
    // mock of a module or of a part of it is the same in every file, or is undone when its test ends
    isolate: false,
    // only what hangs is to end: how long a test takes hangs on what else the machine does
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
