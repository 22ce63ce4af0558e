import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './sources.js';

const EXPORTED_TYPE = /^export (?:abstract )?(?:type|interface|class) (\w+)/gm;

it('no two files of src export a type, an interface or a class of the same name', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...textOf(path.join('src', file)).matchAll(EXPORTED_TYPE)].map(([, name = '']) => name));
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
