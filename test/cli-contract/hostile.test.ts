import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { printableName } from '../../src/domain/coin.js';
import { environmentAt } from '../commands/literal-exchange.js';
import { EXAMPLES, NAMES } from '../operations/index.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { useHostileExchange } from './hostile-exchange.js';
import { OBEYED, PAYLOADS, RUN } from './payloads.js';

const home = temporaryHome();
/** Each has its own rate limits, so that none waits for them. */
const homes = Array.from({ length: 8 }, () => temporaryHome());
const inTurn = (index: number) => homes[index % homes.length] ?? home;
const exchange = useHostileExchange();
beforeAll(() => {
  exchange.isRefusing = false;
});

/** In a pipe, or on a terminal so wide; a dumb one, so that every control there would be the exchange's. */
function ran(line: string, columns?: number, place = home) {
  const environment = { ...environmentAt(exchange.url), TERM: 'dumb' };
  return runPit(line.split(' '), { home: place, environment, ...(columns === undefined ? {} : { columns }) });
}

/** Commands that list as many things as there are payloads, with the last column's title, and a value in it. */
const LISTS = [
  ['balance --all', 'total', /[\d,]+\.75$/],
  ['bills --all', 'id', /\d{9,}$/],
  ['address btc', '', /$/],
  ['deposits btc --all', 'id', /\d{9,}$/],
  ['withdrawals btc --all', 'id', /\d{9,}$/],
  ['fees', 'withdrawals', /open$/],
] as const;

/** Commands that show a single thing's texts, or none: with those that show the answer of each operation. */
const SINGLES = [
  ...NAMES.flatMap((name) => EXAMPLES[name].lines),
  // an order of another market, whose name the message quotes
  'order show btc_usdt 17',
  'orders btc_usdt',
  'cancel btc_usdt 18',
  'order buy btc_usdt 1 --at 30000 --yes',
  'cancel-after btc_usdt --yes',
];

it('the tests use two hundred different payloads', () => {
  expect([PAYLOADS.length, new Set(PAYLOADS).size]).toEqual([200, 200]);
});

describe('hostile texts of an exchange', () => {
  it.each(LISTS)('pit %s prints none of their control sequences on a terminal', async (line) => {
    for (const columns of [40, 200]) {
      const { stdout, stderr } = await ran(line, columns);
      expect(stdout.split('\n').length).toBeGreaterThan(PAYLOADS.length);
      expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
    }
  });

  it.each(LISTS)(
    'pit %s prints none in a pipe, and aligns its columns with their titles',
    async (line, title, value) => {
      const { stdout, stderr } = await ran(line);
      expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
      const [head = '', ...rows] = stdout.trimEnd().split('\n');
      expect(head).toMatch(new RegExp(`${title}$`));
      expect(rows.length).toBe(PAYLOADS.length);
      if (title === '') return;
      const starts = rows.map((row) => stringWidth(row.replace(value, '')));
      // a streamed listing has blocks of a hundred rows, whose columns may become wider
      const odd = rows.filter((_, index) => starts[index] !== starts[index < 100 ? 0 : 100]);
      expect(odd).toEqual([]);
    },
  );

  it('the JSON of pit fees has hostile names of coins and chains as printable text', async () => {
    const rows = JSON.parse((await ran('fees --json')).stdout);
    expect(rows).toHaveLength(PAYLOADS.length);
    expect(new Set(rows.map(({ chain }: { chain: string }) => chain))).toEqual(new Set(PAYLOADS.map(printableName)));
    for (const { coin, chain, mainChain } of rows)
      expect(`${coin}${chain}${mainChain}`).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  it.each(LISTS.filter(([line]) => line !== 'fees'))(
    'the JSON of pit %s keeps hostile texts complete',
    async (line) => {
      const { stdout, stderr } = await ran(`${line} --json`);
      expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
      const texts = new Set<unknown>();
      const rows = JSON.parse(stdout, (_key, value) => {
        texts.add(value);
        return value;
      });
      expect(rows).toHaveLength(PAYLOADS.length);
      expect(PAYLOADS.filter((text) => !texts.has(text) && !texts.has(text.toLowerCase()))).toEqual([]);
    },
  );

  it.each(LISTS)('hostile texts never become formulas in the CSV of pit %s', async (line) => {
    const { stdout } = await ran(`${line} --csv`);
    expect(stdout).not.toMatch(OBEYED);
    const cells = cellsOf(stdout);
    expect(cells.length).toBeGreaterThan(PAYLOADS.length);
    expect(cells.filter((cell) => RUN.test(cell))).toEqual([]);
    if (line.startsWith('bills')) expect(cells).toContain('-1.25');
  });

  async function drawNone(line: string, payloads: readonly string[], placeOf: (index: number) => string) {
    for (const [index, payload] of payloads.entries()) {
      exchange.payload = payload;
      const { stdout, stderr } = await ran(line, 80, placeOf(index));
      expect(`${stdout}${stderr}`, payload).not.toMatch(OBEYED);
      expect(`${stdout}${stderr}`).not.toBe('');
    }
  }

  // the lists above put every payload through the same cleaning
  it.each(SINGLES.map((line, turn) => [line, turn] as const))(
    'pit %s prints no control sequence of its share of the payloads',
    (line, turn) =>
      drawNone(
        line,
        PAYLOADS.filter((_, index) => index % SINGLES.length === turn),
        // candles are limited to one request a second
        line.startsWith('kline') ? temporaryHome : inTurn,
      ),
  );

  it.each(SINGLES)('no text becomes a formula in the CSV of pit %s', async (line) => {
    exchange.payload = PAYLOADS.find((payload) => RUN.test(payload)) ?? '';
    const { stdout, stderr } = await ran(`${line} --csv`, undefined, temporaryHome());
    expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
    expect(cellsOf(stdout).filter((cell) => RUN.test(cell))).toEqual([]);
  });

  it('cleans the message of a refusal', async () => {
    exchange.isRefusing = true;
    for (const payload of PAYLOADS.filter((_, index) => index % 10 === 0)) {
      exchange.payload = payload;
      const { stdout, stderr, code } = await ran('fees', 80);
      expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
      expect(stderr).not.toMatch(OBEYED);
    }
    exchange.isRefusing = false;
  });

  it('shortens long texts on a terminal, and keeps them complete in JSON and CSV', async () => {
    const long = PAYLOADS.at(-1) ?? '';
    expect(long.length).toBeGreaterThan(10_000);
    exchange.payload = long;
    const shown = await ran('account', 80);
    expect(shown.stdout).toContain('long…');
    expect(shown.stdout.length).toBeLessThan(2_000);
    expect((await ran('fees', 200)).stdout).not.toContain('long end');
    exchange.isRefusing = true;
    expect((await ran('fees', 80)).stderr.length).toBeLessThan(2_500);
    exchange.isRefusing = false;
    expect(JSON.parse((await ran('account --json')).stdout).username).toBe(long);
    expect((await ran('account --csv')).stdout).toContain(long);
  });
});

/** The cells of a CSV text, as RFC 4180 has them. */
function cellsOf(text: string): string[] {
  return Array.from(text.matchAll(/(?:^|,|\n)(?:"((?:[^"]|"")*)"|([^",\n]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}
