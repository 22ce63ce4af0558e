import { defineConfig } from 'vitest/config';

// the tests that `npm run campaign:mutants` runs: those of the mutated files, which start no process
export default defineConfig({
  define: { PIT_VERSION: '"0.0.0"' },
  test: {
    include: [
      'test/domain/**/*.test.ts',
      'test/exchange/signing.test.ts',
      'test/trading/*.test.ts',
      'test/trading/guards/**/*.test.ts',
      'test/trading/orders/rules.test.ts',
    ],
    setupFiles: ['test/support/every-file.ts', 'test/support/no-shrinking.ts'],
    env: { RECONCILE_RUNS: '60' },
    isolate: false,
    testTimeout: 300_000,
  },
});
