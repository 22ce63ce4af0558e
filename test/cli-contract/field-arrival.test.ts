import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { commands } from '../../src/commands/index.js';
import { schemasOf } from '../../src/commands/schemas.js';
import { PitHome } from '../commands/pit-home.js';
import { type Answer, type DocumentExchange, startDocumentExchange } from '../support/document-exchange.js';
import { temporaryHome } from '../support/pit.js';
import { answersIn, ORDER_ID, RUNS, sentIn, shownIn } from './field-answers.js';
import { claimsOf } from './interface-fields.js';

const schemas = await schemasOf('', commands);
const answers: Record<string, Answer> = {};
const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
let exchange: DocumentExchange;
let pit: PitHome;

beforeAll(async () => {
  exchange = await startDocumentExchange(answers);
  // heartbeats are answered, and nothing is pushed: a channel shows what HTTP shows
  sockets.on('connection', (socket) => socket.on('message', (data) => String(data) === 'ping' && socket.send('pong')));
  pit = await newHome();
});

/** A home whose profile is the exchange. */
async function newHome(): Promise<PitHome> {
  const home = new PitHome(temporaryHome());
  const { url, environment } = exchange;
  const streams = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
  await home.done(`profile add own --base-url ${url} --trade-url ${url} --ws-url ${streams}`);
  await home.done('keys set --profile own --stdin', {
    input: `${environment.PIT_ACCESS_KEY}\n${environment.PIT_SECRET_KEY}\n`,
  });
  await home.done('profile use own');
  return home;
}

afterAll(async () => {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  await exchange.close();
});

const side = (run: number) => shownIn(run, 'getOrders', 'type', 'side');

interface Read {
  readonly command: string;
  readonly words: string;
  /** Default: all. */
  readonly runs?: readonly number[];
}

/** Reads, each in all runs or in some. */
const READS: readonly Read[] = [
  { command: 'markets', words: '' },
  { command: 'ticker', words: '' },
  { command: 'ticker', words: 'zec_eur' },
  { command: 'depth', words: 'zec_eur' },
  { command: 'trades', words: 'zec_eur' },
  { command: 'kline', words: 'zec_eur' },
  { command: 'account', words: '' },
  { command: 'balance', words: '' },
  { command: 'bills', words: '' },
  { command: 'address', words: 'zec' },
  { command: 'address', words: 'zec --single' },
  { command: 'address', words: 'zec --withdraw' },
  { command: 'deposits', words: 'zec' },
  { command: 'withdrawals', words: 'zec' },
  { command: 'fees', words: 'zec' },
  { command: 'order show', words: `zec_eur ${ORDER_ID}` },
  { command: 'orders', words: 'zec_eur --state all --side SIDE' },
  { command: 'fills', words: 'zec_eur' },
  { command: 'stream', words: 'ticker:zec_eur --count 1' },
  { command: 'stream', words: 'depth:zec_eur --count 1' },
  { command: 'stream', words: 'trades:zec_eur --count 1' },
  { command: 'stream', words: 'kline:zec_eur:1min --count 1' },
  { command: 'stream', words: 'balances --count 1' },
  // a stream shows open orders
  { command: 'stream', words: 'orders:zec_eur --count 1', runs: [0, 3] },
];

const ALL_RUNS = Array.from({ length: RUNS }, (_, run) => run);

const NEW = 'zec_eur 241.25 --at 240.25 --yes --override price-band';

