import { defineConfig } from 'vitest/config';
import { binaryFiles } from './test/support/binary-files.js';
import { systemFiles } from './test/support/parts.js';

process.env.TZ = 'UTC';

// the tests that scripts/mutants.js chose
export default defineConfig({
  define: { PIT_VERSION: '"0.0.0"' },
  plugins: [binaryFiles],
  test: {
    include: process.env.PIT_MUTANT_TESTS?.split(',') ?? [],
    // tests with sockets and Redis run in this process, so coverage sees them
    exclude: [...systemFiles('socket', 'redis')],
    setupFiles: ['test/support/every-file.ts', 'test/support/mutant-runs.ts'],
    // coverage by test is lost when the files share their modules
    isolate: true,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
