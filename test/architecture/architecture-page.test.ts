import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

const FLOORS = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => textOf(path.join('src', file)))
  .join('\n');

/** Where the files that a page names lie, and how long it may be: a page that is longer is not read. */
const PAGES = [
  { page: 'docs/architecture.md', from: 'src', most: 200 },
  { page: 'src/trading/settling/README.md', from: 'src/trading', most: 80 },
  { page: 'src/exchange/stream/README.md', from: 'src/exchange', most: 80 },
  { page: 'src/trading/algos/README.md', from: 'src/trading/algos', most: 80 },
  ...FLOORS.map((floor) => ({ page: `src/${floor}/README.md`, from: `src/${floor}`, most: 80 })),
];

describe.each(PAGES)('$page', ({ page, from, most }) => {
  const text = textOf(page);
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const words = [...new Set([...prose.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))];
  const files = words.filter((word) => /^[\w.-]+(\/[\w.-]*)*(\.(ts|js|md)|\/)$|^(src|test|bin)\//.test(word));
  // `feeds.changed()` is a member of a class that is named before
  const names = words
    .filter((word) => /^[A-Za-z]\w*(\.\w+)*(\(\))?$/.test(word) && !files.includes(word))
    .flatMap((word) => word.match(/\w+/g) ?? []);

  it(`has at most ${most} lines, and names files and identifiers`, () => {
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(most);
    expect(files.length + names.length).toBeGreaterThan(4);
  });

  it('has no line of prose over 140 characters', () => {
    const long = prose.split('\n').filter((line) => line.length > 140 && !line.startsWith('|'));
    expect(page.startsWith('docs/') ? [] : long).toEqual([]);
  });

  it('names files that exist', () => {
    const isThere = (file: string) => ['', from].some((folder) => existsSync(path.join(ROOT, folder, file)));
    expect(files.filter((file) => !isThere(file))).toEqual([]);
  });

  it('names identifiers that the sources have', () => {
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  });

  it('links to pages that exist', () => {
    const links = [...prose.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, link = '']) =>
      path.join(path.dirname(page), link),
    );
    expect(links.filter((link) => !existsSync(path.join(ROOT, link)))).toEqual([]);
  });
});
