import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lastError, useWorld } from '../commands/pit-home.js';

const SKILL = readFileSync(path.resolve(import.meta.dirname, '../../skills/pit/SKILL.md'), 'utf8');
const REFUSED = 2;

/** The command lines of the skill's samples, in their order. */
const commands = [...SKILL.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, sample = '']) =>
  [...sample.matchAll(/^\$ pit (.+)$/gm)].map(([, line = '']) => line),
);

const pit = useWorld();

it('every command of the skill does on the sandbox what the skill says, in the order of its samples', async () => {
  const codes = new Map<string, number | null>();
  let isHalted = false;
  for (const line of commands) {
    // the quotes are for a shell
    const { code, stderr } = await pit.run(line.replaceAll("'", ''));
    codes.set(line, code);
    if (isHalted && code === REFUSED) expect(lastError(stderr)).toMatchObject({ exitCode: REFUSED, halted: true });
    isHalted = line.startsWith('halt') && !line.includes('--lift');
  }
  const failed = [...codes].filter(([, code]) => code !== 0);
  expect(failed).toEqual([['order buy btc_usdt 50usdt --at bid-1% --yes --json', REFUSED]]);
  expect(commands.length).toBeGreaterThan(20);
});

it('the skill runs every command that it names', () => {
  const named = [...SKILL.matchAll(/`pit ([a-z]+)/g)].map(([, name = '']) => name);
  const run = commands.map((line) => line.split(' ')[0]);
  expect(named.filter((name) => !run.includes(name))).toEqual([]);
});

it('the skill starts with its name and says when to use it', () => {
  expect(SKILL).toMatch(/^---\nname: pit\ndescription: >-\n( {2}\S.*\n)+---\n/);
});
