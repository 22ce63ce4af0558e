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
import { pitLine } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const whole = temporaryHome();
beforeAll(async () => {
  for (const words of ['sandbox start', 'order buy btc_usdt 0.01 --at 5000 --yes', 'sandbox stop'])
    expect(await runProgram(words.split(' '), { home: whole })).toMatchObject({ code: 0 });
});

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

/** How a program ended that has to start the sandbox. One that serves is stopped. */
function endOf(home: string, words: string): Promise<string> {
  return new Promise((resolve) => {
    const [command, ...args] = pitLine(...words.split(' '));
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

/** In the foreground, and in the background. */
const STARTS = ['sandbox serve --port 0', 'depth btc_usdt'];

it.each(Object.entries(UNREADABLE))(
  'a data file with %s is reported with the advice to reset',
  async (_name, damage) => {
    const home = damagedHome(damage);
    for (const words of STARTS) expect(await endOf(home, words)).toEqual(SAYS_TO_RESET);
    expect(await runProgram(['sandbox', 'reset', '--yes'], { home })).toMatchObject({ code: 0 });
    expect(await endOf(home, 'sandbox serve --port 0')).toBe('143 ');
  },
);

it.each(Object.entries(INCOMPLETE))(
  'a data file with %s is served or reported, without a crash',
  async (_name, damage) => {
    const home = damagedHome(damage);
    const ends = await endOf(home, 'sandbox serve --port 0');
    if (!ends.startsWith('143')) expect(ends).toEqual(SAYS_TO_RESET);
  },
);

it('a folder in place of the data file is reported', async () => {
  const home = damagedHome((file) => {
    rmSync(file);
    mkdirSync(file);
  });
  for (const words of STARTS) expect(await endOf(home, words)).toContain('a folder has the name of one of its files');
});
