import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.js';
import type { RowStream } from '../../src/terminal/answer.js';
import { type Format, Output } from '../../src/terminal/output.js';
import { hostWith, Kept } from './screens.js';

interface Row {
  readonly id: string;
  readonly amount: string;
  readonly remark: string | null;
}

const row = (id: number, amount = '1', remark: string | null = null): Row => ({ id: String(id), amount, remark });

function streamOf(rows: AsyncIterable<readonly Row[]>): RowStream<Row> {
  return {
    rows,
    fields: ['id', 'amount', 'remark'],
    columns: [
      { title: 'id', value: ({ id }) => id, importance: 2 },
      { title: 'amount', value: ({ amount }) => amount, align: 'decimal', importance: 3 },
      { title: 'remark', value: ({ remark }) => remark },
    ],
    empty: 'No bills.',
    what: 'bills',
  };
}

async function* pagesOf(...pages: (readonly Row[] | Error)[]): AsyncGenerator<readonly Row[]> {
  for (const page of pages) {
    if (page instanceof Error) throw page;
    yield page;
  }
}

/** The text on stdout, and the thrown error. */
async function written(format: Format, rows: AsyncIterable<readonly Row[]>, columns?: number) {
  const output = new Kept(columns);
  const environment = { TERM: 'xterm', NO_COLOR: '1' };
  const failure = await new Output(hostWith({ output, environment }), format).answer(streamOf(rows)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { text: output.text, failure };
}

const LOST = new Failure('unreachable', 'getSpotBills: no answer came in time', { hint: 'Look at the network.' });

describe('a stream of rows', () => {
  it('writes one JSON document', async () => {
    const hostile = row(2, '1', '\u001b[31m\u202e');
    expect(await written('json', pagesOf([row(1), hostile], [], [row(3)]))).toEqual({
      text: '[{"id":"1","amount":"1","remark":null},{"id":"2","amount":"1","remark":"\\u001b[31m\\u202e"},{"id":"3","amount":"1","remark":null}]\n',
      failure: undefined,
    });
    expect((await written('json', pagesOf([], []))).text).toBe('[]\n');
  });

  it('writes CSV with one header, plain numbers and texts that cannot become formulas', async () => {
    expect((await written('csv', pagesOf([row(1, '-0.5', '=1+1')], [row(2, '5', '+x')]))).text).toBe(
      "id,amount,remark\n1,-0.5,'=1+1\n2,5,'+x\n",
    );
    expect((await written('csv', pagesOf())).text).toBe('id,amount,remark\n');
  });

  it('writes a sentence if there are no rows', async () => {
    expect((await written('table', pagesOf([]))).text).toBe('No bills.\n');
  });

  it('leaves nothing on stdout if the first rows cannot be read', async () => {
    for (const format of ['json', 'csv', 'table'] as const) {
      expect(await written(format, pagesOf(LOST))).toEqual({ text: '', failure: LOST });
      expect(await written(format, pagesOf([], LOST))).toEqual({ text: '', failure: LOST });
    }
  });

  it('ends properly if later rows cannot be read, and reports it', async () => {
    const ends: [Format, string][] = [
      ['json', '[{"id":"1","amount":"1","remark":null}]\n'],
      ['csv', 'id,amount,remark\n1,1,\n'],
      ['table', 'id  amount  remark\n1        1  -\n'],
    ];
    for (const [format, text] of ends) {
      const { failure, ...rest } = await written(format, pagesOf([row(1)], LOST));
      expect(rest).toEqual({ text });
      expect(failure).toMatchObject({
        kind: 'partial',
        exitCode: 9,
        message: 'Only the newest 1 bills could be read: getSpotBills: no answer came in time',
        hints: ['Look at the network.'],
      });
    }
  });

  it('passes on any other error', async () => {
    const defect = new TypeError('a defect');
    expect((await written('json', pagesOf([row(1)], defect))).failure).toBe(defect);
  });

  it('reads rows no faster than they are consumed, and ends with the reader', async () => {
    const taken: string[] = [];
    let made = 0;
    let isEnded = false;
    async function* endless(): AsyncGenerator<readonly Row[]> {
      try {
        for (;;) {
          made += 1;
          yield [row(made)];
        }
      } finally {
        isEnded = true;
      }
    }
    let release = () => {};
    const output = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        taken.push(String(chunk));
        if (taken.length === 5) done(Object.assign(new Error('closed'), { code: 'EPIPE' }));
        else release = done;
      },
    });
    const answered = new Output(hostWith({ output }), 'json').answer(streamOf(endless()));
    answered.catch(() => undefined);
    for (let count = 1; count <= 4; count += 1) {
      await new Promise(setImmediate);
      expect([taken.length, made]).toEqual([count, count]);
      release();
    }
    await expect(answered).rejects.toMatchObject({ name: 'StdoutClosed' });
    expect([made, isEnded]).toEqual([5, true]);
  });
});

describe('a table in blocks', () => {
  const rows = (from: number, count: number, amount: string) =>
    Array.from({ length: count }, (_, index) => row(from + index, amount));

  it('prints one header in a pipe, and columns that only become wider', async () => {
    const { text } = await written('table', pagesOf(rows(1, 60, '1.5'), rows(61, 60, '1.5'), rows(1000, 100, '12.25')));
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 120 + 100);
    expect(lines.filter((line) => /id/.test(line))).toEqual([lines[0]]);
    expect([lines[1], lines[120], lines[121]]).toEqual(['1       1.5  -', '120     1.5  -', '1000   12.25  -']);
  });

  it('repeats its titles on a terminal when its columns change', async () => {
    const [narrow, wide] = [rows(1, 100, '1'), rows(1000, 100, '123456789012345678.5')];
    const { text } = await written('table', pagesOf(narrow, narrow, wide, narrow), 29);
    const lines = text.trimEnd().split('\n');
    expect(lines.flatMap((line, at) => (line.startsWith('id') ? [at] : []))).toEqual([0, 202]);
    expect([lines[0], lines[202]]).toEqual(['id   amount  remark', `id                  amount`]);
    expect(lines[304]).toBe('1                      1');
    expect(lines.at(-3)).toBe('No room for: remark. A wider');
  });
});
