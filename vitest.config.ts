import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/missing.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // most tests start real processes on two cores, and wait for much of their time
    maxWorkers: 4,
    // no module keeps a state, so that the next file may go on with those that are loaded
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
