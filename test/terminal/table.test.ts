import CliTable from 'cli-table3';
import { beforeAll, describe, expect, it } from 'vitest';
import { grouped } from '../../src/domain/decimal.js';
import { RecentChanges } from '../../src/terminal/live/recent-changes.js';
import type { Screen } from '../../src/terminal/screen.js';
import { type Column, type RecordLine, record, table } from '../../src/terminal/table.js';
import { displayWidth, prepareWidths } from '../../src/terminal/text.js';
import { pipe, terminal } from './screens.js';

interface Ticker {
  market: string;
  name: string;
  last: string;
  change: string | null;
  volume: string;
}

const TICKERS: Ticker[] = [
  { market: 'btc_usdt', name: '比特币', last: '23140.48', change: '-1.25', volume: '1234567.8912' },
  { market: 'eth_usdt', name: 'Ether', last: '1640.1', change: '0.4', volume: '98765' },
  { market: 'doge_btc', name: '한국', last: '0.00000341', change: null, volume: '12.5' },
];

const COLUMNS: Column<Ticker>[] = [
  { title: 'market', value: (row) => row.market, importance: 9, paint: (text, _row, paint) => paint.strong(text) },
  { title: 'name', value: (row) => row.name, importance: 0.5 },
  { title: 'last', value: (row) => grouped(row.last), align: 'decimal', importance: 8 },
  { title: 'change', value: (row) => row.change, align: 'decimal', paint: (text, _row, paint) => paint.up(text) },
  { title: 'volume', value: (row) => grouped(row.volume), align: 'right' },
  { title: 'long remark about the market', value: () => 'nothing to be said', importance: 0.1 },
];

function lines(...text: string[]): string {
  return text.join('\n');
}

beforeAll(() => prepareWidths('ก็'));

