import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { ADDRESS, BATCH_IDS, CLIENT_ID, ORDER, PLACED_ID } from '../operations/example.js';
import { EXAMPLES as OPERATIONS } from '../operations/index.js';
import { pausesOnly } from '../support/command-clocks.js';
import { DOCUMENTED, startDocumentExchange } from '../support/document-exchange.js';
import { eventually } from '../support/eventually.js';
import { type Ran, runPit, temporaryHome } from '../support/pit.js';
import { testWorld } from '../support/world/world.js';
import { TestClient } from './mcp/client.js';
import { PitHome } from './pit-home.js';

const TERMS = `btc_usdt ${ORDER.amount} --at ${ORDER.price}`;

/** Command lines that the document is enough for, with what they print. */
const WORKS: readonly (readonly [line: string, printed: unknown])[] = [
  ['markets', [expect.objectContaining({ market: 'btc_usdt', tickSize: '0.01', minNotional: '5' })]],
  ['ticker', [expect.objectContaining({ market: 'btc_usdt', last: '31000.5' })]],
  ['ticker btc_usdt', [expect.objectContaining({ bid: '31000.30', time: '2022-03-28T10:00:00.123Z' })]],
  [
    'depth btc_usdt',
    expect.objectContaining({
      bids: [
        { price: '31000.3', amount: '0.25' },
        { price: '31000.2', amount: '3' },
      ],
    }),
  ],
  ['depth btc_usdt --merge 0.1 --size 5', expect.objectContaining({ market: 'btc_usdt' })],
  ['trades btc_usdt', [expect.objectContaining({ id: '1234567890123456789', side: 'buy' })]],
  [
    'kline btc_usdt --size 2',
    [expect.objectContaining({ open: '31000.1' }), expect.objectContaining({ close: '31002' })],
  ],
  ['alert btc_usdt last>30000 --timeout 20', expect.objectContaining({ condition: 'last>30000' })],
  ['account', expect.objectContaining({ username: 'trader@example.com' })],
  ['balance --in usdt', expect.arrayContaining([expect.objectContaining({ coin: 'btc', available: '1.25' })])],
  ['bills', [expect.objectContaining({ id: '12345678901234567', change: '-1.25', balance: '10.50' })]],
  ['bills usdt --from 2022-03-28 --to 2022-03-29', [expect.objectContaining({ type: 'Buy' })]],
  ['address btc', expect.arrayContaining([expect.objectContaining({ chain: 'erc20', address: ADDRESS })])],
  ['address btc --single', [expect.objectContaining({ address: ADDRESS })]],
  ['address btc --withdraw', [expect.objectContaining({ address: ADDRESS })]],
  ['deposits btc', [expect.objectContaining({ id: '3016011201', confirmations: 12 })]],
  ['withdrawals btc', [expect.objectContaining({ id: '2016011201', merchantOrderNo: 'M1' })]],
  ['fees btc', expect.arrayContaining([expect.objectContaining({ coin: 'btc', fee: '0.0005' })])],
  [`order buy ${TERMS} --yes`, expect.objectContaining({ outcome: 'placed', id: PLACED_ID })],
  [
    'order batch buy btc_usdt --ladder 30000:30900:2 --amount 0.02 --yes',
    expect.objectContaining({ placed: 2, orders: BATCH_IDS.map((id) => expect.objectContaining({ id })) }),
  ],
  [`order show btc_usdt ${ORDER.id}`, expect.objectContaining({ id: ORDER.id, state: 'open', filled: '0.005' })],
  [`order show btc_usdt --id ${CLIENT_ID}`, expect.objectContaining({ id: ORDER.id, clientId: CLIENT_ID })],
  [`cancel btc_usdt ${ORDER.id}`, [expect.objectContaining({ outcome: 'cancelled', filled: '0.005' })]],
  [
    `order replace btc_usdt ${ORDER.id} --at 30900 --yes`,
    expect.objectContaining({ outcome: 'placed', id: PLACED_ID }),
  ],
  ['cancel-after btc_usdt --yes', expect.objectContaining({ market: 'btc_usdt' })],
  ['resolve', []],
  ['halt --yes', expect.objectContaining({ halted: true })],
  ['pnl btc_usdt', expect.any(Array)],
  ['algo list', []],
  ['algo cancel --all --yes', []],
  ['algo pause --all', []],
  ['algo resume --all', []],
  [`withdraw btc 0.1 --to ${ADDRESS} --dry-run`, expect.objectContaining({ dryRun: true, operation: 'withdraw' })],
  ['api getOrder currency=btc_usdt id=1', expect.objectContaining({ id: ORDER.id })],
];

