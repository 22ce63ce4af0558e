import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OperationName, operations } from '../../src/exchange/operations/index.js';
import { readResponse, UnexpectedResponse } from '../../src/exchange/requests/response.js';
import { ADDRESS, DOCUMENTED, ORDER, shownAnswer, startDocumentExchange } from '../support/document-exchange.js';
import { runPit, temporaryHome } from '../support/pit.js';

/** Fields that an answer is not used without, with the reason. `[]` stands for each entry of a list, `*` for each name of an object. */
const REQUIRED: Readonly<Partial<Record<OperationName, Readonly<Record<string, string>>>>> = {
  depth: { asks: 'prices and amounts of orders', bids: 'prices and amounts of orders' },
  ticker: { ticker: 'the prices themselves' },
  trades: {
    '[].date': 'when a price was reached decides about trailing stops',
    '[].price': 'a price',
    '[].amount': 'an amount',
    '[].tid': 'identifies the trade: pages and gaps are read by it',
  },
  kline: { data: 'the prices themselves' },
  getAccountInfo: {
    result: 'the balances themselves',
    'result.coins': 'the balances themselves',
    'result.coins[].key': 'identifies the coin',
    'result.coins[].available': 'an amount',
    'result.coins[].freez': 'an amount',
  },
  getSpotBills: {
    code: 'shows the success',
    result: 'the bills themselves',
    'result[].id': 'identifies the bill',
    'result[].currencyName': 'identifies the coin',
    'result[].changeAmount': 'an amount',
    'result[].date': 'decides to which range and trade the bill belongs',
  },
  getUserAddress: { code: 'shows the success', message: 'the address itself' },
  getWithdrawAddress: { code: 'shows the success', message: 'the address itself' },
  getPayinAddress: {
    code: 'shows the success',
    message: 'the addresses themselves',
    'message.datas[].isUseMemo': 'coins that are sent without their memo are lost',
  },
  getWithdrawRecord: {
    code: 'shows the success',
    message: 'the records themselves',
    'message.datas': 'the records themselves',
    'message.datas.list': 'the records themselves',
    'message.datas.list[].id': 'identifies the withdrawal',
    'message.datas.list[].amount': 'an amount; what became of a withdrawal is found out by it',
    'message.datas.list[].status': 'whether the coins have left',
    'message.datas.list[].submitTime': 'what became of a withdrawal is found out by it',
  },
  getChargeRecord: {
    code: 'shows the success',
    message: 'the records themselves',
    'message.datas': 'the records themselves',
    'message.datas.list': 'the records themselves',
    'message.datas.list[].id': 'identifies the deposit',
    'message.datas.list[].amount': 'an amount',
    'message.datas.list[].status': 'whether the coins have arrived',
  },
  getFeeInfo: { code: 'shows the success', result: 'the fees themselves', 'result.*': 'the fees themselves' },
  withdraw: { code: 'shows the success', id: 'identifies the withdrawal' },
  order: { code: 'shows the success', id: 'identifies the order' },
  orderMoreV2: { code: 'shows the success', data: 'identifies the orders' },
  cancelOrder: { code: 'shows the success' },
  cancelAllOrdersAfter: { code: 'shows the success' },
  getOrder: {
    id: 'identifies the order',
    currency: 'identifies the market',
    price: 'a price',
    total_amount: 'an amount',
    trade_amount: 'an amount',
    trade_money: 'an amount',
    trade_date: 'what became of an order is found out by it',
    status: 'whether the order is open',
    type: 'whether it buys or sells',
  },
};

/** Fields that a market is not used without; the others are. */
const OF_A_MARKET = {
  '*': 'the rules themselves',
  '*.priceScale': 'a price is rounded to it',
  '*.amountScale': 'an amount is rounded to it',
  '*.minAmount': 'the smallest amount of an order',
  '*.minSize': 'the smallest value of an order',
};