describe('a table', () => {
  it('shows every column at 200 columns, aligned at decimal points and by display width', () => {
    expect(table(terminal(200), COLUMNS, TICKERS, { title: 'Tickers' })).toBe(
      lines(
        'Tickers',
        'market    name               last  change          volume  long remark about the market',
        '───────────────────────────────────────────────────────────────────────────────────────',
        'btc_usdt  比特币  23,140.48         -1.25  1,234,567.8912  nothing to be said',
        'eth_usdt  Ether    1,640.1           0.4           98,765  nothing to be said',
        'doge_btc  한국         0.00000341    -               12.5  nothing to be said',
      ),
    );
  });

  it('omits the least important columns at 80 columns, and names them', () => {
    expect(table(terminal(80), COLUMNS, TICKERS)).toBe(
      lines(
        'market    name               last  change          volume',
        '─────────────────────────────────────────────────────────',
        'btc_usdt  比特币  23,140.48         -1.25  1,234,567.8912',
        'eth_usdt  Ether    1,640.1           0.4           98,765',
        'doge_btc  한국         0.00000341    -               12.5',
        'No room for: long remark about the market. A wider terminal, --csv and --json',
        'have all.',
      ),
    );
  });

  it('fits 40 columns, and omits the rightmost of equally important columns', () => {
    expect(table(terminal(40), COLUMNS, TICKERS)).toBe(
      lines(
        'market               last  change',
        '─────────────────────────────────',
        'btc_usdt  23,140.48         -1.25',
        'eth_usdt   1,640.1           0.4',
        'doge_btc       0.00000341    -',
        'No room for: name, volume, long remark',
        'about the market. A wider terminal,',
        '--csv and --json have all.',
      ),
    );
  });

  it('names --csv and --json only for columns that they have', () => {
    const row = { a: 'a'.repeat(30) };
    const column = (title: string, importance: number, more: object = {}) => ({
      ...{ title, importance, ...more },
      value: ({ a }: typeof row) => a,
    });
    const share = column('share', 2, { onScreenOnly: true });
    const below = (...columns: Parameters<typeof table<typeof row>>[1]) =>
      table(terminal(40), [column('coin', 9), ...columns], [row])
        .split('\n')
        .slice(3)
        .join(' ');
    expect(below(share)).toBe('No room for: share. A wider terminal has all.');
    expect(below(column('total', 3), share)).toBe(
      'No room for: total, share. A wider terminal has all, --csv and --json all but share.',
    );
    expect(below(column('', 3))).toBe('');
  });

  it('never breaks a value, even if nothing fits', () => {
    expect(table(terminal(5), COLUMNS, TICKERS).split('\n').slice(0, 3)).toEqual(['market', '────────', 'btc_usdt']);
  });

  it('wraps prose between words before it omits a column', () => {
    const events = [
      { time: '12:00:00', event: 'sent with reqTime 1540295995557 to the exchange' },
      { time: '12:00:02', event: 'placed' },
    ];
    const columns: Column<(typeof events)[number]>[] = [
      { title: 'time', value: ({ time }) => time, importance: 1 },
      { title: 'event', value: ({ event }) => event, importance: 2, wraps: true },
    ];
    const narrow = lines(
      'time      event',
      '───────────────────────────────────',
      '12:00:00  sent with reqTime',
      '          1540295995557 to the',
      '          exchange',
      '12:00:02  placed',
    );
    const drawn = table(terminal(32), columns, events).split('\n');
    expect([drawn[0], ...drawn.slice(2)]).toEqual(narrow.split('\n').filter((_, index) => index !== 1));
    // with less room for prose than that, the column goes
    expect(table(terminal(28), columns, events)).toContain('No room for: time.');
    expect(table(pipe(), columns, events).split('\n')).toHaveLength(3);
  });

  it('prints the same table in a pipe, without a rule', () => {
    expect(table(pipe(), COLUMNS, TICKERS)).toBe(
      lines(
        'market    name               last  change          volume  long remark about the market',
        'btc_usdt  比特币  23,140.48         -1.25  1,234,567.8912  nothing to be said',
        'eth_usdt  Ether    1,640.1           0.4           98,765  nothing to be said',
        'doge_btc  한국         0.00000341    -               12.5  nothing to be said',
      ),
    );
  });

  it.each([
    [40, false],
    [80, false],
    [200, false],
    [40, true],
    [80, true],
    [200, true],
  ])('keeps within %i columns, colour %s', (columns, colour) => {
    const text = table(terminal(columns, colour), COLUMNS, TICKERS);
    expect(/\u001b/.test(text)).toBe(colour);
    for (const line of uncoloured(text).split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('prints the same text with and without colours', () => {
    expect(uncoloured(table(terminal(200, true), COLUMNS, TICKERS))).toBe(table(terminal(200), COLUMNS, TICKERS));
  });

  it('aligns composed letters and private-use characters', () => {
    const words = ['ก็ขก็', '👨‍👩‍👧', 'e\u0301e\u0301', '\ue000\ue000', '比', '', 'x'];
    const columns: Column<string>[] = [
      { title: 'word', value: (word) => word },
      { title: 'end', value: () => '|' },
    ];
    const [, ...rows] = table(pipe(), columns, words).split('\n');
    expect(rows.map((row) => displayWidth(row.slice(0, row.indexOf('|'))))).toEqual(
      words.map(() => displayWidth(rows[3]?.slice(0, -1) ?? '')),
    );
  });

  it('prints the header if there are no rows', () => {
    expect(table(pipe(), COLUMNS.slice(0, 2), [])).toBe('market  name');
  });

  it('keeps control sequences of the exchange away from the terminal', () => {
    const columns: Column<string>[] = [{ title: 'a\u001b[2Jb', value: (text) => text }];
    expect(table(pipe(), columns, ['x\u001b]0;title\u0007y', 'one\ntwo'])).toBe(lines('ab', 'xy', 'one two'));
  });
});

describe('a table on a screen that does not scroll', () => {
  const screen: Screen = { ...terminal(80), height: 5, isFixed: true };
  const columns: Column<string>[] = [{ title: 'row', value: (row) => row }];

  it('shows all rows if they fit', () => {
    expect(table(screen, columns, ['1', '2', '3'])).toBe(lines('row', '───', '1', '2', '3'));
  });

  it.each([
    ['first', lines('row', '───', '1', '2', '3 more rows: a taller terminal shows them')],
    ['last', lines('row', '───', '3 earlier rows: a taller terminal shows them', '4', '5')],
  ] as const)('keeps its %s rows, and counts the others', (keeps, expected) => {
    expect(table(screen, columns, ['1', '2', '3', '4', '5'], { keeps })).toBe(expected);
  });
});

describe('a table that is drawn again and again', () => {
  interface Line {
    readonly id: string;
    readonly amount: string;
  }
  const columns: Column<Line>[] = [
    { title: 'id', value: ({ id }) => id, rowKey: ({ id }) => id },
    { title: 'amount', value: ({ amount }) => amount, align: 'decimal' },
  ];

  it('marks what changed in a row wherever the row is now, and of a new row its name', () => {
    const clock = { ms: 0 };
    const changes = new RecentChanges(() => clock.ms);
    const draw = (rows: readonly Line[]) => {
      changes.begin();
      return table({ ...terminal(80), changes }, columns, rows)
        .split('\n')
        .slice(2);
    };
    expect(
      draw([
        { id: 'a', amount: '1.5' },
        { id: 'b', amount: '7' },
      ]),
    ).toEqual(['a      1.5', 'b      7']);
    const moved = [
      { id: 'c', amount: '3' },
      { id: 'a', amount: '1.5' },
      { id: 'b', amount: '6.25' },
    ];
    expect(draw(moved)).toEqual(['c*    3', 'a     1.5', 'b    ↓6.25']);
    clock.ms = 1_000;
    expect(draw(moved)).toEqual(['c·    3', 'a     1.5', 'b    ·6.25']);
  });
});

it('keeps columns aligned beside marks that take no cell, and characters that take two', () => {
  const rows = ['ก็', 'العَرَب', '比特币', 'btc'].map((name) => ({ name }));
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'name', value: ({ name }) => name },
    { title: 'n', value: () => '1', align: 'right' },
  ];
  const widths = table(pipe(), columns, rows)
    .split('\n')
    .map((line) => displayWidth(line));
  expect(new Set(widths)).toEqual(new Set(['name    n'.length]));
});

describe('a long table', () => {
  const rows = Array.from({ length: 1050 }, (_, index) => ({
    id: String(index * 7919),
    price: `${index}.${index % 97}`,
  }));
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'id', value: (row) => row.id, align: 'right' },
    { title: 'price', value: (row) => row.price },
  ];

  it('equals what cli-table3 draws with all rows at once', () => {
    expect(table(pipe(), columns, rows)).toBe(drawnAtOnce(rows));
  });

  function drawnAtOnce(all: typeof rows): string {
    const none = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
      side,
      `${side}-mid`,
      `${side}-left`,
      `${side}-right`,
    ]);
    const whole = new CliTable({
      chars: { ...Object.fromEntries(none.map((name) => [name, ''])), middle: '  ' },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
      colAligns: ['right', 'left'],
      head: ['id', 'price'],
    });
    whole.push(...all.map((row) => [row.id, row.price]));
    return whole.toString().replace(/ +$/gm, '');
  }
});