/** Command lines that need an answer which the document does not show, and the words that name it. */
const NEEDS: readonly (readonly [line: string, named: RegExp])[] = [
  ['orders btc_usdt', /getOrders/],
  ['fills btc_usdt', /getOrders/],
  ['cancel btc_usdt --all --yes', /getOrders/],
  ['api getOrders currency=btc_usdt', /getOrders/],
  ['api setExpressState currency=btc_usdt --yes', /setExpressState/],
  ['fees', /getFeeInfo/],
  ['stream ticker:btc_usdt --count 1', /WebSocket address/],
];

/** Commands that ask nothing of an exchange, run on a terminal, or have a test of their own below. */
const ELSEWHERE =
  /^(commit|completion|keys|profile|sandbox|schema)\b|^(algo (run|service|show)|doctor|mcp|mcp config|shell|watch)$/;

/** The first example of every command that speaks to an exchange; it has one order only. */
const FIRST = await Promise.all(
  Object.entries(commands)
    .filter(([words]) => !ELSEWHERE.test(words) && words !== 'order show')
    .map(async ([, load]) => (await load()).default.examples[0] ?? ''),
);

/** With the lines that show an answer of it, and without those that are above. */
const EXAMPLES = [...new Set([...FIRST, ...DOCUMENTED.flatMap((name) => OPERATIONS[name].lines)])].filter(
  (line) => ![...NEEDS, ...WORKS].some(([other]) => other === line),
);

function served() {
  const exchange = startDocumentExchange();
  onTestFinished(async () => {
    for (const name of exchange.called) called.add(name);
    exchange.close();
  });
  return exchange;
}

async function run(line: string, input?: string) {
  const exchange = served();
  const { environment } = exchange;
  const given = { host: pausesOnly(), ...(input === undefined ? {} : { input }) };
  const ran: Ran = await runPit([...line.split(' '), '--json'], { home: temporaryHome(), environment, ...given });
  return { ran, exchange };
}

const called = new Set<string>();

