// `npm run campaign:mutants [-- FILE…]`: changes one thing at a time in the code that decides about money, and expects a
// test to fail each time. 85 % is the bar. The tests are those of these folders: they run the sources in process, in
// less than three minutes altogether.
const MUTATED = [
  'src/domain/decimal.ts',
  'src/exchange/signing.ts',
  'src/trading/reconcile.ts',
  'src/trading/expressions.ts',
  'src/trading/orders/rules.ts',
  'src/trading/guards/*.ts',
];

const named = process.env.PIT_MUTANTS;

export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  mutate: named === undefined ? MUTATED : named.split(','),
  // the compiler has no interface for programs any more, so that its settings stay as they are
  tsconfigFile: 'none.json',
  ignorePatterns: ['/dist', '/docs', '/man', '/completions', '/test/recipes', '/test/sandbox', '/test/commands/golden'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  concurrency: 2,
  timeoutMS: 10_000,
  tempDirName: 'node_modules/.stryker',
  thresholds: { high: 90, low: 85, break: 85 },
};
