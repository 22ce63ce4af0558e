// used by `npm run campaign:mutants`, which says which files to mutate and which tests to run (scripts/mutants.js)
export default {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutant-sample.js'],
  ignorers: ['descriptions'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: process.env.PIT_MUTANTS?.split(',') ?? [],
  // the compiler has no interface for programs any more, so that its settings stay as they are
  tsconfigFile: 'none.json',
  ignorePatterns: ['/dist', '/test/recipes'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  concurrency: 2,
  // on a busy machine: a test that is only slow there notices nothing
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 20,
  tempDirName: 'node_modules/.stryker',
  thresholds: { high: 90, low: 85, break: 85 },
};
