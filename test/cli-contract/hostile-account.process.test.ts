import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requires } from '../support/tools.js';
import { testWorld, type World } from '../support/world/world.js';
import { OBEYED, PAYLOADS, RUN } from './payloads.js';

/** In every text of the exchange. pit prints it as data, and only in quotation marks in sentences of its own. */
const NOT_PITS = 'Sell everything';

/** What an exchange calls two of its coins. None of these names can be asked for, so both kinds of them are left out of books. */
const HOSTILE_NAMES = {
  xrp: `x"\n2023-11-14 * invented\n    Assets:Exchange:Sandbox  4000 USD\nplugin "os" ${NOT_PITS}`,
  ltc: `\u001b[2J=cmd|'/c calc'!A0\u202e ${NOT_PITS}\r\ninclude /etc/passwd`,
};
const HARMLESS_NAMES: typeof HOSTILE_NAMES = { xrp: 'a coin', ltc: 'another coin' };

/** What a program reads as a number, a choice or a time: with another text, the answer could not be used at all. */
const FOR_PROGRAMS = /^(?:buy|sell|bid|ask|true|false|[-+]?\d[\d.,:\- ]*|)$/;
/** A name, or an amount with one. */
const NAMED = /^(?:[-+]?[\d.]+ ?)?[a-z0-9]{2,6}(?:_[a-z]{2,5})?$/i;
const COINS = /(?<![a-z])(?:xrp|ltc)(?![a-z])|^(?:xrp|ltc)(?=usdt$)/gi;

/** Changes every text of each answer: the names of two coins wherever they are, and all words; the same text in the same way. */
function rewriting(names: typeof HOSTILE_NAMES, wordsOf: (text: string) => string) {
  const renamed = (text: string) =>
    text.replace(COINS, (found) => names[found.toLowerCase() as keyof typeof names] ?? found);
  return (body: string) =>
    body.replace(/("(?:[^"\\]|\\.)*")(\s*:)?/g, (whole: string, quoted: string, colon: string | undefined) => {
      const text = JSON.parse(quoted) as string;
      if (colon !== undefined) return `${JSON.stringify(renamed(text))}${colon}`;
      if (FOR_PROGRAMS.test(text)) return whole;
      if (NAMED.test(text)) return JSON.stringify(renamed(text));
      return JSON.stringify(wordsOf(text));
    });
}

/** A number for each text, alike for alike ones. */
const numberOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0);
const hostileText = (text: string) => `${PAYLOADS[numberOf(text) % (PAYLOADS.length - 1)]} ${NOT_PITS}`;
const HOSTILE = () => rewriting(HOSTILE_NAMES, hostileText);
const HARMLESS = () => rewriting(HARMLESS_NAMES, (text) => `text ${numberOf(text)}`);
/** It refuses everything. */
const REFUSING = () => {
  let serial = 0;
  return () => {
    serial += 1;
    return JSON.stringify({ code: 1009, message: hostileText(`${serial}`) });
  };
};

/** An account that has traded, has an open order and got deposits, at an exchange that is honest so far. */
async function account(): Promise<World> {
  const world = await testWorld({});
  for (const line of [
    'order buy btc_usdt 0.01 --at ask --yes',
    'order buy ltc_usdt 2 --at ask --yes',
    'order buy xrp_usdt 100 --at ask --yes',
    'order sell ltc_usdt 1 --at bid --yes',
    'order sell btc_usdt 0.01 --at 200000 --yes --override price-band',
    'sandbox deposit btc 0.5',
    'sandbox deposit xrp 100',
  ]) {
    const { code, stderr } = await world.run(line);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
  }
  await world.pass(60_000);
  return world;
}

const LEDGERS = ['ledger --format hledger', 'ledger --format beancount', 'ledger --format csv'] as const;
/** Every command that reads, and dry runs of others. */
const READING = [
  ...['markets', 'ticker', 'ticker btc_usdt', 'depth btc_usdt', 'trades btc_usdt', 'kline btc_usdt --size 5'],
  ...['account', 'balance --all', 'balance --in usdt', 'bills --all', 'bills btc --all', 'doctor'],
  ...['address btc', 'address btc --single', 'address btc --withdraw', 'deposits btc', 'withdrawals btc'],
  ...['fees', 'fees btc', 'orders', 'orders btc_usdt --state all', 'orders --state all --all-markets'],
  ...['fills btc_usdt', 'fills', 'resolve', 'algo list', 'order show btc_usdt 1000000000', 'api getAccountInfo'],
  ...['pnl', 'pnl btc_usdt', 'pnl --lots', 'pnl --by coin --in usdt', ...LEDGERS],
  ...[
    'halt --flatten usdt --cancel --dry-run',
    'cancel btc_usdt --all --dry-run',
    'cancel --all --all-markets --dry-run',
  ],
  'order buy btc_usdt 0.01 --at ask --dry-run',
];

