import { expect, it } from 'vitest';
import { titlesIn } from '../house/titles.js';
import { CHAPTERS, type Row } from './rows.js';

const ROWS = Object.entries(CHAPTERS).flatMap(([chapter, rows]) =>
  rows.map(([promise, test]: Row) => {
    const at = test.indexOf(': ');
    return { chapter, promise, file: `test/${test.slice(0, at)}`, title: test.slice(at + 2) };
  }),
);

it('every promise to scripts and shells names a test that exists', () => {
  const titles = new Map([...new Set(ROWS.map(({ file }) => file))].map((file) => [file, titlesIn(file)]));
  process.stdout.write(
    `${ROWS.map(({ chapter, promise, file, title }) => `${chapter.padEnd(22)} ${promise.padEnd(76)} ${file}: ${title}`).join('\n')}\n${ROWS.length} promises\n`,
  );
  expect(
    ROWS.filter(({ file, title }) => titles.get(file)?.has(title) !== true).map(
      ({ promise, file, title }) => `${promise}: ${file} has no "${title}"`,
    ),
  ).toEqual([]);
});
