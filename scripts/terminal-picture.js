// `node scripts/terminal-picture.js`: draws docs/terminal.svg. It runs the built program on a terminal (python3), against a
// sandbox with a fixed seed, so the picture shows what pit really prints. Prices depend on the moment it starts.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { prepare, root } from './prepare.js';

const COLUMNS = 98;
const SEED = '7';
const SESSION = [
  { words: ['ticker', 'btc_usdt', 'eth_usdt', 'ltc_usdt'] },
  { words: ['depth', 'btc_usdt', '--size', '5'] },
  { words: ['order', 'buy', 'btc_usdt', '0.25', '--at', 'ask+0.1%', '--id', 'first1'], answer: 'y' },
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
  31: '#ff7b72',
  32: '#3fb950',
  35: '#d2a8ff',
};

const environment = (home) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  TERM: 'xterm',
  PIT_HOME: home,
});

/** Starts the sandbox and resolves when it is ready. */
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

/** Everything that pit writes to a terminal for one command, as the bytes came. */
function onTerminal(home, { words, answer }) {
  const job = {
    command: [process.execPath, path.join(root, 'bin/pit.js'), ...words],
    steps: answer === undefined ? [] : [{ await: '[y/N]', type: `${answer}\r` }],
    environment: environment(home),
    columns: COLUMNS,
    rows: 60,
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

/** The part of a terminal that pit uses: colours, and a cursor that moves within its line. Gives rows of styled cells. */
function screenRows(bytes) {
  const rows = [[]];
  let column = 0;
  let style = {};
  for (const [token, parameters, letter] of bytes.matchAll(/\x1b\[\??([\d;]*)([A-Za-z])|[\s\S]/gu)) {
    const row = rows.at(-1);
    if (letter === 'm') for (const code of (parameters || '0').split(';')) style = styled(style, Number(code));
    else if (letter === 'G') column = Number(parameters || 1) - 1;
    else if (letter === 'K') row.length = parameters === '2' ? 0 : column;
    else if (letter === 'h' || letter === 'l') continue;
    else if (letter !== undefined) throw new Error(`Unexpected terminal sequence: ${JSON.stringify(token)}`);
    else if (token === '\r') column = 0;
    else if (token === '\n') rows.push([]);
    else row[column++] = { text: token, style };
  }
  if (rows.at(-1).length === 0) rows.pop();
  return rows;
}

function styled(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 39) return { ...style, colour: undefined };
  if (COLOURS[code] === undefined) throw new Error(`Unexpected colour: ${code}`);
  return { ...style, colour: COLOURS[code] };
}

/** A prompt with the command line as a user would type it. */
function promptRow(words) {
  const cells = (text, style) => [...text].map((character) => ({ text: character, style }));
  return [...cells('$ ', { colour: COLOURS.prompt }), ...cells(`pit ${words.join(' ')}`, { bold: true })];
}

const round = (value) => String(Math.round(value * 100) / 100);
const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
/** Eighths of a cell that a block character fills from the left. */
const eighths = (text) => ' ▏▎▍▌▋▊▉█'.indexOf(text);

/** Bars and rules are drawn as shapes, because fonts leave gaps between them. */
function drawRow(cells, top) {
  const runs = [];
  for (let column = 0; column < cells.length; column++) {
    const { text, style } = cells[column] ?? { text: ' ', style: {} };
    const kind = text === '─' ? 'rule' : eighths(text) > 0 ? 'bar' : text === ' ' ? 'gap' : 'text';
    const last = runs.at(-1);
    if (last?.kind === kind && last.style === style) last.text += text;
    else runs.push({ kind, column, text, style });
  }
  return runs.map((run) => DRAW[run.kind](run, PADDING + run.column * CELL.width, top)).join('');
}

const DRAW = {
  gap: () => '',
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

function rectangle(x, y, width, height, fill) {
  return `<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${height}" fill="${fill}"/>\n`;
}

function picture(rows) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * PADDING);
  const height = TITLE_BAR + rows.length * CELL.height + 2 * PADDING - 8;
  const lines = rows.map((cells, index) => drawRow(cells, TITLE_BAR + PADDING - 6 + index * CELL.height));
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${22 + index * 20}" cy="17" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>pit in a terminal</title>
<desc>The tickers of three markets, the order book of btc_usdt, and a buy order that is previewed, confirmed and placed.</desc>
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
  const rows = SESSION.flatMap((command) => [promptRow(command.words), ...screenRows(onTerminal(home, command)), []]);
  mkdirSync(path.join(root, 'docs'), { recursive: true });
  writeFileSync(path.join(root, 'docs/terminal.svg'), picture(rows.slice(0, -1)));
  console.log('docs/terminal.svg');
} finally {
  const ended = new Promise((resolve) => sandbox.once('close', resolve));
  sandbox.kill('SIGTERM');
  await ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
