import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/missing.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // most tests start real processes, and two cores are shared by all of them
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