describe('a record', () => {
  it('prints one line per label and value', () => {
    const show = (screen: Screen) =>
      record(screen, [
        ['market', 'btc_usdt'],
        ['fee', null],
        ['coin', '比特币', (text, paint) => paint.bid(text)],
      ]);
    expect(show(terminal(80))).toBe(lines('market  btc_usdt', 'fee     -', 'coin    比特币'));
    expect(uncoloured(show(terminal(80, true)))).toBe(show(pipe()));
    expect(show(terminal(80, true))).toContain('\u001b[38;5;28m比特币\u001b[39m');
  });

  it('breaks values between words and aligns the lines, and keeps a long word whole', () => {
    const id = '0x'.padEnd(40, '7');
    const entries: RecordLine[] = [
      ['lever', 'no   margin: investment and lending', (text, paint) => paint.warn(text)],
      ['address', id],
      ['coin', '比特币 比特币 比特币 比特币'],
    ];
    const narrow = lines(
      'lever    no   margin: investment',
      '         and lending',
      `address  ${id}`,
      'coin     比特币 比特币 比特币',
      '         比特币',
    );
    expect(record(terminal(34), entries)).toBe(narrow);
    expect(uncoloured(record(terminal(34, true), entries))).toBe(narrow);
    expect(record(pipe(), entries).split('\n')).toHaveLength(3);
  });
});

function uncoloured(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
