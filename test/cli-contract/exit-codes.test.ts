import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { exitCodes, exitCodeTable } from '../../src/cli/exit-codes.js';
import { PitHome } from '../commands/pit-home.js';
import { temporaryHome } from '../support/pit.js';

const README = path.resolve('README.md');
const [START, END] = ['-u` -->\n', '<!-- end of exit codes -->'];

it('README has the exit codes of the source: npm test -- test/cli-contract -u', async () => {
  const text = readFileSync(README, 'utf8');
  const [from, to] = [text.indexOf(START, text.indexOf('<!-- exit codes')) + START.length, text.indexOf(END)];
  expect(from).toBeLessThanOrEqual(to);
  await expect(`${text.slice(0, from)}${exitCodeTable()}\n${text.slice(to)}`).toMatchFileSnapshot(README);
});

it('pit help exit-codes prints every exit code and its meaning', async () => {
  const text = await new PitHome(temporaryHome()).done('help exit-codes');
  for (const { exitCode, kind, meaning } of exitCodes())
    expect(text).toMatch(new RegExp(`^ +${exitCode} +${kind} +${meaning.replace(/[()]/g, '\\$&')}$`, 'm'));
});
