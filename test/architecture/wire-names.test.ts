import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { GenericSchema } from 'valibot';
import { expect, it } from 'vitest';
import { operations } from '../../src/exchange/operations/index.js';
import { ROOT, textOf } from './sources.js';

/** The names of all fields of a schema, at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { entries, pipe, item, items, value, wrapped, options } = schema as Record<string, unknown>;
  const own = typeof entries === 'object' && entries !== null ? Object.entries(entries) : [];
  const inner = [pipe, items, options].flatMap((many) => (Array.isArray(many) ? many : []));
  return [
    ...own.flatMap(([name, field]) => [name, ...fieldsOf(field)]),
    ...[...inner, item, value, wrapped].flatMap(fieldsOf),
  ];
}

/** Every TypeScript file under a folder, from the project's root. */
function filesUnder(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/\w+/g));
}

/** Written in one piece and no English words, so that only the capitals test would miss them. */
const ODD = new Set(['freez', 'tid', 'itransfer', 'accesskey', 'fundstype']);

/** Writes are recorded in the journal and printed by `pit resolve` under the interface's names, which files and scripts rely on. */
const reads = Object.entries(operations).flatMap(([name, { effect }]) => (effect === 'read' ? name : []));

/** Names of the interface that pit's own output has: see the contract of `sandbox status` and `api`. */
const PRINTED = new Set(['safePwd']);

const domainWords = wordsOf(filesUnder('src/domain').map(textOf).join('\n'));
const facadeWords = wordsOf(
  textOf('src/exchange/exchange-client.ts')
    .match(/^ {2}(async )?\w+\(/gm)
    ?.join('\n') ?? '',
);

const wireNames = new Set(
  Object.values(operations)
    .flatMap(({ parameters, result }) => [...Object.keys(parameters), ...fieldsOf(result as GenericSchema)])
    .concat(reads, 'accesskey')
    .filter((name) => /[a-z][A-Z]|_/.test(name) || ODD.has(name))
    .filter((name) => !domainWords.has(name) && !facadeWords.has(name) && !PRINTED.has(name)),
);

/** The mask for URLs in any text has to know the parameters that carry secrets. */
const MASKING = { file: 'src/platform/redaction.ts', names: ['accesskey'] };

it('knows the names of the interface from the descriptions of its operations', () => {
  const known = [
    'trade_date',
    'total_amount',
    'acctType',
    'customerOrderId',
    'completeMonty',
    'entrustPerm',
    'receiveAddr',
  ];
  expect(known.filter((name) => !wireNames.has(name))).toEqual([]);
  expect(['price', 'amount', 'market', 'id'].filter((name) => wireNames.has(name))).toEqual([]);
});

it('keeps the names of the interface inside the exchange client and the sandbox', () => {
  const found = filesUnder('src')
    .filter((file) => !/^src\/(exchange|sandbox)\//.test(file))
    .flatMap((file) => {
      const words = wordsOf(textOf(file));
      const allowed = file === MASKING.file ? MASKING.names : [];
      return [...wireNames]
        .filter((name) => words.has(name) && !allowed.includes(name))
        .map((name) => `${file}: ${name}`);
    });
  expect(found).toEqual([]);
});