describe('an exchange that answers what the document shows, and nothing else', () => {
  it.each(WORKS)('is enough for pit %s', async (line, printed) => {
    const { ran, exchange } = await run(line);
    expect({ code: ran.code, broken: exchange.broken, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
      ...{ code: 0, broken: [], stderr: '' },
    });
    expect(JSON.parse(ran.stdout)).toEqual(printed);
  });

  it('is enough for a withdrawal, whose answer names its record', async () => {
    const line = `withdraw btc 0.1 --to ${ADDRESS} --confirm-address ${ADDRESS} --safe-pwd-stdin`;
    const { ran, exchange } = await run(line, 'password1\n');
    expect({ code: ran.code, broken: exchange.broken, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
      ...{ code: 0, broken: [], stderr: '' },
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', id: '2016011202', fee: '0.0005' });
  });

  it('is enough for pit doctor, which says what the document does not show', async () => {
    const { ran, exchange } = await run('doctor');
    const found = JSON.parse(ran.stdout) as readonly { check: string; status: string; detail: string }[];
    const other = found.filter(({ status }) => status !== 'ok').map(({ check, detail }) => `${check}: ${detail}`);
    expect({ code: ran.code, other, broken: exchange.broken }).toEqual({
      code: 0,
      other: [
        expect.stringMatching(/^stream: .* no WebSocket address/),
        expect.stringMatching(/^tolerance: the exchange still accepts requests that are 65 s old/),
      ],
      broken: [],
    });
  });

  it('is enough for a stop, which is watched in the background, shown, and cancelled', async () => {
    const exchange = served();
    const world = await testWorld();
    const { environment } = exchange;
    const watchAlgos = () => world.start('algo run', { environment });
    const json = async (line: string) => {
      const { code, stdout, stderr } = await world.run(`${line} --json`, { environment, watchAlgos });
      expect({ code, stderr: code === 0 ? '' : stderr, broken: exchange.broken }).toEqual({
        ...{ code: 0, stderr: '', broken: [] },
      });
      return JSON.parse(stdout);
    };
    const { id } = await json('order sell btc_usdt 0.01 --stop 20000 --yes');
    await eventually(async () =>
      expect(await json(`algo show ${id}`)).toMatchObject({ kind: 'stop', state: 'waiting', watched: true }),
    );
    expect(await json(`algo cancel ${id} --yes`)).toMatchObject([{ id, state: 'cancelled', filled: '0' }]);
  });

  it('is enough for pit shell, one command after the other', async () => {
    const exchange = served();
    const { environment } = exchange;
    const input = `ticker btc_usdt --json\nuse btc_usdt\norder show btc_usdt ${ORDER.id} --json\nbalance --json\n`;
    const { code, stdout, stderr } = await runPit(['shell'], { home: temporaryHome(), environment, input });
    const lines = stdout.trimEnd().split('\n');
    expect({ code, lines: lines.length, stderr, broken: exchange.broken }).toEqual({
      ...{ code: 0, lines: 3, stderr: expect.any(String), broken: [] },
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      [expect.objectContaining({ last: '31000.5' })],
      expect.objectContaining({ id: ORDER.id, state: 'open' }),
      expect.arrayContaining([expect.objectContaining({ coin: 'usdt', available: '50000.75' })]),
    ]);
  });

  it('is enough for the tools of pit mcp', async () => {
    const exchange = served();
    const client = new TestClient({ pit: new PitHome(temporaryHome()), environment: exchange.environment });
    await client.initialize();
    const call = async (name: string, given: object) => (await client.call(name, given)).structuredContent;
    expect(await call('tickers', { markets: ['btc_usdt'] })).toMatchObject({ data: [{ last: '31000.5' }] });
    expect(await call('order_book', { market: 'btc_usdt' })).toMatchObject({
      data: { asks: [{ price: '31000.4' }, {}] },
    });
    expect(await call('account', {})).toMatchObject({ data: { username: 'trader@example.com' } });
    expect(await call('bills', {})).toMatchObject({ data: [{ id: '12345678901234567' }] });
    expect((await call('orders', { market: 'btc_usdt' })).error?.message).toMatch(/getOrders/);
    await client.end();
    expect(exchange.broken).toEqual([]);
  });

  it('is enough for the market in pit watch, which says that orders could not be read', async () => {
    const exchange = served();
    const world = await testWorld();
    const { code, screen } = await world.run('watch btc_usdt', {
      ...{ environment: exchange.environment, columns: 120 },
      steps: [{ await: '31,000.4' }, { await: '50,000.75', type: 'q' }],
    });
    const isShown = ['31,000.3', 'getOrders'].map((text) => screen.includes(text));
    expect({ code, isShown, broken: exchange.broken }).toEqual({ code: 0, isShown: [true, true], broken: [] });
  });

  it.each(NEEDS)('leaves pit %s without an answer, which says what it needs in a sentence', async (line, named) => {
    const { ran, exchange } = await run(line);
    const failure = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '{}').error;
    expect({ code: ran.code === 0, message: failure?.message }).toEqual({
      code: false,
      message: expect.stringMatching(named),
    });
    expect(exchange.broken.filter((one) => !one.startsWith('getFeeInfo: currency is missing'))).toEqual([]);
  });

  it.each(EXAMPLES)('is asked by pit %s for nothing that the document does not know', async (line) => {
    const { ran, exchange } = await run(`${line} --timeout 5`);
    const { kind, message = '' } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) || '{}').error ?? {};
    const isNamed = [...exchange.notShown].some((name) => message.startsWith(`${name}: `));
    expect({ defect: kind === 'internal' && !isNamed ? message : undefined, broken: exchange.broken }).toEqual({
      ...{ defect: undefined, broken: [] },
    });
  });

  afterAll(() => {
    const never = DOCUMENTED.filter((name) => !called.has(name));
    expect(never).toEqual([]);
  });
});