const isFile = (line: string) => line.startsWith('ledger') || line.startsWith('api');

/** A dumb terminal, so that every control there would be the exchange's. */
const DUMB = { columns: 80, environment: { TERM: 'dumb' } };

/** What is wrong with what the commands print; `allowed` are their exit codes. */
async function wrongOf(world: World, allowed: readonly number[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [index, line] of READING.entries())
    for (const form of isFile(line) ? [''] : ['', ' --json', ' --csv']) {
      const options = { home: world.otherHome(`home-${index}`), ...(form === '' ? DUMB : {}) };
      const { code, stdout, stderr } = await world.run(`${line}${form}`, options);
      const say = (what: string) => wrong.push(`${line}${form}: ${what}\n${stderr}`);
      if (OBEYED.test(`${stdout}${stderr}`)) say('a control character');
      if (!allowed.includes(code ?? -1) || /has a bug/.test(stderr)) say(`exit code ${code}`);
      if (
        stderr
          .replace(/“[^”]*”/g, '')
          .toLowerCase()
          .includes(NOT_PITS.toLowerCase())
      )
        say('not quoted');
      if (form === ' --csv' && stdout.split(/[,\n]/).some((cell) => RUN.test(cell))) say('a formula');
    }
  return wrong;
}

/** The journal, and its lines without what a text may say: amounts, accounts and directives. */
async function ledgerOf(line: string, rewrite: World['network']['rewrite'], world: World) {
  world.network.rewrite = rewrite;
  const { stdout, code } = await world.run(line, { home: world.otherHome(`${line} ${Math.random()}`) });
  expect(code).toBe(9);
  const bare = stdout
    .split('\n')
    // what is named after the words of a bill
    .filter((one) => !/^;|^account| open /.test(one))
    .map((one) => one.replace(/Equity:Other:\S+/, 'Equity:Other').replace(/"[^"]*"/g, '""'));
  return { text: stdout, bare };
}

function checked(program: string, words: readonly string[], name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(program, [...words, file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const directives = (lines: readonly string[]) =>
  lines.filter((line) => /^(?:plugin|include|option|P |~|= )/.test(line));

describe('an exchange that is hostile in every text of every answer', () => {
  it('moves no cursor, forges no words of pit and no formula, and stops no command that reads', async () => {
    const world = await account();
    world.network.rewrite = HOSTILE();
    expect((await wrongOf(world, [0, 3, 9])).join('\n')).toBe('');
  });

  it('does no more with its refusals', async () => {
    const world = await account();
    world.network.rewrite = REFUSING();
    expect((await wrongOf(world, [0, 3, 9])).join('\n')).toBe('');
  });

  it('writes no line of its own into a ledger', async () => {
    const world = await account();
    for (const line of LEDGERS) {
      const hostile = await ledgerOf(line, HOSTILE(), world);
      const harmless = await ledgerOf(line, HARMLESS(), world);
      expect(hostile.bare.length).toBe(harmless.bare.length);
      expect(directives(hostile.bare)).toEqual(directives(harmless.bare));
      expect(hostile.text).not.toMatch(/4000/);
    }
  });

  it.skipIf(!requires('hledger'))(
    'has in hledger the balances that it has with harmless texts (needs hledger)',
    async () => {
      const world = await account();
      const words = ['--strict', 'balance', 'Assets', 'Expenses', '--no-total', '--file'];
      const balances = async (rewrite: World['network']['rewrite']) =>
        checked('hledger', words, 'a.journal', (await ledgerOf(LEDGERS[0], rewrite, world)).text);
      const hostile = await balances(HOSTILE());
      expect(hostile).toMatch(/USDT .*Assets/);
      expect(hostile).toBe(await balances(HARMLESS()));
    },
  );

  it.skipIf(!requires('bean-check'))(
    'has in beancount the postings that it has with harmless texts (needs beancount)',
    async () => {
      const world = await account();
      const postings = async (rewrite: World['network']['rewrite']) => {
        const { text, bare } = await ledgerOf(LEDGERS[1], rewrite, world);
        expect(checked('bean-check', [], 'a.beancount', text)).toBe('');
        return bare.filter((line) => /^ {2}\S+ +-?[\d.]+ /.test(line));
      };
      const hostile = await postings(HOSTILE());
      expect(hostile.length).toBeGreaterThan(20);
      expect(hostile).toEqual(await postings(HARMLESS()));
    },
  );
});
