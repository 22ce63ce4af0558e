import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { pitLine } from '../../support/command.js';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment, runPit, temporaryHome } from '../../support/pit.js';

const whole = temporaryHome();
beforeAll(async () => {
  const sandbox = startInProcess(['sandbox', 'serve', '--port', '0'], plainEnvironment(whole));
  await sandbox.firstLine();
  expect(await endOf(whole, 'order buy btc_usdt 0.01 --at 5000 --yes')).toMatch(/^0 /);
  await sandbox.interrupt();
  await sandbox.ended;
});

/** How a command in this process ended. If it starts the sandbox, that has a process of its own. */
async function endOf(home: string, words: string): Promise<string> {
  const { code, stderr } = await runPit(words.split(' '), { home });
  return `${code} ${stderr}`;
}

type Damage = (file: string, size: number) => void;

/** Bytes without a pattern, the same each time. */
function noise(length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update('noise').digest();
}

function overwritten(file: string, from: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, noise(length), 0, length, from);
  closeSync(descriptor);
}

const UNREADABLE: Readonly<Record<string, Damage>> = {
  'random bytes over its beginning': (file) => overwritten(file, 0, 8192),
  'random bytes over all of it': (file, size) => overwritten(file, 0, size),
  'five letters instead of it': (file) => writeFileSync(file, 'text\n'),
  'nothing in it': (file) => truncateSync(file),
};

/** What is found at once if the pages that a start reads are among the lost ones. */
const INCOMPLETE: Readonly<Record<string, Damage>> = {
  'random bytes over its middle': (file, size) => overwritten(file, size >> 2, size >> 1),
  'its second half cut off': (file, size) => truncateSync(file, size >> 1),
};

/** A home whose sandbox has this damage to its data. */
function damagedHome(damage: Damage): string {
  const home = temporaryHome();
  cpSync(whole, home, { recursive: true });
  const file = path.join(home, 'state', 'sandbox', 'exchange', 'exchange.mdb');
  damage(file, statSync(file).size);
  return home;
}

/** How `pit sandbox serve` ended in its own process. One that serves is stopped. */
function endOfServing(home: string): Promise<string> {
  return new Promise((resolve) => {
    const [command, ...args] = pitLine('sandbox', 'serve', '--port', '0');
    const child = spawn(command, args, { env: plainEnvironment(home) });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.stdout.once('data', () => child.kill());
    child.once('close', (code, signal) => resolve(`${signal ?? code} ${errors}`));
  });
}

const SAYS_TO_RESET = expect.stringMatching(
  /^5 pit: The sandbox did not start: [^\n]+\n→ Start an empty exchange, without [^\n]+: pit sandbox reset\n$/,
);

/** How the sandbox of a home starts in the foreground, and in the background. */
async function startsOf(home: string): Promise<string[]> {
  return [await endOfServing(home), await endOf(home, 'depth btc_usdt')];
}

it.each(Object.entries(UNREADABLE))(
  'a data file with %s is reported with the advice to reset',
  async (_name, damage) => {
    const home = damagedHome(damage);
    expect(await startsOf(home)).toEqual([SAYS_TO_RESET, SAYS_TO_RESET]);
    expect(await endOf(home, 'sandbox reset --yes')).toMatch(/^0 /);
    expect(await endOfServing(home)).toBe('143 ');
  },
);

it.each(Object.entries(INCOMPLETE))(
  'a data file with %s is served or reported, without a crash',
  async (_name, damage) => {
    const home = damagedHome(damage);
    const ends = await endOfServing(home);
    if (!ends.startsWith('143')) expect(ends).toEqual(SAYS_TO_RESET);
  },
);

it('a folder in place of the data file is reported', async () => {
  const home = damagedHome((file) => {
    rmSync(file);
    mkdirSync(file);
  });
  const reported = expect.stringContaining('a folder has the name of one of its files');
  expect(await startsOf(home)).toEqual([reported, reported]);
});
