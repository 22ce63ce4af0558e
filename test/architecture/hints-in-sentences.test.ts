import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { unreadable } from '../support/every-hint.js';
import { ROOT, textOf } from './sources.js';

// Hints are words of a command line, and every one that a test prints is checked. A few stand in sentences instead, in the log of a watcher
// or in a panel: `See it: pit algo show ID`.

/** What stands for an expression of a template, by a word in it. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/market/, 'btc_usdt'],
  [/parent/, 'ID'],
  [/./, 'ORDERID'],
];
/** A place that the reader fills in. */
const ANYTHING = '…';

const HINT = /: pit ((?:\$\{[^}]*\}|[^'`".,;${])+)/g;

const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const found = sources.flatMap((file) =>
  [...textOf(path.join('src', file)).matchAll(HINT)].flatMap(([, words = '']) => {
    const argv = words
      .trim()
      .replace(/\$\{([^}]*)\}/g, (_, expression: string) => VALUES.find(([name]) => name.test(expression))?.[1] ?? '')
      .split(/\s+/);
    return argv[0] !== undefined && isCommand(argv[0]) && !argv.includes(ANYTHING) ? [{ file, argv }] : [];
  }),
);

function isCommand(word: string): boolean {
  return Object.keys(commands).some((name) => name.split(' ')[0] === word);
}

describe('command lines that stand in sentences', () => {
  it('are found', () => {
    expect(found.map(({ argv }) => argv.join(' '))).toEqual(
      expect.arrayContaining(['algo show ID', 'cancel btc_usdt ORDERID', 'orders btc_usdt']),
    );
  });

  it.each(found)('are ones that pit reads: $argv ($file)', async ({ argv }) => {
    expect(await unreadable(argv)).toBeUndefined();
  });
});
