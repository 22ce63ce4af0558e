import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TapeFile } from '../../../src/commands/stream/tape-file.js';

const ENDINGS = ['.ndjson', '.ndjson.gz'] as const;

const line = (number: number, padding = 0) =>
  JSON.stringify({
    channel: 'trades:btc_usdt',
    received: '2026-11-27T10:00:00.000Z',
    data: [{ id: `${number}` }],
    padding: 'x'.repeat(padding),
  });

function newFile(ending: string): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'pit-tape-')), `tape${ending}`);
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString();
}

function written(file: string, batches: readonly (readonly string[])[]): void {
  const tape = TapeFile.open(file);
  for (const batch of batches) tape.append(batch);
  tape.close();
}

/** A text without newlines that gzip cannot shorten much. */
const noise = (length: number) => {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join('');
};

describe.each(ENDINGS)('a tape that ends in %s', (ending) => {
  it('is for its owner alone, as it may have orders and balances', () => {
    const file = newFile(ending);
    written(file, [[line(1)]]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('has each line once, in order, over several runs', () => {
    const file = newFile(ending);
    written(file, [[line(1), line(2)], [line(3)]]);
    written(file, [[line(4)]]);
    expect(textOf(file)).toBe(`${[1, 2, 3, 4].map((number) => line(number)).join('\n')}\n`);
  });

  it('loses at most what was written last, wherever a killed program was cut off, and goes on after that', () => {
    const file = newFile(ending);
    const batches = [[line(1), line(2)], [line(3)], [line(4), line(5)]];
    written(file, batches);
    const whole = readFileSync(file);
    const before = newFile(ending);
    written(before, batches.slice(0, 2));
    const sizeBefore = readFileSync(before).length;
    fc.assert(
      fc.property(fc.integer({ min: sizeBefore, max: whole.length }), (length) => {
        const cut = newFile(ending);
        writeFileSync(cut, whole.subarray(0, length));
        const tape = TapeFile.open(cut);
        tape.append([line(6)]);
        tape.close();
        const lines = textOf(cut).trimEnd().split('\n');
        expect(lines.slice(0, 3)).toEqual([line(1), line(2), line(3)]);
        expect(lines.at(-1)).toBe(line(6));
        expect(lines.slice(3, -1)).toEqual([line(4), line(5)].slice(0, lines.length - 4));
      }),
      { numRuns: 60 },
    );
  });

  it('begins again if only its first part was cut off', () => {
    const file = newFile(ending);
    written(file, [[line(1)]]);
    writeFileSync(file, readFileSync(file).subarray(0, 12));
    const tape = TapeFile.open(file);
    tape.append([line(2)]);
    tape.close();
    expect(textOf(file)).toBe(`${line(2)}\n`);
  });

  it('shows its documents from the end, also if lines are longer than what is read at once', () => {
    const file = newFile(ending);
    const long = JSON.stringify({ channel: 'depth:btc_usdt', data: noise(700_000) });
    written(file, [[line(1)], [long, line(2)], [line(3, 300_000), line(4)]]);
    const tape = TapeFile.open(file);
    const shown = [...tape.fromEnd()].map(({ data }) => (Array.isArray(data) ? data[0]?.id : String(data).length));
    tape.close();
    expect(shown).toEqual(['4', '3', '2', 700_000, '1']);
  });

  it.each([
    ['text', 'time,open,high\n1,2,3\n'],
    ['a document without a channel', '{"a":1}\n'],
    ['bytes', '\u0000\u0001\u0002'],
  ])('is not a file of something else, which stays as it is: %s', (_, content) => {
    const file = newFile(ending);
    writeFileSync(file, content);
    expect(() => TapeFile.open(file)).toThrow(/holds other data/);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('is not written by two programs at once', () => {
    const file = newFile(ending);
    const [one, other] = [TapeFile.open(file), TapeFile.open(file)];
    one.append([line(1)]);
    expect(() => other.append([line(2)])).toThrow(/Another program changed/);
    expect(textOf(file)).toBe(`${line(1)}\n`);
  });
});
