import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isOneOf, LISTENING_FILES, SYSTEM_FILES } from '../support/parts.js';
import { ROOT } from './sources.js';

/** What a file imports that starts processes, terminals or servers. */
const REAL = /from '(node:child_process|[./]*support\/(program|pty|redis|secret-service|served-process)\.js)'/;
/** Of the terminal, a type alone is enough for a fake one. */
const TYPES = /^import type .*$/gm;

/** Files of `npm test` that still start a process or a terminal in some of their tests. No new one may. */
const MIXED = new Set([
  'test/commands/algo/service.test.ts',
  'test/commands/completion/answer.test.ts',
  'test/commands/reference/reference.test.ts',
  'test/exchange/limiter/latch.test.ts',
  'test/platform/bounded-file.test.ts',
  'test/trading/journal/claims.test.ts',
  'test/trading/settling/refused.test.ts',
]);

const files = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((name) => name.endsWith('.test.ts'));
const isOfSystem = (file: string) => isOneOf(SYSTEM_FILES, file);

it('a test file that starts a process, a terminal or a server says so in its name, and belongs to npm run test:system', () => {
  const starting = files.filter((file) => REAL.test(readFileSync(path.join(ROOT, file), 'utf8').replace(TYPES, '')));
  const unnamed = starting.filter((file) => !isOfSystem(file) && !MIXED.has(file));
  expect(unnamed).toEqual([]);
  expect([...MIXED].filter((file) => !starting.includes(file) || isOfSystem(file))).toEqual([]);
});

it('both parts together are all test files, and each file of a part exists', () => {
  expect(SYSTEM_FILES.filter((pattern) => !files.some((file) => isOneOf([pattern], file)))).toEqual([]);
});

it('each file that may open a port exists, and a file that may not fails when it does', () => {
  expect(LISTENING_FILES.filter((pattern) => !files.some((file) => isOneOf([pattern], file)))).toEqual([]);
  expect(() => createServer().listen(0)).toThrow('test/architecture/parts.test.ts opens a port');
});