interface Write {
  readonly command: string;
  readonly words: string;
  readonly input?: string;
  /** Answers that are not those of the first run. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** An answer to a cancellation that knows of a larger fill than the order itself. */
const cancelledWith = (operation: 'getOrder' | 'getOrders') => {
  const of = (name: string) => sentIn(0, operation, name);
  const filled = `"completeMonty":${sentIn(0, 'cancelOrder', 'completeMonty')},"completeAmount":${sentIn(0, 'cancelOrder', 'completeAmount')}`;
  return {
    cancelOrder: `{"code":1000,"message":{"des":${sentIn(0, 'cancelOrder', 'des')},"isSuc":true,"datas":{"amount":${of('total_amount')},"price":${of('price')},${filled}}}}`,
  };
};

/** The order with which a halt sells what the account holds, and that of a replacement. */
const sold = () => orderNow('149.5', '1.07', '"status":2,"type":4');
const replacement = () => orderNow('240.1', '6.75', '"status":0,"type":1');
/** The order that is replaced. */
const REPLACED_ID = '2022022248511515561';

function orderNow(price: string, amount: string, codes: string): string {
  return `{"id":"${ORDER_ID}","currency":"zec_eur","price":${price},"total_amount":${amount},"trade_amount":0,"trade_money":0,"trade_date":${Date.now()},${codes},"fees":"0","useXxFee":false}`;
}

/** Writes, each in the first run. */
const WRITES: readonly Write[] = [
  { command: 'order', words: `buy ${NEW}` },
  { command: 'cancel', words: `zec_eur ${ORDER_ID}`, answers: cancelledWith('getOrder') },
  {
    command: 'order replace',
    words: `zec_eur ${REPLACED_ID} --at 240.1 --yes --override price-band`,
    answers: {
      ...cancelledWith('getOrder'),
      getOrder: (given) => {
        const { getOrder } = answersIn(0);
        return given.get('id') !== REPLACED_ID || typeof getOrder !== 'function' ? replacement() : getOrder(given);
      },
    },
  },
  // an order that cannot be read has the terms of the answer
  { command: 'cancel', words: 'zec_eur 7 --timeout 3', answers: { getOrder: '{"code":1002,"message":"not now"}' } },
  {
    command: 'withdraw',
    words: 'zec 1 --to address-verified --confirm-address address-verified --safe-pwd-stdin',
    input: 'password1\n',
  },
  { command: 'order batch', words: 'buy zec_eur --file - --yes --override price-band', input: '240.25,241.25\n' },
  { command: 'halt', words: '--cancel --yes', answers: cancelledWith('getOrders') },
  {
    command: 'halt',
    words: '--flatten eur --yes',
    answers: { getOrder: sold, getOrders: (given) => (given.get('tradeType') === '0' ? `[${sold()}]` : '[]') },
  },
];

const proven = new Set<string>();

async function documentOf(command: string, words: string, input?: string): Promise<unknown> {
  const { stdout, stderr } = await pit.run(`${command} ${words} --json`.replace('  ', ' '), {
    ...(input === undefined ? {} : { input }),
  });
  expect({ stdout: stdout !== '', stderr: stdout === '' ? stderr : '' }).toEqual({ stdout: true, stderr: '' });
  return JSON.parse(stdout);
}

/** The claims of a command whose values a document shows, as it should in a run. */
function seenIn(run: number, command: string, document: unknown): string[] {
  return claimsOf(command, schemas[command] ?? {}).flatMap(({ field, operation, name }) => {
    const leaf = field.slice(field.lastIndexOf('.') + 1);
    const wanted = JSON.stringify(shownIn(run, operation, name, leaf));
    const isShown = valuesAt(document, field).some((value) => JSON.stringify(value) === wanted);
    return isShown ? [`${command} ${field} ${operation}.${name}`] : [];
  });
}

/** All values at a path such as `orders[].id`. */
function valuesAt(value: unknown, path: string): unknown[] {
  if (path === '') return [value];
  const [, step = '', rest = ''] = /^(\[\]|[^.[]+)\.?(.*)$/.exec(path) ?? [];
  if (step === '[]') return Array.isArray(value) ? value.flatMap((one) => valuesAt(one, rest)) : [];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return [];
  return valuesAt(Reflect.get(value, step), rest);
}

describe('a value of its own for each field of each answer', () => {
  it.each(READS)('arrives where the schema of pit $command says: $words', async ({ command, words, runs }) => {
    const seen: string[][] = [];
    for (const run of runs ?? ALL_RUNS) {
      Object.assign(answers, answersIn(run));
      seen.push(seenIn(run, command, await documentOf(command, words.replace('SIDE', String(side(run))))));
    }
    const [first = [], ...others] = seen;
    const always = first.filter((claim) => others.every((one) => one.includes(claim)));
    expect(always).not.toEqual([]);
    for (const claim of always) proven.add(claim);
  });

  it.each(WRITES)('arrives where the schema of pit $command says: $words', async (write) => {
    const { command, words, input } = write;
    // the order of one would be another order to the next
    pit = await newHome();
    exchange.reopen();
    Object.assign(answers, answersIn(0), write.answers);
    const document = await documentOf(command, words, input);
    const seen = seenIn(0, command, document);
    expect({ seen: seen.length > 0, document }).toEqual({ seen: true, document });
    for (const claim of seen) proven.add(claim);
  });

  it('is all that the schemas say they carry', () => {
    const claims = Object.entries(schemas).flatMap(([command, schema]) =>
      claimsOf(command, schema).map(({ field, operation, name }) => `${command} ${field} ${operation}.${name}`),
    );
    expect(claims.filter((claim) => !proven.has(claim))).toEqual([]);
    expect(exchange.broken).toEqual([]);
  });
});

/** A line for each signed operation that wraps its answer. */
const WRAPPED: readonly { readonly operation: string; readonly line: string; readonly input?: string }[] = [
  { operation: 'getSpotBills', line: 'bills' },
  { operation: 'getUserAddress', line: 'address zec --single' },
  { operation: 'getPayinAddress', line: 'address zec' },
  { operation: 'getWithdrawAddress', line: 'address zec --withdraw' },
  { operation: 'getWithdrawRecord', line: 'withdrawals zec' },
  { operation: 'getChargeRecord', line: 'deposits zec' },
  { operation: 'getFeeInfo', line: 'fees zec' },
  {
    operation: 'withdraw',
    line: 'withdraw zec 1 --to address-verified --confirm-address address-verified --safe-pwd-stdin',
    input: 'password1\n',
  },
  { operation: 'order', line: `order buy ${NEW}` },
  {
    operation: 'orderMoreV2',
    line: 'order batch buy zec_eur --file - --yes --override price-band',
    input: '240.25,241.25\n',
  },
  { operation: 'cancelOrder', line: 'cancel zec_eur 9' },
  { operation: 'cancelAllOrdersAfter', line: 'cancel-after zec_eur --yes' },
];

/** What could stand in for an answer that is refused. */
const SHOWS_NOTHING = {
  getOrder: '{"code":3001,"message":"no such order"}',
  getOrders: '[]',
  getUserAddress: '{"code":2018,"message":"no address"}',
};

const DETAILED = /^(getUserAddress|getPayinAddress|getWithdrawAddress|getWithdrawRecord|getChargeRecord|cancelOrder)$/;

describe('fields that no field of the output carries', () => {
  beforeAll(async () => {
    pit = await newHome();
  });

  it.each(WRAPPED)(
    'code and message of a refused $operation arrive in the error',
    async ({ operation, line, input }) => {
      const refusal = `{"code":2017,"message":"own words of ${operation}"}`;
      Object.assign(answers, answersIn(0), SHOWS_NOTHING, { [operation]: refusal });
      const failure = await pit.failure(line, 3, input === undefined ? {} : { input });
      expect(failure).toMatchObject({ code: 2017, message: expect.stringContaining(`own words of ${operation}`) });
    },
  );

  it.each(WRAPPED.filter(({ operation }) => DETAILED.test(operation)))(
    'des of $operation arrives in the error if isSuc is false',
    async ({ operation, line, input }) => {
      const body = `{"code":1000,"message":{"des":"own words of ${operation}","isSuc":false,"datas":null}}`;
      Object.assign(answers, answersIn(0), SHOWS_NOTHING, { [operation]: body });
      const failure = await pit.failure(line, 3, input === undefined ? {} : { input });
      expect(failure.message).toContain(`own words of ${operation}`);
    },
  );

  it.each([
    ['withdrawals zec', '1 of 37 withdrawals, page 1 of 4. Use --page 2 or --all for older ones.\n'],
    ['deposits zec', '1 of 29 deposits. Use --page 2 or --all for older ones.\n'],
  ])('the counts of a list of records are in the warning that it ends early: %s', async (line, extent) => {
    Object.assign(answers, answersIn(0));
    expect((await pit.run(line)).stderr).toBe(`Warning: This list ends after one page: ${extent}`);
  });

  it.each([
    ['withdrawals zec --all', 'The exchange counts 37 withdrawals, but lists 1.'],
    ['deposits zec --all', 'The exchange counts 29 deposits, but lists 1.'],
  ])('a list that is shorter than its count is warned of: %s', async (line, warning) => {
    Object.assign(answers, answersIn(0));
    expect((await pit.run(line)).stderr).toContain(warning);
  });

  it('moneyType and symbol are compared with the market, may be missing, and pit api prints them', async () => {
    Object.assign(answers, answersIn(0));
    expect((await pit.run('kline zec_eur')).stderr).toBe('');
    expect(await pit.json('api kline market=zec_eur type=1min')).toMatchObject({ moneyType: 'EUR', symbol: 'ZEC' });
    answers.kline = String(answers.kline).replace('"ZEC"', '"LTC"');
    const { code, stderr } = await pit.run('kline zec_eur');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/asked for candles of zec_eur, and the answer names the coins LTC and EUR/),
    });
    answers.kline = '{"data":[[1648461600000,1,1,1,1,1]]}';
    expect(await pit.run('kline zec_eur')).toMatchObject({ code: 0, stderr: '' });
  });

  it('a side of a trade that contradicts the side of its order is warned of once', async () => {
    Object.assign(answers, answersIn(2));
    const { code, stderr } = await pit.run('trades zec_eur --json');
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /contradicts itself on the side of a trade in zec_eur: 1234567890123456789 is a buy by its type/,
      ),
    ]);
  });
});

describe('tables', () => {
  it('say that a fee was paid with the discount coin, and nothing of it otherwise', async () => {
    const show = (run: number) => {
      Object.assign(answers, answersIn(run));
      return pit.done(`order show zec_eur ${ORDER_ID}`);
    };
    expect(await show(1)).toMatch(/^fee coin +the platform's own discount coin$/m);
    expect(await show(2)).not.toContain('fee coin');
  });

  it("have a withdrawal's processing time and the merchant's number", async () => {
    Object.assign(answers, answersIn(0));
    const [header = '', row = ''] = (await pit.done('withdrawals zec')).split('\n');
    expect(header).toMatch(/processed .*merchant order/);
    expect(row).toMatch(/2022-03-28 10:00:05 .*merchant-1/);
  });
});