const WITHDRAW = `withdraw btc 0.1 --to ${ADDRESS} --dry-run`;

/**
 * The commands that show an answer. Those of writes would leave an outcome to find out, and those of candles may ask once a second.
 */
const SHOWN_BY: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  allTicker: ['ticker'],
  ticker: ['ticker btc_usdt'],
  depth: ['depth btc_usdt'],
  trades: ['trades btc_usdt'],
  getAccountInfo: ['account', 'balance', 'balance --in usdt', WITHDRAW],
  getSpotBills: ['bills', 'bills usdt --from 2022-03-28 --to 2022-03-29'],
  getUserAddress: ['address btc --single'],
  getPayinAddress: ['address btc', WITHDRAW],
  getWithdrawAddress: ['address btc --withdraw', WITHDRAW],
  getWithdrawRecord: ['withdrawals btc'],
  getChargeRecord: ['deposits btc'],
  getFeeInfo: ['fees btc', 'address btc --single'],
  getOrder: [`order show btc_usdt ${ORDER.id}`],
};

type Tree = { [name: string]: unknown };

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Names that are data, such as markets. */
const isData = (name: string) => /^(btc_usdt|BTC|USDT)$/.test(name);

/** Every field of an answer. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => fieldsOf(one, `${path}[]`)))];
  if (!isTree(value)) return [];
  const all = Object.entries(value).flatMap(([name, inner]) => {
    const field = `${path}${path === '' ? '' : '.'}${isData(name) ? '*' : name}`;
    return [field, ...fieldsOf(inner, field)];
  });
  return [...new Set(all)];
}

/** The answer without a field, or with null there. */
function changed(value: unknown, field: string, how: 'missing' | 'null', path = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => changed(one, field, how, `${path}[]`));
  if (!isTree(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const here = `${path}${path === '' ? '' : '.'}${isData(name) ? '*' : name}`;
    if (here !== field) return [[name, changed(inner, field, how, here)]];
    return how === 'missing' ? [] : [[name, null]];
  });
  return Object.fromEntries(entries);
}

const NAMES = DOCUMENTED as readonly OperationName[];

function answerTo(name: OperationName) {
  return parse(shownAnswer(name));
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
      const fields = fieldsOf(answerTo(name));
      const unused = (how: 'missing' | 'null') => fields.filter((field) => isUnused(name, without(name, field, how)));
      const required = Object.keys(REQUIRED[name] ?? {}).toSorted();
      expect({ missing: unused('missing').toSorted(), null: unused('null').toSorted() }).toEqual({
        missing: required.filter((field) => !isEntry(field)),
        null: required,
      });
    },
  );

  // so that a command that shows an answer without a field shows one with null there
  it.each(NAMES.filter((name) => name in SHOWN_BY))('%s is read without a field as with null there', (name) => {
    const needed = REQUIRED[name] ?? {};
    const optional = fieldsOf(answerTo(name)).filter((field) => !(field in needed) && !isEntry(field));
    const read = (field: string, how: 'missing' | 'null') => readResponse(name, without(name, field, how));
    expect(optional.filter((field) => !isDeepStrictEqual(read(field, 'missing'), read(field, 'null')))).toEqual([]);
  });

  it('describes every operation of the interface', () => {
    expect([...NAMES].toSorted()).toEqual(
      Object.keys(operations)
        .filter((name) => name !== 'getOrders')
        .toSorted(),
    );
  });
});

describe.each(Object.entries(SHOWN_BY) as [OperationName, readonly string[]][])('%s', (name, lines) => {
  const needed = REQUIRED[name] ?? {};
  const optional = fieldsOf(answerTo(name)).filter((field) => !(field in needed));

  it.each(lines)(`is shown by pit %s without each field that may be missing`, async (line) => {
    let body: string | undefined;
    const exchange = startDocumentExchange({ [name]: () => body ?? shownAnswer(name) });
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
  });
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
