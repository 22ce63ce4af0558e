import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { binaryFiles } from './test/support/binary-files.js';
import LongFirst from './test/support/long-first.js';

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

export default defineConfig({
  define: { PIT_VERSION: JSON.stringify(version) },
  plugins: [binaryFiles],
  test: {
    // the workers load much the same modules: each is compiled once and kept by its content, also for the next run
    experimental: { fsModuleCache: true },
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/current-program.ts', 'test/support/missing.ts'],
    setupFiles: ['test/support/every-file.ts'],
    reporters: ['default', './test/support/closing-line.ts', './test/support/failure-report.ts'],
    // many tests wait for much of their time, for real processes and real time limits: more workers than two cores have room for
    maxWorkers: 7,
    sequence: { sequencer: LongFirst },
    // most of what the tests allocate dies young; and the workers outnumber the cores, so that threads only for the
    // collection of garbage are in each other's way
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    // modules keep what they load once and nothing else, so that the next file may go on with those that are loaded; the
    // mock of a module or of a part of it is the same in every file, or is undone when its test ends
    isolate: false,
    // only what hangs is to end: how long a test takes hangs on what else the machine does
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
