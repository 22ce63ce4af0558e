import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OperationName, operations } from '../../src/exchange/operations/index.js';
import { readResponse, UnexpectedResponse } from '../../src/exchange/requests/response.js';
import { changed, fieldsOf } from '../operations/answer-fields.js';
import { ADDRESS, ORDER } from '../operations/example.js';
import { EXAMPLES, NAMES } from '../operations/index.js';
import { DOCUMENTED, startDocumentExchange } from '../support/document-exchange.js';
import { runPit, temporaryHome } from '../support/pit.js';

/** Fields that a market is not used without; the others are. */
const OF_A_MARKET = {
  '*': 'the rules themselves',
  '*.priceScale': 'a price is rounded to it',
  '*.amountScale': 'an amount is rounded to it',
  '*.minAmount': 'the smallest amount of an order',
  '*.minSize': 'the smallest value of an order',
};

const WITHDRAW = `withdraw btc 0.1 --to ${ADDRESS} --dry-run`;

/** Command lines that use an answer for more than to show it. */
const ALSO: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  getAccountInfo: ['balance --in usdt', WITHDRAW],
  getSpotBills: ['bills usdt --from 2022-03-28 --to 2022-03-29'],
  getPayinAddress: [WITHDRAW],
  getWithdrawAddress: [WITHDRAW],
  getFeeInfo: ['address btc --single'],
};

/** Operations whose answer a command line shows without a field; candles may be asked once a second, and markets have a test below. */
const SHOWN = DOCUMENTED.filter((name) => EXAMPLES[name].lines.length > 0 && !['kline', 'markets'].includes(name));

function answerTo(name: OperationName) {
  return parse(EXAMPLES[name].answer);
}

function namesIn(name: OperationName): string[] {
  return fieldsOf(answerTo(name)).map(({ field }) => field);
}

function without(name: OperationName, field: string, how: 'missing' | 'null'): string {
  return stringify(changed(answerTo(name), field, how)) ?? '';
}

function isUnused(name: OperationName, body: string): boolean {
  try {
    readResponse(name, body);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(UnexpectedResponse);
    return true;
  }
}

/** The name of an object's member is data: without it there is one fewer. */
const isEntry = (field: string) => field.endsWith('*');

describe('the fields of each answer', () => {
  it.each(NAMES)(
    '%s is used without each field that decides nothing about money, and not without the others',
    (name) => {
      const fields = namesIn(name);
      const unused = (how: 'missing' | 'null') => fields.filter((field) => isUnused(name, without(name, field, how)));
      const required = Object.keys(EXAMPLES[name].required).toSorted();
      expect({ missing: unused('missing').toSorted(), null: unused('null').toSorted() }).toEqual({
        missing: required.filter((field) => !isEntry(field)),
        null: required,
      });
    },
  );

  // so that a command that shows an answer without a field shows one with null there
  it.each(SHOWN)('%s is read without a field as with null there', (name) => {
    const needed = EXAMPLES[name].required;
    const optional = namesIn(name).filter((field) => !(field in needed) && !isEntry(field));
    const read = (field: string, how: 'missing' | 'null') => readResponse(name, without(name, field, how));
    expect(optional.filter((field) => !isDeepStrictEqual(read(field, 'missing'), read(field, 'null')))).toEqual([]);
  });

  it('describes every operation of the interface', () => {
    expect(DOCUMENTED.toSorted()).toEqual(
      Object.keys(operations)
        .filter((name) => name !== 'getOrders')
        .toSorted(),
    );
  });
});

describe.each(SHOWN)('%s', (name) => {
  const needed = EXAMPLES[name].required;
  const optional = namesIn(name).filter((field) => !(field in needed));

  it.each([...EXAMPLES[name].lines, ...(ALSO[name] ?? [])])(
    `is shown by pit %s without each field that may be missing`,
    async (line) => {
      let body: string | undefined;
      const exchange = startDocumentExchange({ [name]: () => body ?? EXAMPLES[name].answer });
      onTestFinished(() => exchange.close());
      const { environment } = exchange;
      const broken: unknown[] = [];
      for (const field of optional)
        for (const how of isEntry(field) ? (['missing', 'null'] as const) : (['missing'] as const)) {
          body = without(name, field, how);
          const home = temporaryHome();
          const { code, stderr } = await runPit([...line.split(' '), '--json'], { home, environment });
          if (code !== 0 && !isHonest(line, field, stderr)) broken.push({ field, how, code, stderr });
          const table = await runPit(line.split(' '), { home, environment });
          if (/undefined|NaN|\bnull\b/.test(table.stdout)) broken.push({ field, how, shown: table.stdout });
        }
      expect(broken).toEqual([]);
    },
  );
});

describe('markets', () => {
  it.each(Object.keys(OF_A_MARKET))('leaves out, by name, a market without %s', async (field) => {
    const other = '"eth_usdt":{"amountScale":4,"minAmount":0.001,"minSize":5,"priceScale":2}';
    const exchange = startDocumentExchange({
      markets: without('markets', field, 'null').replace(/}$/, `,${other}}`),
      allTicker: '{}',
    });
    onTestFinished(() => exchange.close());
    const { environment } = exchange;
    for (const line of ['markets', 'ticker']) {
      const { code, stdout, stderr } = await runPit([line, '--json'], { home: temporaryHome(), environment });
      expect([code, JSON.parse(stdout).map((row: { market: string }) => row.market)]).toEqual([9, ['eth_usdt']]);
      expect(stderr).toMatch(/btc_usdt.* has rules that cannot be read/);
    }
    const { code, stderr } = await runPit(['order', 'buy', 'btc_usdt', '1', '--at', '1', '--yes'], {
      ...{ home: temporaryHome(), environment },
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The market btc_usdt has rules that cannot be read/)]);
    const cancelled = await runPit(['cancel', 'btc_usdt', ORDER.id], { home: temporaryHome(), environment });
    expect(cancelled.code).toBe(0);
  });
});

/** An address, and what a withdrawal costs, have no other place: the command says that it is not there. */
function isHonest(line: string, field: string, stderr: string): boolean {
  if (line === WITHDRAW && field === 'result.*[].fee')
    return /does not say what a withdrawal of btc over BTC costs/.test(stderr);
  return /^message\.datas(\.key)?$/.test(field) && /The exchange has no .*address for btc/.test(stderr);
}
