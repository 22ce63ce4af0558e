import fs, {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { formatOf, SeriesFile } from '../../../src/commands/history/series-file.js';

const FIELDS = ['market', 'time'];
const ANY_ROW = { begin: () => undefined, problem: () => undefined };
const row = (number: number) => ({ market: 'btc_usdt', time: String(number) });

function fileName(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'pit-series-')), 'rows');
}

describe.each([
  ['csv', 'market,time\nbtc_usdt,1\nbtc_usdt,2\n'],
  ['ndjson', '{"market":"btc_usdt","time":"1"}\n{"market":"btc_usdt","time":"2"}\n'],
] as const)('a file of rows as %s', (format, text) => {
  const open = (name: string) => SeriesFile.open(name, format, FIELDS, ANY_ROW);

  it('holds the rows as text', () => {
    const name = fileName();
    const file = open(name);
    file.append([row(1)]);
    file.append([]);
    file.append([row(2)]);
    file.close();
    expect(readFileSync(name, 'utf8')).toBe(text);
    expect([file.first, file.last]).toEqual([row(1), row(2)]);
  });

  it('goes on after its last row when it is opened again', () => {
    const name = fileName();
    writeFileSync(name, text);
    const file = open(name);
    expect([file.first, file.last]).toEqual([row(1), row(2)]);
    file.append([row(3)]);
    expect([...open(name).blocks(2)]).toEqual([[row(1), row(2)], [row(3)]]);
  });

  it.each([1, 5, 10])('drops a row with %i missing bytes', (missing) => {
    const name = fileName();
    writeFileSync(name, text);
    truncateSync(name, text.length - missing);
    expect(open(name).last).toEqual(row(1));
    expect(readFileSync(name, 'utf8')).toBe(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
  });

  it('a file whose first line was only begun has no rows', () => {
    const name = fileName();
    writeFileSync(name, text.slice(0, 8));
    expect(open(name).last).toBeUndefined();
    expect(readFileSync(name, 'utf8')).toBe('');
  });

  it('returns many rows in blocks', () => {
    const name = fileName();
    const file = open(name);
    const rows = Array.from({ length: 10_000 }, (_, index) => row(index));
    file.append(rows);
    const blocks = [...file.blocks(3_000)];
    expect(blocks.map((block) => block.length)).toEqual([3_000, 3_000, 3_000, 1_000]);
    expect(blocks.flat()).toEqual(rows);
  });

  it.each(['a,b\n1,2\n', '{"a":1}\n', '[1]\nx\n', 'null\n', 'x'.repeat(100_000), 'a,b\n1,2', '[1,2]'])(
    'refuses a file with other content, and leaves it as it is: %.20s',
    (content) => {
      const name = fileName();
      writeFileSync(name, content);
      expect(() => open(name)).toThrow(`${name} holds other data.`);
      expect(readFileSync(name, 'utf8')).toBe(content);
    },
  );

  it('says that a line is empty', () => {
    const name = fileName();
    writeFileSync(name, `${text}\n`);
    expect(() => open(name)).toThrow(/: line [34] is empty\.$/);
  });

  it('says that an editor put a byte order mark before it', () => {
    const name = fileName();
    writeFileSync(name, `\ufeff${text}`);
    expect(() => open(name)).toThrow(`${name} begins with a byte order mark.`);
  });

  it('stops when another program writes to it', () => {
    const name = fileName();
    const file = open(name);
    file.append([row(1)]);
    appendFileSync(name, 'x');
    expect(() => file.append([row(2)])).toThrow(`Another program changed ${name} meanwhile.`);
  });

  it('stops when another program removes it, because its rows would be lost', () => {
    const name = fileName();
    const file = open(name);
    rmSync(name);
    expect(() => file.append([row(1)])).toThrow(`Another program changed ${name} meanwhile.`);
  });

  it('is not there if it was made and the disk had no room for its first row', () => {
    const name = fileName();
    const file = open(name);
    const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    try {
      expect(() => file.append([row(1)])).toThrow(`Cannot write ${name}: ENOSPC.`);
    } finally {
      full.mockRestore();
    }
    file.close();
    expect(existsSync(name)).toBe(false);
  });

  it('stays if another program has written to it meanwhile, or has put a file in its place', () => {
    const [grown, replaced] = [fileName(), fileName()];
    const files = [open(grown), open(replaced)];
    appendFileSync(grown, 'x');
    rmSync(replaced);
    writeFileSync(replaced, 'y');
    for (const file of files) file.close();
    expect([grown, replaced].map((name) => readFileSync(name, 'utf8'))).toEqual(['x', 'y']);
  });

  it('is removed once, not again when the program ends', () => {
    const name = fileName();
    const file = open(name);
    file.close();
    writeFileSync(name, '');
    file.discard();
    expect(existsSync(name)).toBe(true);
  });

  it('names a place where no file can be', () => {
    expect(() => open('/nowhere/rows')).toThrow('Cannot write /nowhere/rows: ENOENT.');
    expect(() => open('/dev/zero')).toThrow('/dev/zero is not a regular file.');
  });
});

it('a CSV file that an editor saved with the line ends of Windows is refused for them', () => {
  const name = fileName();
  writeFileSync(name, 'market,time\r\nbtc_usdt,1\r\n');
  expect(() => SeriesFile.open(name, 'csv', FIELDS, ANY_ROW)).toThrow(`${name} has the line ends of Windows.`);
});

describe('the format of a download', () => {
  it.each([
    ['a.csv', 'csv'],
    ['b.NDJSON', 'ndjson'],
    ['c.d.parquet', 'parquet'],
  ])('the format of %s is %s', (file, format) => {
    expect(formatOf(file)).toBe(format);
  });

  it.each(['a.txt', 'csv', 'a.csv.gz', ''])('rejects the file name %j', (file) => {
    expect(() => formatOf(file)).toThrow(`The format of "${file}" is not clear.`);
  });
});
