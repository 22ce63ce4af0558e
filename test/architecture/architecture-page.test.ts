import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

const page = textOf('docs/architecture.md').replace(/^```[\s\S]*?^```/gm, '');
const words = [...new Set([...page.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))];

const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => textOf(path.join('src', file)))
  .join('\n');

const files = words.filter((word) => /^(src|test|bin)\//.test(word));
// `feeds.changed()` is a member of a class that is named before
const names = words
  .filter((word) => /^[A-Za-z]\w*(\.\w+)*(\(\))?$/.test(word))
  .flatMap((word) => word.match(/\w+/g) ?? []);

it('the page on architecture names files and identifiers', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(names.length).toBeGreaterThan(20);
});

it.each(files)('the page on architecture names a file that exists: %s', (file) => {
  expect(existsSync(path.join(ROOT, file))).toBe(true);
});

it('the page on architecture names identifiers that the sources have', () => {
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
});
