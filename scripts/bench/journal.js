// What the journal adds to an order, beside the same order of a pit whose journal touches no disk: all else, the look for
// repeated orders included, is the same. Whole processes, one after the other, because that is what a user waits for; and again
// with many orders settled on the same day, which every order reads.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../prepare.js';
import { environmentOf, PIT, pairsOf, ratioRow, run, serveSandbox, stopped, temporaryFolder } from './measure.js';

const MANY = [1_000, 10_000];
const HOUR = 3_600_000;

export async function* rows() {
  const folder = temporaryFolder();
  const withoutJournal = buildWithoutJournal();
  const sandbox = await serveSandbox(path.join(folder, 'exchange'), '--no-limits');
  let price = 9_000;
  /** Places one order, far from the market and at a price of its own. */
  const order = (/** @type {string} */ program, /** @type {string} */ home) => () => {
    price += 0.01;
    const words = ['order', 'buy', 'btc_usdt', '0.0006', '--at', price.toFixed(2), '--yes', '--json'];
    return run([program, ...words], environmentOf(home, sandbox.environment));
  };
  const bare = order(withoutJournal, path.join(folder, 'bare'));
  const row = async (/** @type {string} */ what, /** @type {string} */ home) =>
    ratioRow(what, await pairsOf(order(PIT, home), bare), { unit: 'ms', besideWhat: 'without a journal' });
  try {
    const home = path.join(folder, 'kept');
    yield await row('an order', home);
    if (existsSync('/dev/shm')) {
      yield await row('an order, the journal in memory (/dev/shm)', temporaryFolder('/dev/shm'));
    }
    let there = 0;
    for (const many of MANY) {
      settleMany(home, many - there);
      there = many;
      yield await row(`an order after ${many.toLocaleString('en')} others of the day`, home);
    }
  } finally {
    await stopped(sandbox);
  }
}

/** What the functions of the journal that use the disk give if nothing is written and nothing is there. */
const GIVEN = {
  create: '',
  sweepLeftovers: '',
  append: '',
  appendDurably: '',
  appendDurablyAsync: '',
  sizeOf: '0',
  appendIfExists: 'true',
  moveIfExists: 'true',
  readIfExists: 'undefined',
  namesIn: '[]',
  linesBackwards: '[]',
  linesForwards: '[]',
};

/** A copy of pit, built from the same sources, whose journal touches no disk. */
function buildWithoutJournal() {
  const copy = temporaryFolder();
  // the packages as well, because the build knows them by where they are
  for (const name of ['assets', 'bin', 'src', 'scripts', 'package.json', 'node_modules'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  const file = path.join(copy, 'src', 'trading', 'journal', 'files.ts');
  let text = readFileSync(file, 'utf8');
  for (const [name, given] of Object.entries(GIVEN)) {
    const [declared, isAsync = '', isGenerator = ''] =
      new RegExp(`^export (async )?function(\\*)? ${name}\\b`, 'm').exec(text) ?? [];
    if (declared === undefined) throw new Error(`the journal has no function ${name} any more`);
    text = text.replace(declared, `${isAsync}function${isGenerator} ${name}OnDisk`);
    text += `export ${isAsync}function ${name}(..._: any[]): any { return ${given}; }\n`;
  }
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the copy was not built: ${stderr}`);
  return path.join(copy, 'bin', 'pit.js');
}

/**
 * Adds settled orders of an hour ago to the journal, made from one that was really placed.
 * @param {string} home
 * @param {number} count
 */
function settleMany(home, count) {
  const journals = path.join(home, 'state', 'journal');
  const archive = path.join(journals, readdirSync(journals)[0] ?? '', 'archive');
  const file = path.join(archive, readdirSync(archive).at(-1) ?? '');
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((one) => one !== '');
  if (line === undefined) throw new Error(`${file} is empty`);
  const older = line.replace(
    /"(at|time|reqTime)":(\d{13})/g,
    (_match, name, time) => `"${name}":${Number(time) - HOUR}`,
  );
  const lines = Array.from({ length: count }, (_, index) => {
    const other = older
      .replace(/"id":"pit[0-9a-f]{24}"/g, `"id":"pit${String(index).padStart(24, '0')}"`)
      .replace(/"id":"\d+"/, `"id":"${index}"`);
    return `${other}\n`;
  });
  appendFileSync(file, lines.join(''));
  // lists have been held against them since
  rmSync(path.join(journals, readdirSync(journals)[0] ?? '', 'lists'), { recursive: true });
}
