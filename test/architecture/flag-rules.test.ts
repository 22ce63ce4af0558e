import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

/** What is checked by hand, because it depends on a value, on the terminal, or on words after `--`. */
const BY_HAND = [
  '- and … exclude each other.',
  '--… needs --out.',
  '--basis needs --by coin: the lots of a market have no deposits.',
  '--chart and --svg - exclude each other.',
  '--fields needs --csv here.',
  '--latency needs --speed.',
  'A command needs --hold.',
];

it('no command writes by hand that flags exclude or need each other, unless it depends on more than the flags', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => /^(cli|commands)\/.*\.ts$/.test(file) && file !== 'cli/flag-rules.ts')
    .flatMap((file) => [...textOf(`src/${file}`).matchAll(/usage\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g)])
    .flatMap(([, plain, template = '']) => plain ?? template.replace(/\$\{[^}]*\}/g, '…'))
    .filter((text) => / exclude each other|\bneeds? --/.test(text));
  expect([...new Set(found)].sort()).toEqual([...BY_HAND].sort());
});
