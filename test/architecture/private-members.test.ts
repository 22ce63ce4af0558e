import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

/** A member of a class or a parameter of its constructor. A constructor itself cannot be written with #. */
const PRIVATE = /^\s*(static )?private (?!constructor\b)/m;

it.each(['src', 'test'])(
  'private members of classes in %s are written with #, which holds at run time too',
  (folder) => {
    const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => PRIVATE.test(textOf(file)))).toEqual([]);
  },
);
