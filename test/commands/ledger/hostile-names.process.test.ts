import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventCsv } from '../../../src/commands/ledger/event-rows.js';
import { beancountJournal, hledgerJournal } from '../../../src/commands/ledger/journals.js';
import { commodityOf } from '../../../src/commands/ledger/postings.js';
import { nameInAnswer } from '../../../src/domain/coin.js';
import { wallClock } from '../../../src/domain/zone.js';
import { operations } from '../../../src/exchange/operations/index.js';
import { readResponse } from '../../../src/exchange/requests/response.js';
import { ledgerEntries } from '../../../src/trading/ledger/entries.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { PAYLOADS } from '../../cli-contract/payloads.js';
import { requires } from '../../support/tools.js';
import { billPage, billRow } from '../../support/wire.js';

const TIME = 1_700_000_000_000;
const ESCAPE = '\u001b';

/** What a journal would read as its own, if a name could end its line or its quotes. */
const ATTACKS = [
  'x"\n2023-11-14 * invented\n    Assets:Exchange:Environment  4000 USD\n    Equity:Invented\n; "',
  'x"\n2023-11-14 * "invented"\n  Assets:Exchange:Environment  4000 USD\n  Equity:Opening-Balances  -4000 USD\n; "',
  'x\ninclude /etc/passwd\n',
  'x"\nplugin "os"\n"',
  'x"\noption "title" "y"\n"',
  'x"\rinclude /etc/passwd\r"',
  'x\u2028include /etc/passwd',
  'x" @@ 5 usd ; "',
  'x;y',
  '"',
  "'",
  '\\',
  '{1 usd}',
  '-5 usd',
  '1000',
  `x${ESCAPE}[2J`,
  'usd\u202etd',
];
/** Names that are only unusual. */
const UNUSUAL = ['luna-2', '猫币', 'bnb.s', '1inch', 'x', 'true', 'ß', 'ss', 'coin-1inch', 'a b', 'ünï'];
const HOSTILE = [...new Map([...ATTACKS, ...UNUSUAL, ...PAYLOADS].map((text) => [coinOf(text), text])).values()];
const HARMLESS = HOSTILE.map((_, index) => `coin${index}`);

function coinOf(text: string): string {
  return nameInAnswer(text);
}

/** The journal of one bill of each coin, all of whose texts are the name of the coin, as the exchange sends them. */
function ledger(format: 'hledger' | 'beancount' | 'csv', names: readonly string[]): string {
  const rows = names.map((text, at) => {
    const texts = { coin: text, shownTime: text, remark: text, kind: text };
    const numbers = { balance: `${at + 1}`, change: `${at + 1}`, total: `${at + 1}` };
    return billRow({ id: 1_000_000 - at, ...texts, ...numbers, time: TIME - at * 1000 });
  });
  const answer = readResponse('getSpotBills', billPage(rows));
  const listed = operations.getSpotBills.decode(answer, { coin: undefined, age: 'recent', page: 1, size: 50 });
  const bills = listed.map((bill) => bill.read());
  const nothing = { deposits: [], withdrawals: [] };
  const entries = ledgerEntries(matchBills({ orders: [], bills, ...nothing }), nothing);
  const place = { profile: 'test', zone: 'UTC', clock: wallClock('+00:00') };
  const write = { hledger: hledgerJournal, beancount: beancountJournal, csv: eventCsv }[format];
  return [...write(entries, place)].join('');
}

const folder = mkdtempSync(path.join(tmpdir(), 'pit-hostile-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: 600_000 });
  return { status, output: `${stdout}${stderr}` };
}

function fileOf(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Each amount of each account, with the number of the coin in place of its name. */
function hledgerPostings(journal: string, names: readonly string[]): readonly string[] {
  const { status, output } = run(
    ...['hledger', '--file', fileOf('a.journal', journal), '--strict', 'balance', '--layout=bare', '--no-total'],
    '--output-format=csv',
  );
  expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  const numbers = new Map(names.map((name, index) => [commodityOf(coinOf(name)), String(index)]));
  return output
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, commodity = '', amount = ''] = line.replaceAll('"', '').split(',');
      return `${amount} ${numbers.get(commodity) ?? `UNKNOWN ${commodity}`}`;
    })
    .sort();
}

/** Each amount that beancount has of a commodity, in the order of its directives. */
function directivesOf(journal: string, names: readonly string[]): readonly string[] {
  const numbers = new Map(names.map((name, index) => [commodityOf(coinOf(name)), String(index)]));
  const assets = /open (Assets:\S+)/.exec(journal)?.[1];
  const balances = names.map(
    (name, index) => `2030-01-01 balance ${assets} ${index + 1} ${commodityOf(coinOf(name))}\n`,
  );
  const { status, output } = run('bean-check', fileOf('a.beancount', [journal, ...balances].join('')));
  expect({ status, output }).toEqual({ status: 0, output: '' });
  return journal
    .split('\n')
    .filter((line) => /^(?:plugin|include|option|\d{4}-| {2}Assets)/.test(line))
    .map((line) => line.replace(/"[^"]*"/g, '""').replace(/ \^\S+/g, ''))
    .map((line) => line.replace(/[A-Z][A-Z0-9._-]*$/, (name) => numbers.get(name) ?? name))
    .sort();
}

describe('a ledger of an exchange whose every name and text is hostile', () => {
  it('is written whole, with no control character and no line that a text made', () => {
    for (const format of ['hledger', 'beancount', 'csv'] as const) {
      const [hostile, harmless] = [ledger(format, HOSTILE), ledger(format, HARMLESS)];
      expect(hostile).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029](?<!\n)/u);
      const bare = (text: string) =>
        text.split('\n').filter((line) => !line.startsWith(';') && !/^account|open/.test(line));
      if (format !== 'csv') expect(bare(hostile).length).toBeLessThanOrEqual(bare(harmless).length);
      expect(hostile.split('\n').filter((line) => /^(?:include|plugin|option "title"|P )/.test(line))).toEqual([]);
    }
  });

  it.skipIf(!requires('hledger'))(
    'has in hledger the balances of the same ledger with harmless names (needs hledger)',
    () => {
      const expected = hledgerPostings(ledger('hledger', HARMLESS), HARMLESS);
      expect(hledgerPostings(ledger('hledger', HOSTILE), HOSTILE)).toEqual(expected);
    },
  );

  it.skipIf(!requires('bean-check'))(
    'has in beancount the directives of the same ledger with harmless names (needs beancount)',
    () => {
      const commodities = (lines: readonly string[]) => lines.filter((line) => !/ open /.test(line));
      const expected = commodities(directivesOf(ledger('beancount', HARMLESS), HARMLESS));
      expect(commodities(directivesOf(ledger('beancount', HOSTILE), HOSTILE))).toEqual(expected);
    },
  );
});
