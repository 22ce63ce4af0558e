import { defineConfig } from 'vitest/config';
import type { Reporter, RunnerTestCase, RunnerTestFile, TestModule } from 'vitest/node';
import { binaryFiles } from './test/support/binary-files.js';
import { systemFiles } from './test/support/parts.js';

process.env.TZ = 'UTC';

/** Stryker counts failed tests only, and a file that the change keeps from loading has none: it gets one. */
const brokenFiles: Reporter = {
  onTestModuleEnd(module: TestModule) {
    const { task } = module as unknown as { readonly task: RunnerTestFile };
    if (task.result?.state !== 'fail' || task.tasks.length > 0) return;
    const { id, file, result, meta } = task;
    const name = 'the file loads';
    task.tasks.push({ type: 'test', id: `${id}_0`, name, file, result, meta, mode: 'run' } as RunnerTestCase);
  },
};

// the tests that scripts/mutants.js chose
export default defineConfig({
  define: { PIT_VERSION: '"0.0.0"' },
  plugins: [binaryFiles],
  test: {
    include: process.env.PIT_MUTANT_TESTS?.split(',') ?? [],
    // tests with sockets and Redis run in this process, so coverage sees them
    exclude: [...systemFiles('socket', 'redis')],
    setupFiles: ['test/support/every-file.ts', 'test/support/mutant-runs.ts'],
    reporters: ['default', brokenFiles],
    // coverage by test is lost when the files share their modules
    isolate: true,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
