/*
 * The two parts of the tests. `npm test` runs what can be proven in this process, on a clock that jumps or on none. `npm run test:system` runs
 * what needs a real thing, which the file's name says: `lifecycle.process.test.ts` needs processes.
 */

/** The real things that a test may need. */
const REAL_THINGS = ['process', 'terminal', 'shell', 'socket', 'disk', 'redis', 'keychain'] as const;

/** The files of `npm run test:system`, without those whose name says that they need only one of these things. */
export function systemFiles(...without: readonly (typeof REAL_THINGS)[number][]): readonly string[] {
  const things = REAL_THINGS.filter((thing) => !without.includes(thing));
  return [
    `test/**/*.{${things.join(',')}}.test.ts`,
    // whose names do not say yet what they need
    'test/commands/algo/{terminal,watched}.test.ts',
    'test/commands/mcp/{attack,conformance,ended-clients}.test.ts',
    'test/trading/journal/{claim-race,disk-calls,many-processes,real-disk}.test.ts',
  ];
}

/** The files of `npm run test:system`. */
export const SYSTEM_FILES = systemFiles();

/**
 * The files of `npm test` that may open a port: those whose subject is HTTP itself, then those that do not use a world or a host of this
 * process yet (a rehearsal has a clock of its own, which does not run in a world). No new one may.
 */
export const LISTENING_FILES: readonly string[] = [
  'test/exchange/**/*.test.ts',
  'test/sandbox/**/*.test.ts',
  'test/recipes/other-clients.test.ts',
  'test/support/proxy.test.ts',
  'test/cli-contract/golden.test.ts',
  'test/commands/mcp/rehearse.test.ts',
  'test/commands/named-files/output.test.ts',
  'test/commands/rehearse/rehearse.test.ts',
  'test/commands/sandbox/sandbox-replay.test.ts',
  'test/platform/bounded-file.test.ts',
];

/** Whether one of these patterns, with `*`, `{a,b}` and folders of any depth, is that of a file. */
export function isOneOf(patterns: readonly string[], file: string): boolean {
  return patterns.some((pattern) => expressionOf(pattern).test(file));
}

function expressionOf(pattern: string): RegExp {
  const words: Readonly<Record<string, string>> = {
    '.': '\\.',
    '**/': '(.*/)?',
    '*': '[^/]*',
    '{': '(',
    '}': ')',
    ',': '|',
  };
  return new RegExp(`^${pattern.replaceAll(/\*\*\/|[.*{},]/g, (sign) => words[sign] ?? '')}$`);
}
