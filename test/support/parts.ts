/*
 * The two parts of the tests. `npm test` runs what can be proven in this process, on a clock that jumps or on none. `npm run test:system` runs
 * what needs a real thing, which the file's name says: `lifecycle.process.test.ts` needs processes.
 */

/** The real things that a test may need. */
const REAL_THINGS = ['process', 'terminal', 'shell', 'socket', 'disk', 'redis', 'keychain'] as const;

/** The files of `npm run test:system`. */
export const SYSTEM_FILES: readonly string[] = [
  `test/**/*.{${REAL_THINGS.join(',')}}.test.ts`,
  // whose names do not say yet what they need
  'test/commands/algo/{terminal,watched}.test.ts',
  'test/commands/mcp/{attack,conformance,ended-clients}.test.ts',
  'test/trading/journal/{claim-race,disk-calls,many-processes,real-disk}.test.ts',
];
