import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.js';
import { Failure, suggest } from '../../src/errors.js';
import type { Answer } from '../../src/terminal/answer.js';
import { type Format, Output, StdoutClosed } from '../../src/terminal/output.js';
import { table } from '../../src/terminal/table.js';
import { hostWith, Kept } from './screens.js';

const HOSTILE = '\u001b[31m=1+1\u202e\n比';

async function written(format: Format, answer: Partial<Answer>): Promise<string> {
  const output = new Kept();
  await new Output(hostWith({ output }), format).answer({ data: null, show: () => '', ...answer });
  return output.text;
}

describe('an answer as JSON', () => {
  it('prints one document and a newline, with null for undefined and decimals as strings', async () => {
    const data = [{ price: Decimal.of('1.50'), id: 123456789012345678n, fee: undefined, list: [undefined], count: 3 }];
    expect(await written('json', { data })).toBe(
      '[{"price":"1.50","id":"123456789012345678","fee":null,"list":[null],"count":3}]\n',
    );
    expect(await written('json', { data: undefined })).toBe('null\n');
  });

  it('keeps hostile text whole, escaped for terminals', async () => {
    const text = await written('json', { data: [`${HOSTILE}\u009b\u2028\u{e0041}`] });
    expect(text).toBe('["\\u001b[31m=1+1\\u202e\\n比\\u009b\\u2028\\udb40\\udc41"]\n');
    expect(JSON.parse(text)).toEqual([`${HOSTILE}\u009b\u2028\u{e0041}`]);
  });
});

describe('an answer as CSV', () => {
  it('prints a header with dots for nested names, and an empty cell for null', async () => {
    const data = [
      { id: '1', fee: null, permissions: { asset: true, deep: { x: 1 } }, duplicates: ['7', '8'] },
      { id: '2', fee: '0.1', permissions: { asset: false }, duplicates: [], extra: 'a "quoted", one' },
    ];
    expect(await written('csv', { data })).toBe(
      [
        'id,fee,permissions.asset,permissions.deep.x,duplicates,extra',
        '1,,true,1,7;8,',
        '2,0.1,false,,,"a ""quoted"", one"',
        '',
      ].join('\n'),
    );
  });

  it('prints one row for a single object, and one column for plain values', async () => {
    expect(await written('csv', { data: { market: 'btc_usdt', last: Decimal.of('1.0') } })).toBe(
      'market,last\nbtc_usdt,1.0\n',
    );
    expect(await written('csv', { data: ['a', 'b'] })).toBe('value\na\nb\n');
    expect(await written('csv', { data: [{ orders: [{ id: '1' }] }] })).toBe('orders\n"[{""id"":""1""}]"\n');
  });

  it('accepts its own rows and header', async () => {
    const csv = [{ side: 'bid', price: '1' }];
    expect(await written('csv', { data: { bids: [] }, csv })).toBe('side,price\nbid,1\n');
    expect(await written('csv', { data: [], csvHeader: ['side', 'price'] })).toBe('side,price\n');
    expect(await written('csv', { data: [] })).toBe('');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1+1', "'+1+1"],
    ['-cmd', "'-cmd"],
    ['@sum', "'@sum"],
    ['＝1', "'＝1"],
    ['  =1', "'  =1"],
    ['\t1', "' 1"],
    ['\r1', "' 1"],
    ['\u001b[31m=1', "'=1"],
    ['-0.5', '-0.5'],
    ['+5', '+5'],
    ['-1e5', "'-1e5"],
    ['1-2', '1-2'],
    // where the separator is a semicolon, a new cell begins after it
    ['x;=1+1', "x;'=1+1"],
    ['x; @sum;y', "x;' @sum;y"],
    ['1;-0.5;-x', "1;-0.5;'-x"],
  ])('writes the cell %j as %j', async (cell, expected) => {
    expect(await written('csv', { data: [{ [cell]: cell }] })).toBe(`${expected}\n${expected}\n`);
  });
});

describe('an answer for people', () => {
  it('prints the text and a newline', async () => {
    expect(await written('table', { show: () => 'one\ntwo' })).toBe('one\ntwo\n');
    expect(await written('table', {})).toBe('');
  });

  it('measures the widths of its data', async () => {
    const data = [{ name: 'ก็' }, { name: '比特' }];
    const show: Answer['show'] = (screen) =>
      table(
        screen,
        [
          { title: 'name', value: (row: { name: string }) => row.name },
          { title: '', value: () => '|' },
        ],
        data,
      );
    expect(await written('table', { data, show })).toBe('name\nก็     |\n比特  |\n');
  });
});

describe('messages beside the answer', () => {
  function said(format: Format, say: (output: Output) => void, environment = {}, columns?: number): string {
    const errors = new Kept(columns);
    say(new Output(hostWith({ errors, environment }), format));
    return errors.text;
  }
  const failure = new Failure('refused', `No balance ${HOSTILE}.`, { hint: 'Deposit first.', code: 2009 });

  it('prints each message on one line, without foreign escapes', () => {
    expect(said('table', (output) => output.note(HOSTILE))).toBe('=1+1 比\n');
    expect(said('table', (output) => output.warn('Old data'))).toBe('Warning: Old data\n');
    expect(said('table', (output) => output.preview(() => 'Buy\n1 btc'))).toBe('Buy\n1 btc\n');
  });

  it('never break a command line, whose beginning is another command', () => {
    const line = ['order', 'buy', 'btc_usdt', '0.001', '--at', 'bid-1%', '--post-only\u001b[2J'];
    const same = suggest('The same in one line', ...line);
    const narrow = said('table', (output) => output.note(same), { NO_COLOR: '1' }, 20);
    expect(narrow).toBe('The same in one\nline:\npit order buy btc_usdt 0.001 --at bid-1% --post-only\n');
    const hint = { hint: suggest('Find out', 'order', 'show', 'btc_usdt', '123456') };
    const failed = said(
      'table',
      (output) => output.error(new Failure('unknown', 'Lost.', hint)),
      { NO_COLOR: '1' },
      20,
    );
    expect(failed).toBe('pit: Lost.\n→ Find out:\npit order show btc_usdt 123456\n');
  });

  it('prints a failure and the next step', () => {
    expect(said('table', (output) => output.error(failure))).toBe('pit: No balance =1+1 比.\n→ Deposit first.\n');
    expect(said('csv', (output) => output.error(new Failure('usage', 'Bad.')), { TERM: 'dumb' })).toBe('pit: Bad.\n');
    expect(said('table', (output) => output.error(failure), { TERM: 'dumb' })).toContain('\n-> Deposit first.\n');
    expect(said('table', (output) => output.error(new Failure('usage', 'Bad.')), { TERM: 'xterm' }, 80)).toBe(
      '\u001b[31mpit: Bad.\u001b[39m\n',
    );
  });

  it('prints a message for a program as one JSON object on one line', () => {
    expect(said('json', (output) => output.error(failure))).toBe(
      '{"error":{"kind":"refused","message":"No balance \\u001b[31m=1+1\\u202e\\n比.","hint":"Deposit first.","exitCode":3,"code":2009,"clientId":null}}\n',
    );
  });
});

it.each(['EPIPE', 'ECONNRESET'])('an answer ends quietly once its reader has gone: %s', async (code) => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  gone.on('error', () => undefined);
  const print = () => new Output(hostWith({ output: gone }), 'json').answer({ data: [], show: () => '' });
  await expect(print()).rejects.toThrow(StdoutClosed);
  // the stream is destroyed by now
  await expect(print()).rejects.toThrow(StdoutClosed);
});
