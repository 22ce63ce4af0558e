// `node scripts/terminal-picture.js`: draws the pictures of docs/. It runs the built program on a terminal (python3), against a
// sandbox with a fixed seed, so they show what pit really prints. Prices depend on the moment it starts.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, root } from './prepare.js';

/**
 * @typedef {{ await?: string, pattern?: string, type?: string }} Step as test/support/pty.py reads it
 * @typedef {{ words: string[], steps?: Step[] }} Command
 * @typedef {{ columns: number, title: string, text: string }} Shown
 * @typedef {{ bold?: boolean, faint?: boolean, underlined?: boolean, inverse?: boolean, colour?: string | undefined }} Style
 * @typedef {{ text: string, style: Style }} Cell
 * @typedef {'gap' | 'inverse' | 'wall' | 'braille' | 'rule' | 'bar' | 'text'} Kind
 * @typedef {{ kind: Kind, column: number, text: string, style: Style }} Run cells of one kind and style, which are drawn as one
 */

const SEED = '7';
/** @type {(side: string, prices: string) => string[]} */
const ladder = (side, prices) => ['order', 'batch', side, 'btc_usdt', '--ladder', prices, '--amount', '0.3', '--yes'];

/**
 * Awaits so many drawings of a live view.
 * @type {(count: number) => Step[]}
 */
const updates = (count) => Array(count).fill({ await: '\u001b[?2026h' });

/**
 * Each picture, with the commands that it shows one below the other; `before` runs first, unseen.
 * @type {readonly (Shown & { file: string, session: Command[], before?: string[][] })[]}
 */
const PICTURES = [
  {
    file: 'docs/terminal.svg',
    columns: 98,
    title: 'pit in a terminal',
    text: 'The tickers of three markets, the order book of btc_usdt, and a buy order that is previewed, confirmed and placed.',
    session: [
      { words: ['ticker', 'btc_usdt', 'eth_usdt', 'ltc_usdt'] },
      { words: ['depth', 'btc_usdt', '--size', '5'] },
      {
        words: ['order', 'buy', 'btc_usdt', '0.25', '--at', 'ask+0.1%', '--id', 'first1'],
        steps: [{ await: '[y/N]', type: 'y\r' }],
      },
    ],
  },
  {
    file: 'docs/candles.svg',
    columns: 110,
    title: 'Candles in a terminal',
    text: 'Candles of fifteen minutes with their volume, drawn with braille characters.',
    session: [{ words: ['kline', 'btc_usdt', '--type', '15min', '--chart'] }],
  },
  {
    file: 'docs/watch.svg',
    columns: 120,
    title: 'pit watch in a terminal',
    text: 'Candles, the order book with own orders in it, trades, open orders and balances of btc_usdt on one screen.',
    before: [ladder('buy', 'bid-60ticks:bid-140ticks:2'), ladder('sell', 'ask+60ticks:ask+140ticks:2')],
    session: [
      {
        words: ['watch', 'btc_usdt'],
        // after some updates an order is selected
        steps: [
          { pattern: '\\([1-4]\\) ' },
          ...updates(40),
          { await: '', type: '\t' },
          ...updates(3),
          { await: '', type: 'q' },
        ],
      },
    ],
  },
];

const FONT_SIZE = 14;
const CELL = { width: 8.43, height: 20 };
const PADDING = 20;
const TITLE_BAR = 34;
const COLOURS = {
  background: '#0d1117',
  titleBar: '#161b22',
  text: '#c9d1d9',
  bold: '#f0f6fc',
  faint: '#8b949e',
  prompt: '#58a6ff',
};
/**
 * The colours of a terminal, by their codes.
 * @type {Readonly<Record<number, string>>}
 */
const CODED_COLOURS = { 31: '#ff7b72', 32: '#3fb950', 35: '#d2a8ff' };

/** @type {(home: string) => NodeJS.ProcessEnv} */
const environment = (home) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  TERM: 'xterm',
  PIT_HOME: home,
});

/**
 * Starts the sandbox and resolves when it is ready.
 * @param {string} home
 */
