import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { valueFields } from '../../src/cli/row-fields.js';
import { commands } from '../../src/commands/index.js';
import { schemasOf } from '../../src/commands/reference/schema.js';
import { isDocumented, type OperationName, operations } from '../../src/exchange/operations/index.js';
import { PitHome } from '../commands/pit-home.js';
import { ORDER } from '../operations/example.js';
import { EXAMPLES, NAMES } from '../operations/index.js';
import { answersIn, FIELDS, isShownIn, NOWHERE, READS, type Read, RUNS, sentIn } from '../operations/own-values.js';
import { pausesOnly } from '../support/command-clocks.js';
import { type Answer, type DocumentExchange, startDocumentExchange } from '../support/document-exchange.js';
import { linkHere, programHere } from '../support/in-process.js';
import { temporaryHome } from '../support/pit.js';
import { connectTo } from '../support/world/connected.js';

const schemas = await schemasOf('', commands);
const answers: Record<string, Answer> = {};
/** Has no port: what connects is brought together in this process. */
const streams = createServer();
const sockets = new WebSocketServer({ server: streams });
/** Where nothing listens. */
const STREAMS = 'ws://127.0.0.1:1';
const program = await programHere(linkHere(() => connectTo(streams)));
let exchange: DocumentExchange;
let pit: PitHome;

beforeAll(async () => {
  exchange = startDocumentExchange(answers);
  // heartbeats are answered, and nothing is pushed: a channel shows what HTTP shows
  sockets.on('connection', (socket) => socket.on('message', (data) => String(data) === 'ping' && socket.send('pong')));
});

/** A home whose profile is the exchange, whose order is open. */
async function newHome(): Promise<PitHome> {
  exchange.reopen();
  const home = new PitHome(temporaryHome());
  const { url, environment } = exchange;
  home.defaults = { program };
  await home.done(`profile add own --base-url ${url} --trade-url ${url} --ws-url ${STREAMS}`);
  await home.done('keys set --profile own --stdin', {
    input: `${environment.PIT_ACCESS_KEY}\n${environment.PIT_SECRET_KEY}\n`,
  });
  await home.done('profile use own');
  return home;
}

afterAll(() => {
  for (const socket of sockets.clients) socket.terminate();
  exchange.close();
});

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
  return `{"id":"${ORDER.id}","currency":"zec_eur","price":${price},"total_amount":${amount},"trade_amount":0,"trade_money":0,"trade_date":${Date.now()},${codes},"fees":"0","useXxFee":false}`;
}

