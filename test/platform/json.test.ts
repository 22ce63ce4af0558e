import { describe, expect, it } from 'vitest';
import { parseJson, printJson } from '../../src/platform/json.js';

describe('JSON', () => {
  it.each([
    '{"asks":[[32383.580,0.5],[1,2]],"timestamp":1653997711}',
    '[0,-0.5,1e5,1E-7,12345678901234567890]',
    '{"a":{"b":[]},"c":null,"d":true,"e":false,"":{}}',
    '"\\"quoted\\" \\\\ \\n ü 操作成功"',
    '{"__proto__":{"code":1000},"constructor":1}',
    '-1',
  ])('is the same after it was parsed and printed: %s', (text) => {
    expect(printJson(parseJson(text))).toBe(text);
  });

  it('gives an object no property that it inherits from its text', () => {
    const value = parseJson('{"__proto__":{"code":1000}}');
    expect([Reflect.get(Object(value), 'code'), Object.keys(Object(value))]).toEqual([undefined, ['__proto__']]);
  });

  it.each([
    ...[
      '',
      ' ',
      '{',
      '[',
      '[1',
      '[1,',
      '[1,]',
      '{"a"',
      '{"a":1,}',
      '{"a":1',
      '[1 2]',
      '{a:1}',
      "{'a':1}",
      '"a',
      '"\\x"',
    ],
    ...[
      '01',
      '1.',
      '.5',
      '-',
      '+1',
      '1e',
      '--1',
      'tru',
      'nul',
      'True',
      '[1]]',
      '"\u0001"',
      'NaN',
      '{"a" 1}',
      '{,}',
      '[,1]',
    ],
    '{"a":1,"a":2}',
    '['.repeat(100_000),
  ])('throws SyntaxError for anything else: %.20s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
