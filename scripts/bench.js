// `npm run bench [-- NAME...]`: measures pit and prints one table; all of it goes to docs/performance.md as well. With names,
// only those benchmarks; with --json, their rows as JSON; with --node=PATH, once or more, the start on each of these Nodes, which
// goes to the page too. scripts/bench/NAME.js says what each measures.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { prepare, root } from './prepare.js';

/** @typedef {import('./bench/measure.js').Row} Row */
/** @typedef {{ title: string, rows: Row[] }} Section */

/**
 * In the order of the table.
 * @type {Readonly<Record<string, string>>}
 */
const BENCHES = {
  start: 'Start-up and memory',
  peers: 'Start-up of other programs',
  journal: 'Journal',
  batch: 'Batches',
  'old-account': 'An account with 100,000 orders',
  live: 'Live views',
  algos: 'Algo orders',
  sandbox: 'The sandbox over HTTP',
  streams: "The sandbox's streams",
  rehearse: 'Rehearsals',
};

const PAGE = path.join(root, 'docs', 'performance.md');
const HEAD = ['what', 'pit', 'beside it', 'ratio', 'target', ''];
const NODE_FLAG = '--node=';
const words = process.argv.slice(2);
const load = loadavg()[0];
const nodes = words.filter((word) => word.startsWith(NODE_FLAG)).map((word) => word.slice(NODE_FLAG.length));
if (nodes.length > 0) {
  const text = startsOn(nodes);
  console.log(text);
  writePart('nodes', text);
  process.exit();
}
const isJson = process.argv.includes('--json');
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const benches = [];
for (const name of names.length > 0 ? names : Object.keys(BENCHES))
  benches.push({ title: BENCHES[name], ...(await import(`./bench/${name}.js`)) });
prepare();

const begun = Date.now();
const sections = [];
for (const { title, rows } of benches) {
  if (!isJson) console.error(`${title} …`);
  const found = [];
  for await (const row of rows()) found.push(row);
  sections.push({ title, rows: found });
}
if (isJson) console.log(JSON.stringify(sections.flatMap(({ rows }) => rows)));
else {
  const seconds = Math.round((Date.now() - begun) / 1_000);
  const text = `${machine()}\n\n${tableOf(sections)}\n\nMeasured in ${minutes(seconds)}.`;
  console.log(text);
  if (names.length === 0) writePart('all', text);
}
// a server that hangs on would keep it running
process.exit();

/**
 * The ratios of a start on each Node, which makes a build of its own first.
 * @param {readonly string[]} paths
 */
function startsOn(paths) {
  /** @type {(node: string) => Row[]} */
  const rowsOf = (node) =>
    JSON.parse(execFileSync(node, [import.meta.filename, 'start', '--json'], { encoding: 'utf8' }));
  const versions = paths.map((node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim());
  const [first = [], ...others] = paths.map(rowsOf);
  const lines = first.map(({ what, ratio, atMost }) => {
    const ratios = [ratio, ...others.map((rows) => rows.find((row) => row.what === what)?.ratio)];
    return [what, atMost === undefined ? '' : `at most ${grouped(atMost)}`, ...ratios.map((one) => one?.toFixed(2))];
  });
  return `${machine()}\n\n${drawn(['what, as a ratio to node -e 0', 'target', ...versions], lines)}`;
}

function machine() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  return (
    `pit ${version} (${commit}) on Node ${process.version}, ${type()} ${release()} ${arch()}, ${all.length} × ` +
    `${all[0]?.model.trim()}, ${memory}, load ${load?.toFixed(1)} at the start, ${day}.`
  );
}

/** @param {number} seconds */
function minutes(seconds) {
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}

/** @param {readonly Section[]} all */
function tableOf(all) {
  return drawn(
    HEAD,
    all.flatMap(({ title, rows }) => [[`**${title}**`], ...rows.map(cellsOf)]),
  );
}

/**
 * A table of Markdown.
 * @param {readonly string[]} titles
 * @param {readonly (readonly (string | undefined)[])[]} lines
 */
function drawn(titles, lines) {
  const filled = [titles, ...lines].map((cells) => titles.map((_, column) => cells[column] ?? ''));
  const lengthOf = (/** @type {string | undefined} */ cell = '') => [...cell].length;
  const widths = titles.map((_, column) => Math.max(3, ...filled.map((cells) => lengthOf(cells[column]))));
  /** @type {(cells: readonly string[]) => string} */
  const padded = (cells) =>
    `| ${cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))).join(' | ')} |`;
  const [head, ...body] = filled.map(padded);
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n');
}

/** @param {Row} row */
function cellsOf({ what, value, unit, beside, besideWhat, ratio, atMost, atLeast }) {
  const target = atMost ?? atLeast;
  const held = ratio ?? value;
  const isMet = atMost !== undefined ? held <= atMost : held >= (atLeast ?? 0);
  return [
    what,
    amount(value, unit),
    beside === undefined ? (besideWhat ?? '') : `${amount(beside, unit)} ${besideWhat}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    target === undefined ? '' : `${atMost !== undefined ? 'at most' : 'at least'} ${grouped(target)}`,
    target === undefined ? '' : isMet ? 'met' : '**missed**',
  ];
}

/**
 * @param {number | undefined} value
 * @param {string} unit
 */
function amount(value, unit) {
  return value === undefined ? '' : `${grouped(value)} ${unit}`.trim();
}

/**
 * Three significant digits, and whole numbers in full.
 * @param {number} value
 */
function grouped(value) {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/**
 * Replaces a part of the page, which stands between two comments.
 * @param {string} name
 * @param {string} text
 */
function writePart(name, text) {
  const [before, after] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`];
  const page = readFileSync(PAGE, 'utf8');
  const start = page.indexOf(before) + before.length;
  writeFileSync(PAGE, page.slice(0, start) + text + page.slice(page.indexOf(after)));
}