/** Writes, each in the first run. */
const WRITES: readonly Write[] = [
  { command: 'order', words: `buy ${NEW}` },
  { command: 'cancel', words: `zec_eur ${ORDER.id}`, answers: cancelledWith('getOrder') },
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

/** Where each field was seen to arrive: `OPERATION.FIELD`, and the fields of the output, each `COMMAND FIELD`. */
const arrived = new Map<string, Set<string>>();

/** Runs a command line, and returns its document and the operations that it called. */
async function documentOf(command: string, words: string, input?: string) {
  const before = exchange.requests.length;
  const { stdout, stderr } = await pit.run(`${command} ${words} --json`.replace('  ', ' '), {
    ...(input === undefined ? {} : { input }),
    host: pausesOnly(),
  });
  expect({ stdout: stdout !== '', stderr: stdout === '' ? stderr : '' }).toEqual({ stdout: true, stderr: '' });
  const called = exchange.requests.slice(before).map((url) => url.replace(/\?.*/, '').replace(/.*\//, ''));
  return { document: JSON.parse(stdout) as unknown, called: new Set(called.filter(isDocumented)) };
}

/** Each field of an operation's answer with each place of a document that shows its value of a run. */
function seenIn(run: number, operation: OperationName, document: unknown): string[] {
  return Object.keys(FIELDS[operation]).flatMap((name) =>
    placesIn(document).flatMap(([place, value]) => {
      const leaf = place.slice(place.lastIndexOf('.') + 1);
      return isShownIn(run, operation, name, leaf, value) ? [`${operation}.${name} ${place}`] : [];
    }),
  );
}

/** Every value of a document with its place, such as `orders[].id`. */
function placesIn(value: unknown, place = ''): [place: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[place, value]];
  const inner = Array.isArray(value)
    ? value.flatMap((one) => placesIn(one, `${place}[]`))
    : Object.entries(value).flatMap(([name, one]) => placesIn(one, place === '' ? name : `${place}.${name}`));
  return [[place, value], ...inner];
}

function noteArrival({ command, words }: Pick<Read, 'command' | 'words'>, seen: readonly string[]): void {
  for (const one of new Set(seen)) {
    const [field = '', place = ''] = one.split(' ');
    const places = arrived.get(field) ?? new Set();
    arrived.set(field, places.add(`${command} ${place.replace(/^\[\]\./, '')}`));
    if (isFromExchange(field, words)) requireMark(command, place);
  }
}

/** Texts of the exchange in fields of the output that are not marked as such. */
const unmarked: string[] = [];

/** Whether a text was sent that the user has not typed. */
function isFromExchange(field: string, words: string): boolean {
  const sent = sentOf(field);
  return sent.startsWith('"') && !words.split(' ').includes(JSON.parse(sent.toLowerCase()));
}

/** A free text has to be marked. */
function requireMark(command: string, place: string): void {
  const marks = valueFields(schemas[command] ?? {}).flatMap(([path, { type, pattern, enum: words, fromOutside }]) => {
    const isFree = [type].flat().includes('string') && pattern === undefined && words === undefined;
    return path === place && isFree ? [fromOutside === true] : [];
  });
  if (marks.includes(false)) unmarked.push(`${command} ${place}`);
}

/** The fields that the document of a read shows in each of its runs, with their places. */
async function seenInReads({ command, words, runs = ALL_RUNS }: Read): Promise<string[]> {
  const documents: unknown[] = [];
  const operationsCalled = new Set<OperationName>();
  for (const run of runs) {
    Object.assign(answers, answersIn(run));
    const { document, called } = await documentOf(command, words);
    documents.push(document);
    for (const name of called) operationsCalled.add(name);
  }
  return [...operationsCalled].flatMap((operation) => {
    const [first = [], ...others] = documents.map((document, at) => seenIn(runs[at] ?? 0, operation, document));
    return first.filter((one) => others.every((other) => other.includes(one)));
  });
}

/** The fields that the document of a write shows, with their places. */
async function seenInWrite(write: Write): Promise<string[]> {
  // the order of one would be another order to the next
  pit = await newHome();
  Object.assign(answers, answersIn(0), write.answers);
  const { document, called } = await documentOf(write.command, write.words, write.input);
  // in one run, a yes or no, and a code, are those of many fields
  const isOwn = (one: string) => !/^(true|false|\d)$/.test(sentOf(one));
  return [...called].flatMap((operation) => seenIn(0, operation, document)).filter(isOwn);
}

describe('a value of its own for each field of each answer', () => {
  const seen = new Map<Read | Write, PromiseSettledResult<string[]>>();
  /** What of the requests of these lines was not as the interface has it. */
  let broken: readonly string[] = [];

  beforeAll(async () => {
    pit = await newHome();
    const brokenBefore = exchange.broken.length;
    const lines = [
      ...READS.map((read) => [read, () => seenInReads(read)] as const),
      ...WRITES.map((write) => [write, () => seenInWrite(write)] as const),
    ];
    for (const [line, run] of lines) {
      const [result] = await Promise.allSettled([run()]);
      seen.set(line, result);
      if (result.status === 'fulfilled') noteArrival(line, result.value);
    }
    broken = exchange.broken.slice(brokenBefore);
  });

  it.each([...READS, ...WRITES])('arrives in the document of pit $command: $words', (line) => {
    expect(seen.get(line)).toEqual({ status: 'fulfilled', value: expect.arrayContaining([expect.any(String)]) });
  });

  it('is seen in the output, or has a reason to be nowhere', () => {
    const nowhere = rows().filter(({ places, reason }) => places.length === 0 && reason === undefined);
    expect(nowhere.map(({ operation, field }) => `${operation}.${field}`)).toEqual([]);
    expect(broken).toEqual([]);
  });

  it('is seen where the table says that it is (npm test -- test/cli-contract -u)', async () => {
    await expect(drawn()).toMatchFileSnapshot(path.join(import.meta.dirname, 'interface-fields.md'));
  });

  it('is in a field that is marked as text from outside, if it is a text', () => {
    expect([...new Set(unmarked)]).toEqual([]);
  });

  it.each(NAMES)('of %s belongs to one field of its answer', (operation) => {
    const sent = Object.values(FIELDS[operation]).map((value) => JSON.stringify(value.sent));
    expect(sent.filter((one, index) => sent.indexOf(one) !== index)).toEqual([]);
    const given = Object.keys(EXAMPLES[operation].own ?? {});
    expect(given.filter((name) => !Object.hasOwn(FIELDS[operation], name))).toEqual([]);
  });

  it('is sent for every field that the operations describe', () => {
    const missing = Object.entries(operations).flatMap(([operation, { result }]) =>
      namesIn(result).flatMap((name) => (sentNames(operation).includes(name) ? [] : [`${operation}.${name}`])),
    );
    expect(missing).toEqual([]);
  });
});

function sentOf(seen: string): string {
  const [operation = '', name = ''] = seen.replace(/ .*/, '').split('.');
  return isDocumented(operation) ? sentIn(0, operation, name) : '';
}

/** Every field of every answer, with its places in the output or the reason why it has none. */
function rows() {
  return Object.keys(operations).flatMap((operation) =>
    sentNames(operation).map((field) => {
      const name = `${operation}.${field}`;
      return { operation, field, places: [...(arrived.get(name) ?? [])], reason: NOWHERE[name] ?? NOWHERE[field] };
    }),
  );
}

function drawn(): string {
  const lines = rows().map(
    ({ operation, field, places, reason }) => `| ${operation} | ${field} | ${places.join(', ') || reason} |`,
  );
  return [
    '# Where each field of the interface appears',
    '',
    'Written by `npm test -- test/cli-contract -u` from what `field-arrival.test.ts` has seen: each field of each answer has a value of',
    'its own, and a dotted name is a field of the `--json` of a command that showed it.',
    '',
    '| operation | field | in the output of pit |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** The names of the fields in the body of an answer, without those that are data: markets and coins. */
function sentNames(operation: string): string[] {
  const answer = isDocumented(operation) ? answersIn(0)[operation] : '{}';
  const given = new URLSearchParams({ id: ORDER.id, tradeType: '1', pageIndex: '1' });
  const names = (typeof answer === 'string' ? answer : answer(given)).matchAll(/"(\w+)":/g);
  return [...new Set([...names].map(([, name = '']) => name))].filter((name) => !['zec_eur', 'ZEC'].includes(name));
}

interface Described {
  readonly entries?: Readonly<Record<string, object>>;
  readonly item?: object;
  readonly value?: object;
  readonly wrapped?: object;
  readonly pipe?: readonly object[];
}

/** The names of the fields that the description of an answer has. */
function namesIn(schema: object): string[] {
  const { entries = {}, item, value, wrapped, pipe = [] } = schema as Described;
  const inner = [item, value, wrapped, ...pipe].filter((one) => one !== undefined && one !== schema);
  return [
    ...Object.entries(entries).flatMap(([name, one]) => [name, ...namesIn(one)]),
    ...inner.flatMap((one) => namesIn(one as object)),
  ];
}

/** The operations whose answer has a code and words of its own. */
const wraps = (operation: OperationName) => namesIn(operations[operation].result).includes('code');

/** A line for each operation that wraps its answer. */
const WRAPPED: readonly { readonly operation: OperationName; readonly line: string; readonly input?: string }[] = [
  ...READS.filter(({ operation }) => wraps(operation)).map(({ operation, command, words }) => ({
    operation,
    line: `${command} ${words}`.trim(),
  })),
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

/** The answer of the first run to a request for the first page of a list, and no rows on any other. */
function endsAfterPage(operation: 'getWithdrawRecord' | 'getChargeRecord'): Record<string, Answer> {
  const first = String(answersIn(0)[operation]);
  const later = first.replace(/"list":\[.*\],"pageIndex"/, '"list":[],"pageIndex"');
  return { [operation]: (given) => (given.get('pageIndex') === '1' ? first : later) };
}

describe('fields that no field of the output carries', () => {
  beforeAll(async () => {
    pit = await newHome();
  });

  it('code and message are tried for each operation that has them', () => {
    const tried = WRAPPED.map(({ operation }) => operation);
    const names = Object.keys(operations) as OperationName[];
    expect(names.filter((name) => wraps(name) && !tried.includes(name))).toEqual([]);
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

  it.each(WRAPPED.filter(({ operation }) => namesIn(operations[operation].result).includes('isSuc')))(
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
    Object.assign(answers, answersIn(0), endsAfterPage('getWithdrawRecord'), endsAfterPage('getChargeRecord'));
    expect((await pit.run(line)).stderr).toContain(warning);
  });

  it('moneyType and symbol are compared with the market, may be missing, and pit api prints them', async () => {
    Object.assign(answers, answersIn(0));
    // candles are limited to one request a second
    const kline = () => pit.run('kline zec_eur', { host: pausesOnly() });
    expect((await kline()).stderr).toBe('');
    expect(await pit.json('api kline market=zec_eur type=1min', { host: pausesOnly() })).toMatchObject({
      moneyType: 'EUR',
      symbol: 'ZEC',
    });
    answers.kline = String(answers.kline).replace('"ZEC"', '"LTC"');
    const { code, stderr } = await kline();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/asked for candles of zec_eur, and the answer names the coins LTC and EUR/),
    });
    answers.kline = '{"data":[[1648461600000,1,1,1,1,1]]}';
    expect(await kline()).toMatchObject({ code: 0, stderr: '' });
  });

  it('a side of a trade that contradicts the side of its order is warned of once', async () => {
    Object.assign(answers, answersIn(2));
    const { code, stderr } = await pit.run('trades zec_eur --json');
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/contradicts itself on the side of a trade in zec_eur: \d+ is a buy by its type/),
    ]);
  });
});

describe('tables', () => {
  beforeAll(async () => {
    pit = await newHome();
  });

  it('say that a fee was paid with the discount coin, and nothing of it otherwise', async () => {
    const show = (run: number) => {
      Object.assign(answers, answersIn(run));
      return pit.done(`order show zec_eur ${ORDER.id}`);
    };
    expect(await show(1)).toMatch(/^fee coin +the platform's own discount coin$/m);
    expect(await show(2)).not.toContain('fee coin');
  });

  it("have a withdrawal's processing time and the merchant's number", async () => {
    Object.assign(answers, answersIn(0));
    const [header = '', row = ''] = (await pit.done('withdrawals zec')).split('\n');
    expect(header).toMatch(/processed .*merchant order/);
    expect(row).toMatch(/2022-03-28 [\d:]+ .*2022-03-28 [\d:]+ .*getWithdrawRecord-merchantOrderNo/);
  });
});