async function serveSandbox(home) {
  const child = spawn(
    process.execPath,
    [path.join(root, 'bin/pit.js'), 'sandbox', 'serve', '--port', '0', '--seed', SEED],
    {
      env: environment(home),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const _ of createInterface({ input: child.stdout })) return child;
  throw new Error('The sandbox did not start.');
}

/**
 * Everything that pit writes to a terminal for one command, as the bytes came.
 * @param {string} home
 * @param {number} columns
 * @param {Command} command
 */
function onTerminal(home, columns, { words, steps = [] }) {
  const job = {
    command: [process.execPath, path.join(root, 'bin/pit.js'), ...words],
    steps,
    environment: environment(home),
    columns,
    rows: 36,
    stdin: 'terminal',
    stdout: 'terminal',
    seconds: 60,
  };
  const { stdout, stderr, status } = spawnSync('python3', [path.join(root, 'test/support/pty.py')], {
    input: JSON.stringify(job),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  const ended = JSON.parse(stdout);
  if (ended.status !== 0) throw new Error(`pit ${words.join(' ')} failed:\n${ended.screen}`);
  return ended.screen;
}

/**
 * The part of a terminal that pit uses: colours, and a cursor. Gives rows of styled cells; of a live view, its last screen.
 * @param {string} bytes
 */
function screenRows(bytes) {
  const [, live = bytes] = /\x1b\[\?1049h([\s\S]*)\x1b\[\?1049l/.exec(bytes) ?? [];
  /** @type {Cell[][]} */
  const rows = [[]];
  let [at = 0, column = 0] = [0, 0];
  /** @type {Style} */
  let style = {};
  for (const [token, parameters, letter] of live.matchAll(/\x1b\[\??([\d;]*)([A-Za-z])|[\s\S]/gu)) {
    while (rows.length <= at) rows.push([]);
    const row = rows[at] ?? [];
    if (letter === 'm') for (const code of (parameters || '0').split(';')) style = styled(style, Number(code));
    else if (letter === 'G') column = Number(parameters || 1) - 1;
    else if (letter === 'H')
      [at = 0, column = 0] = (parameters || '1;1').split(';').map((number) => Number(number) - 1);
    else if (letter === 'K') row.length = parameters === '2' ? 0 : Math.min(row.length, column);
    else if (letter === 'J') rows.length = 0;
    else if (letter === 'h' || letter === 'l') continue;
    else if (letter !== undefined) throw new Error(`Unexpected terminal sequence: ${JSON.stringify(token)}`);
    else if (token === '\r') column = 0;
    else if (token === '\n') at += 1;
    else row[column++] = { text: token, style };
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

/**
 * @param {Style} style
 * @param {number} code
 * @returns {Style}
 */
function styled(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 4 || code === 24) return { ...style, underlined: code === 4 };
  if (code === 7 || code === 27) return { ...style, inverse: code === 7 };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 39) return { ...style, colour: undefined };
  if (CODED_COLOURS[code] === undefined) throw new Error(`Unexpected colour: ${code}`);
  return { ...style, colour: CODED_COLOURS[code] };
}

/**
 * A prompt with the command line as a user would type it.
 * @param {readonly string[]} words
 */
function promptRow(words) {
  /** @type {(text: string, style: Style) => Cell[]} */
  const cells = (text, style) => [...text].map((character) => ({ text: character, style }));
  return [...cells('$ ', { colour: COLOURS.prompt }), ...cells(`pit ${words.join(' ')}`, { bold: true })];
}

/** @type {(value: number) => string} */
const round = (value) => String(Math.round(value * 100) / 100);
/** @type {(text: string) => string} */
const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
/**
 * Eighths of a cell that a block character fills from the left.
 * @type {(text: string) => number}
 */
const eighths = (text) => ' ▏▎▍▌▋▊▉█'.indexOf(text);

/**
 * Bars and rules are drawn as shapes, because fonts leave gaps between them.
 * @param {readonly Cell[]} cells
 * @param {number} top
 */
function drawRow(cells, top) {
  /** @type {Run[]} */
  const runs = [];
  for (let column = 0; column < cells.length; column++) {
    /** @type {Cell} */
    const { text, style } = cells[column] ?? { text: ' ', style: {} };
    const kind = style.inverse ? 'inverse' : kindOf(text);
    const last = runs.at(-1);
    if (last?.kind === kind && last.style === style) last.text += text;
    else runs.push({ kind, column, text, style });
  }
  return runs.map((run) => DRAW[run.kind](run, PADDING + run.column * CELL.width, top)).join('');
}

/**
 * @param {string} text
 * @returns {Kind}
 */
function kindOf(text) {
  if (text === '─') return 'rule';
  if (text === '│') return 'wall';
  if (text >= '\u2801' && text <= '\u28ff') return 'braille';
  if (eighths(text) > 0) return 'bar';
  return text === ' ' ? 'gap' : 'text';
}

/** The dots of a braille character, by the bits of its code: across and down. */
const DOTS = [0, 1, 2]
  .map((row) => [0, row])
  .concat(
    [0, 1, 2].map((row) => [1, row]),
    [[0, 3]],
    [[1, 3]],
  );

/** @type {Readonly<Record<Kind, (run: Run, x: number, top: number) => string>>} */
const DRAW = {
  gap: () => '',
  inverse: ({ text, style }, x, top) => {
    const fill = style.colour ?? COLOURS.text;
    const place = `x="${round(x)}" y="${top + 15}" textLength="${round([...text].length * CELL.width)}"`;
    return `${rectangle(x, top, [...text].length * CELL.width, CELL.height, fill)}<text ${place} fill="${COLOURS.background}">${escaped(text)}</text>\n`;
  },
  wall: ({ text }, x, top) =>
    [...text].map((_, index) => rectangle(x + (index + 0.5) * CELL.width, top, 1, CELL.height, COLOURS.faint)).join(''),
  braille: ({ text, style }, x, top) => {
    const dots = [...text].flatMap((character, index) => {
      const bits = (character.codePointAt(0) ?? 0) - 0x2800;
      return DOTS.flatMap(([across = 0, down = 0], bit) =>
        bits & (1 << bit)
          ? `M${round(x + index * CELL.width + across * 4.2)} ${round(top + down * 5)}h3.4v4.2h-3.4z`
          : [],
      );
    });
    return `<path fill="${style.colour ?? COLOURS.text}" d="${dots.join('')}"/>\n`;
  },
  rule: ({ text }, x, top) => rectangle(x, top + 10, text.length * CELL.width, 1, COLOURS.faint),
  bar: ({ text, style }, x, top) => {
    const width = ([...text].reduce((sum, character) => sum + eighths(character), 0) * CELL.width) / 8;
    return rectangle(x, top + 4, width, CELL.height - 6, style.colour ?? COLOURS.faint);
  },
  text: ({ text, style: { bold, faint, colour } }, x, top) => {
    const fill = colour ?? (bold ? COLOURS.bold : faint ? COLOURS.faint : COLOURS.text);
    const place = `x="${round(x)}" y="${top + 15}" textLength="${round([...text].length * CELL.width)}"`;
    return `<text ${place} fill="${fill}"${bold ? ' font-weight="600"' : ''}>${escaped(text)}</text>\n`;
  },
};

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} fill
 */
function rectangle(x, y, width, height, fill) {
  return `<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${height}" fill="${fill}"/>\n`;
}

/**
 * @param {readonly Cell[][]} rows
 * @param {Shown} shown
 */
function picture(rows, { columns, title, text }) {
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = TITLE_BAR + rows.length * CELL.height + 2 * PADDING - 8;
  const lines = rows.map((cells, index) => drawRow(cells, TITLE_BAR + PADDING - 6 + index * CELL.height));
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${22 + index * 20}" cy="17" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<desc>${text}</desc>
<rect width="${width}" height="${height}" rx="10" fill="${COLOURS.background}"/>
<path d="M0 ${TITLE_BAR}V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V${TITLE_BAR}Z" fill="${COLOURS.titleBar}"/>
${dots.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" xml:space="preserve">
${lines.join('')}</g>
</svg>
`;
}

prepare();
const home = mkdtempSync(path.join(tmpdir(), 'pit-picture-'));
const sandbox = await serveSandbox(home);
try {
  mkdirSync(path.join(root, 'docs'), { recursive: true });
  for (const { before = [], session, file, ...shown } of PICTURES) {
    for (const words of before) onTerminal(home, shown.columns, { words });
    const rows = session.flatMap((command) => {
      return [promptRow(command.words), ...screenRows(onTerminal(home, shown.columns, command)), []];
    });
    writeFileSync(path.join(root, file), picture(rows.slice(0, -1), shown));
    console.log(file);
  }
} finally {
  const ended = new Promise((resolve) => sandbox.once('close', resolve));
  sandbox.kill('SIGTERM');
  await ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
