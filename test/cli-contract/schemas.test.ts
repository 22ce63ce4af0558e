import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { valueFields } from '../../src/cli/row-fields.js';
import * as shape from '../../src/cli/shapes.js';
import { commands } from '../../src/commands/index.js';
import { schemasOf } from '../../src/commands/reference/schema.js';
import { useWorld } from '../commands/pit-home.js';
import { breakingChanges } from './breaking-changes.js';
import { violationsOf } from './checker.js';

type Schemas = Readonly<Record<string, shape.Shape>>;

/** Written at a release: `pit schema > test/cli-contract/released.json`. */
const released = JSON.parse(readFileSync(path.join(import.meta.dirname, 'released.json'), 'utf8')) as Schemas;
const now: Schemas = await schemasOf('', commands);
const pit = useWorld();

const NULLABLE_BOOLEAN = ['boolean', 'boolean or null'] as const;
const NULLABLE_TEXT = ['string', 'null or string'] as const;
const NULLABLE_INTEGER = ['integer', 'integer or null'] as const;

/**
 * Fields that were never null in the last release, which ended with an error if the answer lacked them. Only what decides about money
 * is still required of an answer; the rest is null if it is missing, so that an account or a market stays readable without it.
 */
const NULLABLE_NOW: readonly (readonly [types: readonly [before: string, now: string], fields: readonly string[]])[] = [
  [
    NULLABLE_BOOLEAN,
    [
      'account.tradePassword',
      'account.googleAuth',
      'account.mobileAuth',
      'account.permissions.asset',
      'account.permissions.lever',
      'account.permissions.entrust',
      'account.permissions.money',
      'account.coins[].canDeposit',
      'account.coins[].canWithdraw',
      'account.coins[].canLoan',
      'balance[].canDeposit',
      'balance[].canWithdraw',
      'balance[].canLoan',
      'fees[].canDeposit',
      'fees[].canWithdraw',
    ],
  ],
  [
    NULLABLE_TEXT,
    [
      'depth.time',
      'account.username',
      'account.coins[].enName',
      'account.coins[].cnName',
      'account.coins[].showName',
      'account.coins[].unitTag',
      'fees[].chain',
      'fees[].mainChain',
      'fees[].fee',
    ],
  ],
  [NULLABLE_INTEGER, ['account.coins[].unitDecimal', 'account.coins[].fundstype']],
];

function breaches(before: Schemas, after: Schemas): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const same = after[name];
    return same === undefined ? [`${name} is gone`] : breakingChanges(schema, same, name);
  });
}

/** As `pit schema` prints them: with a comment in place of the mark. */
function shownOf(schemas: Schemas): Schemas {
  return JSON.parse(JSON.stringify(schemas), (_name, value) => {
    if (value?.fromOutside !== true) return value;
    const { fromOutside: _, ...rest } = value;
    return { ...rest, $comment: expect.stringContaining('from outside') };
  });
}

describe('the schemas', () => {
  it('the schemas break no promise of the last release, but say null of what the exchange may leave out of an answer', () => {
    const nullable = NULLABLE_NOW.flatMap(([types, fields]) => {
      const [before, after] = types;
      return fields.map((field) => `${field} had the type ${before} and has ${after}`);
    });
    expect(breaches(released, now).toSorted()).toEqual(nullable.toSorted());
  });

  const ROW = shape.object({ id: shape.id(''), price: shape.decimal(''), state: shape.enumOf(['open', 'filled'], '') });
  it.each<[what: string, after: shape.Shape, breach: RegExp | null]>([
    ['more fields', shape.object({ ...ROW.properties, more: shape.text('') }), null],
    ['another description', { ...ROW, description: 'other' }, null],
    ['one word more', shape.object({ ...ROW.properties, state: shape.enumOf(['filled', 'open', 'new'], '') }), null],
    ['one more form', shape.anyOf(shape.array(ROW), ROW), null],
    ['a field less', shape.object({ id: shape.id(''), price: shape.decimal('') }), /state is gone/],
    ['a number for a text', shape.object({ ...ROW.properties, price: shape.number('') }), /price had the type string/],
    [
      'null where there was none',
      shape.object({ ...ROW.properties, id: shape.nullable(shape.id('')) }),
      /id had the type/,
    ],
    ['a word less', shape.object({ ...ROW.properties, state: shape.enumOf(['open'], '') }), /word filled is gone/],
    ['a field that may be missing', { ...ROW, required: ['id', 'price'] }, /always there state/],
    ['a list for one', shape.array(ROW), /had the type object/],
  ])('reports a breach only for an incompatible change: %s', (_what, after, breach) => {
    const found = breakingChanges(ROW, after, 'it');
    if (breach === null) expect(found).toEqual([]);
    else expect(found.join('\n')).toMatch(breach);
  });

  it.each(Object.entries(now))('%s has a type for each field', (_name, schema) => {
    for (const [field, { type }] of valueFields(schema)) {
      expect({ field, typed: type !== undefined }).toEqual({ field, typed: true });
      const types = [type].flat();
      expect({ field, types: [...new Set(types)] }).toEqual({ field, types });
    }
  });

  it('pit schema prints the schema of one command, a group or all commands', async () => {
    expect(await pit.json('schema')).toEqual(shownOf(now));
    expect(await pit.json('schema order show')).toEqual(shownOf(now)['order show']);
    expect(Object.keys(await pit.json<object>('schema sandbox clock'))).toEqual(
      Object.keys(commands).filter((words) => words.startsWith('sandbox clock ')),
    );
    expect(JSON.parse(await pit.done('schema order'))).toEqual(shownOf(now).order);
    expect((await pit.csv('schema order show')).rows[0]).toBe('order show,id,string,of the order,false');
    expect((await pit.failure('schema ordr', 2)).message).toContain('order');
  });

  it('say which texts the exchange, or a stranger through it, has chosen, in keywords that every checker knows', async () => {
    const remark = { type: ['string', 'null'], $comment: expect.stringContaining('from outside') };
    expect(await pit.json('schema bills')).toMatchObject({ anyOf: [{ items: { properties: { remark } } }, {}] });
    expect((await pit.csv('schema bills')).rows).toContain('bills,[].remark,string or null,,true');
    expect(await pit.done('schema')).not.toContain('fromOutside');
  });

  it('describe the error object that pit prints', async () => {
    const { stderr } = await pit.run('depth nope_nope --json');
    expect(violationsOf(now.error ?? {}, JSON.parse(stderr))).toEqual([]);
  });
});

describe('the schema checker', () => {
  const ROW = shape.array(
    shape.object({ id: shape.id(''), at: shape.nullable(shape.time('')), of: shape.mapOf(shape.integer(''), '') }),
  );
  const right = { id: '7', at: '2026-01-01T00:00:00.000Z', of: { x: 1 } };

  it.each<[object, RegExp | null]>([
    [right, null],
    [{ ...right, at: null }, null],
    [{ ...right, id: 7 }, /id is 7, no string/],
    [{ ...right, id: '1e5' }, /not like/],
    [{ ...right, at: '2026-01-01T00:00:00Z' }, /at is .* not like/],
    [{ ...right, of: { x: 1.5 } }, /of\.x is 1\.5/],
    [{ ...right, more: 1 }, /more is in no schema/],
    [{ id: '7', of: {} }, /has no at/],
  ])('the checker reports for %j: %s', (row, fault) => {
    const found = violationsOf(ROW, [row]);
    if (fault === null) expect(found).toEqual([]);
    else expect(found.join('\n')).toMatch(fault);
  });
});
