import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  createdId,
  decimal,
  emptyableDecimal,
  flag,
  id,
  instant,
  integer,
  levels,
  optionalDecimal,
  optionalText,
  text,
} from '../../src/exchange/operations/fields.js';
import { parseJson } from '../../src/platform/json.js';

/** What a field reads from JSON, or why it does not: each deployment sends other types. */
function read(schema: v.GenericSchema, json: string): unknown {
  const parsed = v.safeParse(schema, json === 'nothing' ? undefined : parseJson(json));
  return parsed.success ? { value: parsed.output } : parsed.issues[0].message;
}

const FORTY = '1'.repeat(40);

describe('values of the interface', () => {
  it.each<[string, v.GenericSchema, readonly [json: string, value: unknown][]]>([
    [
      'amounts and prices keep their digits',
      decimal,
      [
        ['31000.50', '31000.50'],
        ['"31000.50"', '31000.50'],
        ['0', '0'],
        ['-1.5', '-1.5'],
        ['1e-05', '0.00001'],
        ['".5"', '0.5'],
        ['"0.25"', '0.25'],
        ['7.5', '7.5'],
        ['123456789012345678.123456789', '123456789012345678.123456789'],
      ],
    ],
    [
      'a quiet market leaves them empty',
      emptyableDecimal,
      [
        ['""', null],
        ['"-"', null],
        ['"--"', null],
        ['null', null],
        ['"1.0"', '1.0'],
        ['2', '2'],
      ],
    ],
    [
      'a decimal may be missing',
      optionalDecimal,
      [
        ['nothing', null],
        ['null', null],
        ['""', null],
        ['"0.1"', '0.1'],
      ],
    ],
    [
      'a text may be missing or be a number',
      optionalText,
      [
        ['nothing', null],
        ['null', null],
        ['""', ''],
        ['"操作成功"', '操作成功'],
        ['7', '7'],
      ],
    ],
    [
      'a text may be a number',
      text,
      [
        ['""', ''],
        ['"btc_usdt"', 'btc_usdt'],
        ['1.50', '1.50'],
      ],
    ],
    [
      'a code is a number or text',
      integer,
      [
        ['1000', 1000],
        ['"1000"', 1000],
        ['-1', -1],
      ],
    ],
    [
      'an id has more digits than a double holds',
      id,
      [
        ['202202224851151555', '202202224851151555'],
        ['"202202224851151555"', '202202224851151555'],
        ['0', '0'],
        [FORTY, FORTY],
      ],
    ],
    [
      'the id of a new order is not 0',
      createdId,
      [
        ['7', '7'],
        ['"007"', '007'],
        [FORTY, FORTY],
      ],
    ],
    [
      'yes and no have several forms',
      flag,
      [
        ['true', true],
        ['"true"', true],
        ['1', true],
        ['"1"', true],
        ['false', false],
        ['"false"', false],
        ['0', false],
        ['"0"', false],
      ],
    ],
    [
      'a time is in seconds below 10^11 and else in milliseconds',
      instant,
      [
        ['1648461600123', 1648461600123],
        ['"1648461600123"', 1648461600123],
        ['1648461600', 1648461600000],
        ['0', 0],
        ['99999999999', 99999999999000],
        ['100000000000', 100000000000],
        ['8640000000000000', 8640000000000000],
      ],
    ],
  ])('%s', (_, schema, rows) => {
    expect(rows.map(([json]) => [json, read(schema, json)])).toEqual(rows.map(([json, value]) => [json, { value }]));
  });

  it.each<[string, v.GenericSchema, string, readonly [json: string, got: string][]]>([
    [
      'a decimal number',
      decimal,
      'a decimal number',
      [
        ['"12a"', '“12a”'],
        ['"x1"', '“x1”'],
        ['"1x"', '“1x”'],
        ['"1.x"', '“1.x”'],
        ['""', '“”'],
        ['null', 'null'],
        ['nothing', 'nothing'],
        ['true', 'a value of type boolean'],
        ['[1]', 'a list'],
        ['{"a":1}', 'a value of type object'],
        [`"${'x'.repeat(250)}"`, `“${'x'.repeat(200)}…”`],
      ],
    ],
    [
      'a decimal number that may be empty',
      emptyableDecimal,
      'a decimal number',
      [
        ['"---"', '“---”'],
        ['[]', 'a list'],
      ],
    ],
    ['an optional decimal', optionalDecimal, 'a decimal number', [['true', 'a value of type boolean']]],
    [
      'an optional text',
      optionalText,
      'a text',
      [
        ['{}', 'a value of type object'],
        ['["a"]', 'a list'],
      ],
    ],
    ['a text', text, 'a text', [['null', 'null']]],
    [
      'the levels of a book',
      levels,
      'a list of pairs of decimal numbers of 0 or more',
      [
        ['7', '“7”'],
        ['[1]', 'a list'],
        ['[["x",1]]', 'a list'],
        ['[[1,"x"]]', 'a list'],
      ],
    ],
    [
      'a whole number',
      integer,
      'a whole number',
      [
        ['1000.0', '“1000.0”'],
        ['"1e3"', '“1e3”'],
        ['null', 'null'],
        ['90071992547409931', '“90071992547409931”'],
      ],
    ],
    [
      'an id',
      id,
      'an id of digits',
      [
        ['""', '“”'],
        ['null', 'null'],
        ['"x1"', '“x1”'],
        ['"1x"', '“1x”'],
        ['-1', '“-1”'],
        [`"${FORTY}1"`, `“${FORTY}1”`],
      ],
    ],
    [
      'the id of a new order',
      createdId,
      'an id of digits other than 0',
      [
        ['0', '“0”'],
        ['"000"', '“000”'],
        ['""', '“”'],
        ['null', 'null'],
        ['"7x"', '“7x”'],
        ['"x7"', '“x7”'],
        ['-7', '“-7”'],
        [`"${FORTY}1"`, `“${FORTY}1”`],
      ],
    ],
    [
      'yes or no',
      flag,
      'true or false',
      [
        ['"yes"', '“yes”'],
        ['2', '“2”'],
        ['""', '“”'],
        ['null', 'null'],
      ],
    ],
    [
      'a time',
      instant,
      'a time since the Unix epoch',
      [
        ['-1', '“-1”'],
        ['"-100"', '“-100”'],
        ['8640000000000001', '“8640000000000001”'],
        ['"2022-03-28"', '“2022-03-28”'],
        ['null', 'null'],
        ['1.5', '“1.5”'],
      ],
    ],
  ])('rejects what is not %s, and names it', (_, schema, expected, rows) => {
    expect(rows.map(([json]) => [json, read(schema, json)])).toEqual(
      rows.map(([json, got]) => [json, `expected ${expected}, got ${got}`]),
    );
  });
});
