import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './sources.js';

const MOST_FILES = 20;

it(`no folder of src has more than ${MOST_FILES} files`, () => {
  const entries = readdirSync(path.join(ROOT, 'src'), { recursive: true, withFileTypes: true });
  const counts = new Map<string, number>();
  for (const { parentPath } of entries.filter((entry) => entry.isFile()))
    counts.set(parentPath, 1 + (counts.get(parentPath) ?? 0));
  expect(counts.size).toBeGreaterThan(50);
  const full = [...counts].filter(([, count]) => count > MOST_FILES);
  expect(full.map(([folder, count]) => `${path.relative(ROOT, folder)}: ${count}`)).toEqual([]);
});
