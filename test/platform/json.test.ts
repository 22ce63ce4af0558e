import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { NumberText, parseJson, parseRegularJson, printJson } from '../../src/platform/json.js';
import { random } from '../sandbox/support/served-process.js';

const asText = (text: string) => new NumberText(text);
const regular = (text: string) => parseRegularJson(text, asText);

/** What a parser makes of a text, with every number as it was sent; `mistake` if it throws. */
function outcome(read: () => unknown): string {
  try {
    return printJson(read());
  } catch {
    return 'mistake';
  }
}

describe('regular JSON', () => {
  it.each([
    '{"asks":[[32383.58,0.5],[1,2]],"timestamp":1653997711}',
    ' [ 0 , -0.5 , 1e5 , 1E-7, 12345678901234567890 ] ',
    '"\\u00e9\\n\\"quoted\\" \\\\ ü 操作成功"',
    '{"a":{"b":[]},"c":null,"d":true,"e":false,"":{}}',
    '[]',
    '-1',
  ])('parses regular JSON as another parser does: %s', (text) => {
    expect(printJson(regular(text))).toBe(printJson(parse(text, undefined, asText)));
  });

  it('tells whether a number has neither sign nor exponent', () => {
    const seen: [string, boolean][] = [];
    parseRegularJson('[1.50,-1.5,1e3,0]', (text, isPlain) => {
      seen.push([text, isPlain]);
      return {};
    });
    expect(seen).toEqual([
      ['1.50', true],
      ['-1.5', false],
      ['1e3', false],
      ['0', true],
    ]);
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
    ...['{"a":1,"a":2}', '{"__proto__":1}', '{"constructor":1}', '['.repeat(65) + ']'.repeat(65)],
  ])('rejects what is not regular JSON: %s', (text) => {
    expect(regular(text)).toBeUndefined();
  });

  it('means the same as to another parser, with any characters changed', () => {
    const dice = random(20_260_822);
    const frames = [
      '{"date":"1653781987181","ticker":{"high":"29249.63","vol":4499.6492,"last":"2","a":null},"channel":"btcusdt_ticker"}',
      '{"asks":[[32383.58,0.5],[1e-7,-2]],"bids":[],"timestamp":1653997711,"isSuc":true,"message":"\\u64cd\\n"}',
    ];
    const characters = '{}[]",:0123456789.eE+-\\ \t\n\u0000tfnulra';
    for (let run = 0; run < 3_000; run += 1) {
      const frame = frames[run % frames.length] as string;
      const at = Math.floor(dice() * frame.length);
      const other = characters.charAt(Math.floor(dice() * characters.length));
      const text = frame.slice(0, at) + other + frame.slice(at + (dice() < 0.5 ? 1 : 0));
      const expected = outcome(() => parse(text, undefined, asText));
      expect([text, outcome(() => parseJson(text))]).toEqual([text, expected]);
    }
  });
});
