import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const COMMANDS = path.resolve('src/commands');
/** It ends by itself, and must not fail before it has cancelled what it can. */
const ENDS = ['cancel/all-markets.ts'];

it('a command that turns its deadline off has read the whole program before', () => {
  const files = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => [name, readFileSync(path.join(COMMANDS, name), 'utf8')] as const);
  const long = texts.filter(([, text]) => /budget\.(withoutDeadline|disableDeadline)\(/.test(text));
  expect(long.length).toBeGreaterThan(8);
  expect(
    long.flatMap(([name, text]) => (text.includes('host.holdProgram()') || ENDS.includes(name) ? [] : name)),
  ).toEqual([]);
});
