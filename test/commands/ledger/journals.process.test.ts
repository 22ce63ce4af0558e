import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { eventCsv, eventRows } from '../../../src/commands/ledger/event-rows.js';
import { beancountJournal, hledgerJournal } from '../../../src/commands/ledger/journals.js';
import { commodityOf } from '../../../src/commands/ledger/postings.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill } from '../../../src/domain/funds.js';
import { wallClock } from '../../../src/domain/zone.js';
import { type LedgerEntry, ledgerEntries } from '../../../src/trading/ledger/entries.js';
import { assetChanges, ledgerOf, openingBalances } from '../../../src/trading/ledger/ledger.js';
import { unpricedCoins, worthOf } from '../../../src/trading/ledger/worth.js';
import type { AccountHistory, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { FundsFixture } from '../../sandbox/funds/fixture.js';
import { requires } from '../../support/tools.js';
import { type Booked, bookedAccount, drawnAccount, openingOf } from './random-accounts.js';

const TEST = { profile: 'test', zone: 'UTC', clock: wallClock('+00:00') };
const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const folder = mkdtempSync(path.join(tmpdir(), 'pit-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A long wait: a starting program shares a machine with other tests. */
const SLOW_MS = 600_000;

interface Shown {
  readonly status: number | null;
  readonly output: string;
}

function run(program: string, ...words: string[]): Shown {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: SLOW_MS });
  return { status, output: `${stdout}${stderr}` };
}

function written(name: string, pieces: Iterable<string>): string {
  const file = path.join(folder, name);
  writeFileSync(file, [...pieces].join(''));
  return file;
}

/** The balances that hledger computes, after it has checked the journal strictly. */
function hledgerBalances(text: Iterable<string>): Record<string, string> {
  const file = written('a.journal', text);
  const words = ['--strict', 'balance', '^Assets', '--layout=bare', '--no-total', '--output-format=csv'];
  const { status, output } = run('hledger', '--file', file, ...words);
  expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  const rows = output.trim().split('\n').slice(1);
  const amounts = rows.map((row) => row.replaceAll('"', '').split(',').slice(1) as [string, string]);
  return Object.fromEntries(amounts.map(([name, amount]) => [name, Decimal.of(amount).trimmed().toString()]));
}

/** A ledger for beancount, followed by these exact balances. */
function claimed(name: string, text: Iterable<string>, balances: ReadonlyMap<string, Decimal>): string {
  const claims = [...balances].map(
    ([coin, amount]) => `2030-01-01 balance Assets:Exchange:Test ${amount} ~ 0 ${commodityOf(coin)}\n`,
  );
  return written(name, [...text, ...claims]);
}

/** What bean-check says of such a ledger. Empty if it agrees. */
function beancountSays(text: Iterable<string>, balances: ReadonlyMap<string, Decimal>): string {
  const { status, output } = run('bean-check', claimed('a.beancount', text, balances));
  return status === 0 ? output : `${status} ${output}`;
}

/** The same of many files, as bean-check does it, in one process: it takes long to start. */
const CHECK_ALL = `
import sys
from beancount import loader
for file in sys.argv[1:]:
    entries, errors, options = loader.load_file(file)
    for error in errors: print(file, error.message)
    print(len(entries) > 0)
`;

function beancountSaysOfAll(files: readonly string[]): readonly string[] {
  const script = spawnSync('which', ['bean-check'], { encoding: 'utf8' }).stdout.trim();
  const [, python = 'python3'] = /^#! ?(\S+)/.exec(readFileSync(script, 'utf8')) ?? [];
  return run(python, '-c', CHECK_ALL, ...files)
    .output.trim()
    .split('\n');
}

function texts(amounts: ReadonlyMap<string, Decimal>): Record<string, string> {
  const shown = [...amounts].map(([coin, amount]) => [commodityOf(coin), amount.trimmed().toString()] as const);
  return Object.fromEntries(shown.filter(([, amount]) => amount !== '0'));
}

function sums(entries: readonly LedgerEntry[]): Map<string, Decimal> {
  const all = new Map<string, Decimal>();
  for (const { coin, amount } of entries.flatMap(assetChanges))
    all.set(coin, (all.get(coin) ?? Decimal.zero).plus(amount));
  return all;
}

/** So many random histories each program reads. */
const HISTORIES = 50;

function eachAccount(numRuns: number, check: (account: Booked, pick: number) => void): void {
  const fixture = FundsFixture.at();
  fc.assert(
    fc.property(drawnAccount, fc.nat(), (drawn, pick) => check(bookedAccount(drawn, fixture), pick)),
    { numRuns },
  );
}

const wholeLedger = (account: Booked) => ledgerOf(account.entries, openingOf(account).balances, ALWAYS);

/** As with `--in usdt`, at prices that change with every moment. One coin has none. */
const withValues = (entries: readonly LedgerEntry[]) => {
  const pastValue = (amount: Decimal, coin: string, _: string, time: number) =>
    coin === 'eth' ? undefined : amount.times(Decimal.of(`${1 + (time % 97)}.0${coin.length}7`));
  return entries.map((entry) => ({ ...entry, worth: worthOf(entry, 'usdt', pastValue) }));
};

describe('the ledger of a random account', () => {
  it('has every bill in an entry, of each moment exactly the sum, and nothing unexplained', () => {
    const kinds = new Set<string>();
    eachAccount(100, (account) => {
      const { bills, entries, balances } = account;
      const key = (time: number, coin: string) => `${time} ${coin}`;
      const left = new Map<string, Decimal>();
      const add = (at: string, amount: Decimal) => left.set(at, (left.get(at) ?? Decimal.zero).plus(amount));
      for (const { time, coin, change } of bills) add(key(time, coin), Decimal.of(change));
      for (const entry of entries)
        for (const { coin, amount } of assetChanges(entry)) add(key(entry.time, coin), amount.negated());
      expect([...left].filter(([, amount]) => amount.sign !== 0)).toEqual([]);
      expect(new Set(entries.flatMap((entry) => entry.bills))).toEqual(new Set(bills.map(({ id }) => id)));
      expect(texts(sums(wholeLedger(account)))).toEqual(texts(balances));
      expect(openingOf(account)).toMatchObject({ unknown: [], missing: [] });
      expect(entries.filter(({ kind }) => kind === 'unexplained')).toEqual([]);
      for (const { kind, feesOf, fees } of entries)
        kinds.add(fees.length > 0 ? `${kind} with fees of ${feesOf}` : kind);
    });
    for (const kind of [
      'buy with fees of trades',
      'sell with fees of trades',
      'deposit',
      'withdrawal with fees of transfers',
    ])
      expect(kinds).toContain(kind);
  });

  it('divides at any moment into two windows, of which the second begins with the balances that the first ends with', () => {
    eachAccount(50, ({ bills, balances, entries }, pick) => {
      const border = bills[pick % Math.max(1, bills.length)]?.time ?? 0;
      const opening = openingOf({ bills, balances }).balances;
      const [whole, before, after] = [ALWAYS, { ...ALWAYS, to: border }, { ...ALWAYS, from: border }].map((window) =>
        ledgerOf(entries, opening, window),
      ) as [readonly LedgerEntry[], readonly LedgerEntry[], readonly LedgerEntry[]];
      const [first] = after;
      const begun = first?.kind === 'opening' ? sums([first]) : new Map<string, Decimal>();
      const isOpening = ({ kind }: LedgerEntry) => kind === 'opening';
      expect(texts(begun)).toEqual(texts(sums(before.length === 0 ? whole.filter(isOpening) : before)));
      expect(texts(sums(after))).toEqual(texts(balances));
      const inWindows = [...before, ...after].filter((entry) => !isOpening(entry));
      expect(inWindows).toEqual(whole.filter((entry) => !isOpening(entry)));
    });
  });

  it('has rows of sent, received and fee amounts that add up to the balances', () => {
    eachAccount(50, (account) => {
      const all = new Map<string, Decimal>();
      const add = (coin: string, amount: string, sign: 1 | -1) => {
        if (amount === '') return;
        const change = Decimal.of(amount);
        expect(change.sign).toBe(1);
        all.set(coin, (all.get(coin) ?? Decimal.zero).plus(sign > 0 ? change : change.negated()));
      };
      for (const row of wholeLedger(account).flatMap((entry) => eventRows(entry, TEST.clock))) {
        add(row.receivedCoin, row.receivedAmount, 1);
        add(row.sentCoin, row.sentAmount, -1);
        add(row.feeCoin, row.feeAmount, -1);
      }
      expect(texts(all)).toEqual(texts(account.balances));
    });
  });

  it.skipIf(!requires('hledger'))(
    'is accepted by hledger, strictly, with the balances of the account to the digit',
    { timeout: SLOW_MS },
    () => {
      eachAccount(HISTORIES, (account, pick) => {
        const entries = pick % 2 === 0 ? wholeLedger(account) : withValues(wholeLedger(account));
        expect(hledgerBalances(hledgerJournal(entries, TEST))).toEqual(texts(account.balances));
      });
    },
  );

  it.skipIf(!requires('bean-check'))(
    'is accepted by beancount, with the balances of the account to the digit',
    { timeout: SLOW_MS },
    () => {
      const files: string[] = [];
      eachAccount(HISTORIES, (account, pick) => {
        const entries = pick % 2 === 0 ? wholeLedger(account) : withValues(wholeLedger(account));
        const text = beancountJournal(entries, TEST);
        files.push(claimed(`${files.length}.beancount`, text, account.balances));
      });
      expect(files).toHaveLength(HISTORIES);
      expect(beancountSaysOfAll(files)).toEqual(files.map(() => 'True'));
    },
  );

  it.skipIf(!requires('bean-check'))(
    'is accepted by beancount as two windows in one file, if what was before the second is left out',
    { timeout: SLOW_MS },
    () => {
      const files: string[] = [];
      eachAccount(20, (account, pick) => {
        const { bills, entries, balances } = account;
        const border = bills[pick % Math.max(1, bills.length)]?.time ?? 0;
        const opening = openingOf(account).balances;
        const values = pick % 2 === 0 ? (all: readonly LedgerEntry[]) => all : withValues;
        const [first, second] = [
          { ...ALWAYS, to: border },
          { ...ALWAYS, from: border },
        ].map((window) => {
          const earlier = entries.filter(({ time }) => time < window.from);
          return [...beancountJournal(values(ledgerOf(entries, opening, window)), TEST, earlier)].join('');
        }) as [string, string];
        const alone = claimed(`alone-${files.length}.beancount`, [second], balances);
        const rest = second.replace(/^; Before this window\..*?^; This window\.$/ms, '');
        const whole = entries.some(({ time }) => time < border) ? [first, rest] : [second];
        files.push(alone, claimed(`both-${files.length}.beancount`, whole, balances));
      });
      expect(beancountSaysOfAll(files)).toEqual(files.map(() => 'True'));
    },
  );
});

/** Bills as `time coin change type`, each with the balance after it. */
function bills(text: string, before: Readonly<Record<string, string>> = {}): Bill[] {
  const left = new Map(Object.entries(before).map(([coin, amount]) => [coin, Decimal.of(amount)]));
  return text.split(', ').map((line, index) => {
    const [time = '', coin = '', change = '', ...type] = line.split(' ');
    const balance = (left.get(coin) ?? Decimal.zero).plus(Decimal.of(change));
    left.set(coin, balance);
    const amounts = { change, balance: balance.toString(), total: null, remark: null, timeRaw: null };
    return { id: String(index + 1), time: Date.parse(time), coin, type: type.join(' ') || null, ...amounts };
  });
}

function order(id: string, market: string, side: 'buy' | 'sell', changes: Partial<FilledOrder>): FilledOrder {
  const common = { price: '1000000', filled: '2', filledValue: '200', fee: '0', feeCoin: null };
  return { id, market, side, ...common, time: Date.parse('2025-12-31'), ...changes };
}

function ledger(history: Partial<AccountHistory> & Pick<AccountHistory, 'bills'>): readonly LedgerEntry[] {
  const whole = { orders: [], deposits: [], withdrawals: [], ...history };
  const matched = matchBills(whole);
  const opening = openingBalances(whole.bills, [], []);
  return ledgerOf(ledgerEntries(matched, { deposits: [], withdrawals: [] }), opening.balances, ALWAYS);
}

const TWO_YEARS = ledger({
  orders: [
    order('1', '1inch_usdt', 'buy', { fee: '0.02', feeCoin: '1inch' }),
    order('2', '1inch_usdt', 'sell', { filled: '3', filledValue: '100', fee: '0.5', price: '1' }),
  ],
  bills: bills(
    [
      '2025-12-31T23:59:59.999Z usdt -200 Buy, 2025-12-31T23:59:59.999Z 1inch 1.98 Buy',
      '2026-01-01T00:00Z 1inch -3 Sell, 2026-01-01T00:00Z usdt 100 Sell, 2026-01-01T00:00Z zz -0.5 Fee',
      '2026-02-03T04:05Z t 0.000000000000000001 Air;drop: "x"\n2026-01-01 * (1) $',
    ].join(', '),
    { usdt: '1000', '1inch': '5', zz: '1.25' },
  ),
});

describe('a journal', () => {
  it('keeps kinds of bills in other scripts apart, in accounts that both programs take', { timeout: SLOW_MS }, () => {
    const entries = ledger({
      bills: bills('2026-01-01T00:00Z btc 1 空投, 2026-01-02T00:00Z btc 2 返佣, 2026-01-03T00:00Z btc 4 हवाई'),
    });
    const text = [...hledgerJournal(entries, TEST)].join('');
    for (const name of ['空投', '返佣', 'हवाई']) expect(text).toContain(`account Equity:Other:${name}\n`);
    if (requires('hledger')) expect(hledgerBalances([text])).toEqual({ BTC: '7' });
    if (requires('bean-check'))
      expect(beancountSays(beancountJournal(entries, TEST), new Map([['btc', Decimal.of('7')]]))).toBe('');
  });

  it('has a row in CSV for a bill of nothing', () => {
    const entries = ledger({ bills: bills('2026-01-01T00:00Z btc 1 Gift, 2026-01-02T00:00Z btc 0 Snapshot') });
    expect(entries.flatMap((entry) => eventRows(entry, TEST.clock))).toMatchObject([
      { receivedAmount: '1', bills: ['1'] },
      {
        type: 'other',
        receivedAmount: '0',
        receivedCoin: 'btc',
        sentAmount: '',
        description: 'Snapshot',
        bills: ['2'],
      },
    ]);
  });

  it('of hledger declares accounts, commodities and their decimals, and names bills, totals and what the exchange calls a bill', () => {
    expect(
      [...hledgerJournal(TWO_YEARS, { ...TEST, profile: 'my-pit 2' })].join(''),
    ).toBe(`; Ledger of my-pit 2, written by pit. Days are in UTC.
; 1inch is COIN-1INCH: a name of beancount has Latin letters, begins with one and has two characters or more.
; t is COIN-T: a name of beancount has Latin letters, begins with one and has two characters or more.
commodity 1000.00 "COIN-1INCH"
commodity 1000.000000000000000000 "COIN-T"
commodity 1000. USDT
commodity 1000.00 ZZ
account Assets:Exchange:My-pit-2
account Equity:Opening-Balances
account Equity:Other:Air-drop-x-2026-01-01-1
account Expenses:Fees:Trades

2025-12-31 * Opening balances
    ; time:2025-12-31T23:59:59.999Z
    Assets:Exchange:My-pit-2  5 "COIN-1INCH"
    Equity:Opening-Balances  -5 "COIN-1INCH"
    Assets:Exchange:My-pit-2  1000 USDT
    Equity:Opening-Balances  -1000 USDT
    Assets:Exchange:My-pit-2  1.25 ZZ
    Equity:Opening-Balances  -1.25 ZZ

2025-12-31 * Buy 1inch_usdt
    ; time:2025-12-31T23:59:59.999Z
    ; bills:2 1
    ; order:1
    Assets:Exchange:My-pit-2  2 "COIN-1INCH" @@ 200 USDT
    Assets:Exchange:My-pit-2  -200 USDT
    Assets:Exchange:My-pit-2  -0.02 "COIN-1INCH"
    Expenses:Fees:Trades  0.02 "COIN-1INCH"

2026-01-01 * Sell 1inch_usdt
    ; time:2026-01-01T00:00:00.000Z
    ; bills:3 4 5
    ; order:2
    Assets:Exchange:My-pit-2  -3 "COIN-1INCH" @@ 100 USDT
    Assets:Exchange:My-pit-2  100 USDT
    Assets:Exchange:My-pit-2  -0.5 ZZ
    Expenses:Fees:Trades  0.5 ZZ

2026-02-03 * Air drop x 2026-01-01 1
    ; time:2026-02-03T04:05:00.000Z
    ; bills:6
    Assets:Exchange:My-pit-2  0.000000000000000001 "COIN-T"
    Equity:Other:Air-drop-x-2026-01-01-1  -0.000000000000000001 "COIN-T"
`);
  });

  it('has days that begin in the zone of the profile', () => {
    const text = [
      ...hledgerJournal(TWO_YEARS, { profile: 'test', zone: 'Europe/Zurich', clock: wallClock('Europe/Zurich') }),
    ];
    expect(text.join('')).toContain('Days are in Europe/Zurich.');
    expect(text.join('')).toContain('2026-01-01 * Buy 1inch_usdt\n    ; time:2025-12-31T23:59:59.999Z\n');
  });

  it('of beancount has the same lines, with bills as links', () => {
    const text = [...beancountJournal(TWO_YEARS, { ...TEST, profile: 'my-pit 2' })].join('');
    expect(text).toContain('2025-12-31 commodity COIN-T\n  coin: "t"\n');
    expect(text).toContain('2025-12-31 open Equity:Opening-Balances\n');
    expect(text).toContain(`
2026-01-01 * "Sell 1inch_usdt" ^bill-3 ^bill-4 ^bill-5 ^order-2
  time: "2026-01-01T00:00:00.000Z"
  bills: "3 4 5"
  order: "2"
  Assets:Exchange:My-pit-2  -3 COIN-1INCH @@ 100 USDT
  Assets:Exchange:My-pit-2  100 USDT
  Assets:Exchange:My-pit-2  -0.5 ZZ
  Expenses:Fees:Trades  0.5 ZZ
`);
  });

  it.skipIf(!requires('hledger'))(
    'with odd coins, texts of the exchange and several years is accepted by hledger',
    () => {
      expect(hledgerBalances(hledgerJournal(TWO_YEARS, TEST))).toEqual({
        ...{ 'COIN-1INCH': '3.98', 'COIN-T': '0.000000000000000001', USDT: '900', ZZ: '0.75' },
      });
    },
  );

  it.skipIf(!requires('bean-check'))(
    'with odd coins, texts and several years is accepted by beancount, and a wrong digit is not',
    () => {
      const claim = (coin: string, amount: string) => new Map([[coin, Decimal.of(amount)]]);
      const text = [...beancountJournal(TWO_YEARS, TEST)];
      expect(beancountSays(text, claim('t', '0.000000000000000001'))).toBe('');
      expect(beancountSays(text, claim('1inch', '3.98'))).toBe('');
      expect(beancountSays(text, claim('1inch', '3.980000000000000001'))).toContain('Balance failed');
    },
  );

  it('as rows has what was sent, received and paid of each event', () => {
    expect([...eventCsv(TWO_YEARS, TEST)].join('').split('\n').slice(0, 7)).toEqual([
      'time,date,type,sentAmount,sentCoin,receivedAmount,receivedCoin,feeAmount,feeCoin,value,feeValue,valuedIn,market,description,bills,order,record,hash,address,uncertain',
      '2025-12-31T23:59:59.999Z,2025-12-31,opening,,,5,1inch,,,,,,,Opening balances,,,,,,',
      '2025-12-31T23:59:59.999Z,2025-12-31,opening,,,1000,usdt,,,,,,,Opening balances,,,,,,',
      '2025-12-31T23:59:59.999Z,2025-12-31,opening,,,1.25,zz,,,,,,,Opening balances,,,,,,',
      '2025-12-31T23:59:59.999Z,2025-12-31,buy,200,usdt,2,1inch,0.02,1inch,,,,1inch_usdt,Buy 1inch_usdt,2;1,1,,,,',
      '2026-01-01T00:00:00.000Z,2026-01-01,sell,3,1inch,100,usdt,0.5,zz,,,,1inch_usdt,Sell 1inch_usdt,3;4;5,2,,,,',
      '2026-02-03T04:05:00.000Z,2026-02-03,other,,,0.000000000000000001,t,,,,,,,Air drop x 2026-01-01 1,6,,,,,',
    ]);
  });
});

it('rows have the day in the zone of the ledger', () => {
  const rows = TWO_YEARS.flatMap((entry) => eventRows(entry, wallClock('Europe/Zurich')));
  expect(rows.filter(({ type }) => type === 'buy').map(({ time, date }) => [time, date])).toEqual([
    ['2025-12-31T23:59:59.999Z', '2026-01-01'],
  ]);
});

describe('a ledger in one coin', () => {
  /** 1inch is worth 90 eurt, usdt 0.5, and zz 3; t has no price. */
  const prices: Readonly<Record<string, string>> = { '1inch': '90', usdt: '0.5', zz: '3' };
  const inEurt = TWO_YEARS.map((entry) => {
    const worth = worthOf(entry, 'eurt', (amount, coin) => {
      const price = prices[coin];
      return price === undefined ? undefined : amount.times(Decimal.of(price));
    });
    return { ...entry, worth };
  });

  it('gives both coins of a trade its value, a fee its share or its price, and anything else its price', () => {
    const text = [...hledgerJournal(inEurt, TEST)].join('');
    expect(text).toContain('commodity 1000.00 EURT\n');
    expect(text).toContain(`
    Assets:Exchange:Test  5 "COIN-1INCH" @@ 450 EURT
    Equity:Opening-Balances  -5 "COIN-1INCH" @@ 450 EURT
    Assets:Exchange:Test  1000 USDT @@ 500 EURT
    Equity:Opening-Balances  -1000 USDT @@ 500 EURT
`);
    // 200 usdt at 0.5; the fee is a hundredth of what was bought
    expect(text).toContain(`
    Assets:Exchange:Test  2 "COIN-1INCH" @@ 100 EURT
    Assets:Exchange:Test  -200 USDT @@ 100 EURT
    Assets:Exchange:Test  -0.02 "COIN-1INCH" @@ 1 EURT
    Expenses:Fees:Trades  0.02 "COIN-1INCH" @@ 1 EURT
`);
    expect(text).toContain('    Expenses:Fees:Trades  0.5 ZZ @@ 1.5 EURT\n');
  });

  it('leaves what has no price without a value, and names its coin', () => {
    const text = [...beancountJournal(inEurt, TEST)].join('');
    expect(text).toContain('  Assets:Exchange:Test  0.000000000000000001 COIN-T\n');
    expect(unpricedCoins(inEurt)).toEqual(['t']);
    expect(unpricedCoins(TWO_YEARS)).toEqual([]);
  });

  it('values a trade without a price by its quote coin, as without --in', () => {
    const unpriced = TWO_YEARS.map((entry) => ({ ...entry, worth: worthOf(entry, 'eurt', () => undefined) }));
    expect([...hledgerJournal(unpriced, TEST)].join('')).toBe([...hledgerJournal(TWO_YEARS, TEST)].join(''));
    expect(unpricedCoins(unpriced)).toEqual(['1inch', 't', 'usdt', 'zz']);
  });

  it('has the values of each event and of its fee in its row', () => {
    const cells = [...eventCsv(inEurt, TEST)].join('').trimEnd().split('\n');
    const values = cells.map((row) => row.split(',').slice(9, 12).join(' '));
    expect(values).toEqual([
      ...['value feeValue valuedIn', '450  eurt', '500  eurt', '3.75  eurt'],
      ...['100 1 eurt', '50 1.5 eurt', '  eurt'],
    ]);
  });

  it.skipIf(!requires('hledger'))('sums up in hledger at cost, as fees do here', () => {
    const file = written('in.journal', hledgerJournal(inEurt, TEST));
    const { status, output } = run('hledger', '--file', file, '--strict', 'balance', '^Expenses', '--cost');
    expect([status, output]).toEqual([0, expect.stringContaining('2.50 EURT')]);
  });
});

describe('what the bills leave open', () => {
  const at = '2026-01-01T00:00Z';

  it('is booked as unexplained: a bill without a record that is named like those of trades, and a coin of a trade without a bill', () => {
    const entries = ledger({
      orders: [
        order('1', 'btc_usdt', 'buy', {}),
        order('2', 'eth_usdt', 'buy', { filled: '7', filledValue: '300', time: Date.parse(at) }),
      ],
      bills: bills(`${at} usdt -200 Trade, ${at} btc 2 Trade, ${at} xrp 9 Trade, 2026-01-02T00:00Z usdt -300 Trade`, {
        usdt: '500',
      }),
    });
    const shown = entries.map(({ kind, trade, changes }) => [
      kind,
      trade?.quote.hasBill,
      changes.map(({ coin }) => coin),
    ]);
    expect(shown).toEqual([
      ['opening', undefined, ['usdt']],
      ['buy', true, []],
      ['unexplained', undefined, ['xrp']],
      ['buy', undefined, ['usdt']],
    ]);
    const text = [...hledgerJournal(entries, TEST)].join('');
    expect(text).toContain('    Equity:Unexplained  -9 XRP\n');
    expect(text).toContain('* Part of a buy\n');
    expect(text).toContain('    Equity:Unexplained  300 USDT\n');
  });

  it('is named: an opening balance that no bill shows, and what the account has beyond its bills', () => {
    const coin = (name: string, available: string) => ({ coin: name, available, frozen: '0.5' }) as never;
    const listed = bills(`${at} btc 2, ${at} eth 1`, { btc: '1' }).map((bill) =>
      bill.coin === 'eth' ? { ...bill, balance: null } : bill,
    );
    const held = [coin('btc', '2.5'), coin('eth', '3.5'), coin('xrp', '6.5')];
    const found = openingBalances(listed, held, held);
    const named = (changes: readonly { coin: string; amount: Decimal }[]) =>
      changes.map((change) => `${change.amount.trimmed()} ${change.coin}`);
    expect([named(found.balances), found.unknown, named(found.missing)]).toEqual([
      ['1 btc', '7 xrp'],
      ['eth'],
      ['3 eth'],
    ]);
    const traded = [coin('btc', '1'), coin('eth', '1'), coin('xrp', '6.5')];
    expect(openingBalances(listed, traded, held).missing).toEqual([]);
  });
});
