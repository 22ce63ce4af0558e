import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, type Parser, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { grouped } from '../../domain/decimal.js';
import { type Advice, Failure, quoted, suggest, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { OtherLimitValues } from '../../sandbox/lifecycle/serve.js';
import { type RecordLine, record } from '../../terminal/table.js';
import { localTime, timeTitle } from '../../terminal/time.js';
import { duration, oneOf, utcOffset, wholeNumber } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';

/** The address of the sandbox and its play keys. */
const ADDRESS = {
  baseUrl: shape.text('the market-data host, without /data/v1'),
  tradeUrl: shape.text('the trade host, without /api'),
  wsUrl: shape.nullable(shape.text('the WebSocket of the streams')),
  accessKey: shape.text(''),
  secretKey: shape.text(''),
  safePwd: shape.text('the fund password'),
  pid: shape.integer('of its process'),
};

const ADDRESS_AND_ADMIN = shape.object({ ...ADDRESS, adminUrl: shape.text(''), adminToken: shape.text('') });

const LIMITS: Readonly<Record<keyof OtherLimitValues, Parser<number | null>>> = {
  key: countOrOff('key'),
  address: countOrOff('address'),
  kline: countOrOff('kline'),
  subscriptions: countOrOff('subscriptions'),
  lock: duration,
  reqTime: duration,
};

const DIALECT = flag(
  '--dialect <which>',
  'serve the document to the letter, or what clients parse: document or observed (default: the last one, or document)',
  oneOf('--dialect', 'document', 'observed'),
);

export const serve = define({
  summary: 'Run the sandbox in the foreground',
  flags: {
    port: flag('--port <n>', 'listen on this loopback port; 0 picks a free one', wholeNumber('--port', 0, 65_535)),
    seed: flag('--seed <n>', 'seed the random numbers', wholeNumber('--seed', 0, 999_999_999)),
    limits: toggle('--no-limits', 'do not enforce rate limits'),
    limit: flag(
      '--limit <list>',
      'change limits, for tests: key=600,address=off,lock=10s,kline=off,reqTime=5s',
      limitList,
    ),
    strictAgent: toggle('--strict-agent', "refuse a User-Agent that is not a browser's"),
    klineSince: flag(
      '--kline-since <which>',
      'which 1,000 candles to return after since: first or latest (default: latest)',
      oneOf('--kline-since', 'first', 'latest'),
    ),
    history: flag('--history <duration>', 'how far candles reach back: 365d (default: 21d)', duration),
    dialect: DIALECT,
    zone: flag('--zone <offset>', 'the time zone of dates in answers, such as +08:00 (default: UTC)', utcOffset),
  },
  timeout: 'give up if it has not started after this time (default: 30)',
  examples: [
    'sandbox serve --port 0',
    'sandbox serve --port 8700 --seed 7 --no-limits',
    'sandbox serve --limit key=600,reqTime=5s',
  ],
  output: ADDRESS_AND_ADMIN,
  async run({ host, sandbox, output, budget }, { history: historyMs, ...options }) {
    const { startSandbox } = await import('../../sandbox/lifecycle/serve.js').catch(withoutLibrary);
    host.holdProgram();
    const running = await startSandbox(host, sandbox.serveCommand(), { ...options, historyMs });
    if (running === undefined) return undefined;
    host.onInterrupt(() => running.close());
    const line = JSON.stringify(running.address);
    await output.answer({ data: running.address, show: () => line });
    await budget.withoutDeadline(() => running.closed);
    return undefined;
  },
});

/** npm leaves out an optional package that is not for this platform, or if you told it to. */
function withoutLibrary(thrown: unknown): never {
  const [, name] = /^Cannot find module '(@lmdb\/[\w-]+)'/.exec(String(Object(thrown).message)) ?? [];
  if (name === undefined) throw thrown;
  throw new Failure('unreachable', `The sandbox needs the package ${name}, which is not installed.`, {
    hint: 'Install pit with its optional packages, or use an exchange: the rest of pit works without this one.',
    cause: thrown,
  });
}

/** Reads `key=600,address=off,lock=10s,kline=off,reqTime=5s`, any of them. Throws Failure `usage`. */
function limitList(list: string): OtherLimitValues {
  const entries = list.split(',').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    if (!isLimit(name))
      throw usage(`${quoted(pair)} is not a limit.`, `Write NAME=VALUE with one of ${Object.keys(LIMITS).join(', ')}.`);
    return [name, LIMITS[name](value)];
  });
  return Object.fromEntries(entries);
}

function isLimit(name: string): name is keyof OtherLimitValues {
  return Object.hasOwn(LIMITS, name);
}

function countOrOff(name: string): Parser<number | null> {
  const count = wholeNumber(name, 1, 1_000_000);
  return (text) => (text === 'off' ? null : count(text));
}

export const start = define({
  summary: 'Start the sandbox in the background',
  flags: { dialect: DIALECT },
  examples: ['sandbox start', 'sandbox start --dialect observed --json'],
  output: ADDRESS_AND_ADMIN,
  dryRunOutput: DRY_CHANGE,
  async run({ host, sandbox, globals }, { dialect }) {
    if (globals.dryRun) {
      const { sandboxStatus } = await import('../../sandbox/lifecycle/control.js');
      const isRunning = (await sandboxStatus(host)) !== undefined;
      if (isRunning && dialect !== undefined) await requireDialect(host, dialect, 'Stop it first.');
      const change = isRunning ? 'Would change nothing: the sandbox is already running.' : 'Would start the sandbox.';
      return dryChange('sandbox start', change);
    }
    const { started, ...address } = await sandbox.start(dialect === undefined ? [] : ['--dialect', dialect]);
    if (!started && dialect !== undefined)
      await requireDialect(host, dialect, suggest('Stop it first', 'sandbox', 'stop'));
    const action = started ? 'Started the sandbox' : 'The sandbox is already running';
    return { data: address, show: () => `${action} at ${address.tradeUrl} (process ${address.pid}).` };
  },
});

/** Throws Failure `usage` if the running sandbox serves another dialect: it can only be chosen at a start. */
async function requireDialect(host: Host, wanted: string, hint: Advice): Promise<void> {
  const { sandboxStatus } = await import('../../sandbox/lifecycle/control.js');
  const dialect = (await sandboxStatus(host))?.dialect ?? wanted;
  if (dialect === wanted) return;
  throw usage(`The sandbox is running already, with the dialect ${dialect}.`, hint);
}

export const stop = define({
  summary: 'Stop the sandbox and keep its state',
  examples: ['sandbox stop', 'sandbox stop --json'],
  output: shape.object({ stopped: shape.boolean('false if it was not running') }),
  dryRunOutput: DRY_CHANGE,
  async run({ host, globals }) {
    const { sandboxStatus, stopSandbox } = await import('../../sandbox/lifecycle/control.js');
    if (globals.dryRun) {
      const isRunning = (await sandboxStatus(host)) !== undefined;
      const change = isRunning
        ? 'Would stop the sandbox and keep its state.'
        : 'Would change nothing: the sandbox is not running.';
      return dryChange('sandbox stop', change);
    }
    const stopped = await stopSandbox(host);
    return {
      data: { stopped },
      show: () => (stopped ? 'Stopped the sandbox; its state is kept.' : 'The sandbox was not running.'),
    };
  },
});

const countOrNull = (description: string) => shape.nullable(shape.integer(description));

const STATUS = {
  running: shape.boolean(''),
  ...shape.nullableFields(ADDRESS),
  dialect: shape.nullable(shape.enumOf(['document', 'observed'], '')),
  time: shape.nullable(shape.time("the exchange's clock")),
  clockRunning: shape.nullable(shape.boolean('')),
  clockSpeed: shape.nullable(shape.number("1 is the speed of this machine's clock")),
  markets: countOrNull(''),
  orders: countOrNull('open orders'),
  accounts: countOrNull(''),
  trades: countOrNull(''),
  requests: countOrNull('since the start'),
  refused: countOrNull('since the start'),
  streams: countOrNull('open connections of streams'),
  nonBrowserAgents: countOrNull("requests without a browser's User-Agent"),
  faults: countOrNull('faults that can still apply'),
  replaying: countOrNull('rows still to replay'),
  memory: countOrNull('in bytes'),
  disk: countOrNull('in bytes'),
  cpuSeconds: shape.nullable(shape.number('')),
  upSeconds: shape.nullable(shape.number('')),
};

/** The status of a sandbox that does not run. */
const NOTHING = Object.fromEntries(Object.keys(STATUS).map((name) => [name, null])) as Record<
  keyof typeof STATUS,
  null
>;

export const status = define({
  summary: 'Show whether the sandbox runs, its address and keys',
  examples: ['sandbox status', 'sandbox status --json'],
  output: shape.object(STATUS),
  async run({ host }) {
    const { sandboxStatus } = await import('../../sandbox/lifecycle/control.js');
    const found = await sandboxStatus(host);
    if (found === undefined) {
      const text = 'The sandbox is not running. It starts when a command needs it.';
      return { data: { ...NOTHING, running: false }, show: () => text };
    }
    const count = (value: number) => grouped(String(value));
    const entries: RecordLine[] = [
      ['address', found.tradeUrl],
      ['websocket', found.wsUrl],
      ['process', String(found.pid)],
      ['access key', found.accessKey],
      ['secret key', found.secretKey],
      ['fund password', found.safePwd],
      ['dialect', found.dialect],
      [timeTitle(), localTime(Date.parse(found.time))],
      ['markets', count(found.markets)],
      ['open orders', count(found.orders)],
      ['trades', count(found.trades)],
      ['clock', clockText(found.clockRunning, found.clockSpeed)],
      ['accounts', count(found.accounts)],
      ['requests', count(found.requests)],
      ['refused', count(found.refused)],
      ['streams', count(found.streams)],
      ['not from a browser', count(found.nonBrowserAgents)],
      ['faults', count(found.faults)],
      ['rows to replay', count(found.replaying)],
      ['memory', megabytes(found.memory)],
      ['disk', megabytes(found.disk)],
      ['processor time', `${found.cpuSeconds} s of ${found.upSeconds} s`],
    ];
    return { data: found, show: (screen) => record(screen, entries) };
  },
});

function clockText(running: boolean, speed: number): string {
  if (!running) return 'stopped';
  return speed === 1 ? 'running' : `running at ${speed} times normal speed`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

export const reset = define({
  summary: 'Stop the sandbox and delete all its data; asks',
  examples: ['sandbox reset', 'sandbox reset --yes'],
  output: shape.object({ stopped: shape.boolean('false if it was not running') }),
  dryRunOutput: DRY_CHANGE,
  async run(context) {
    requireConsent(context);
    const deletion = 'all orders, balances and history of the sandbox';
    if (context.globals.dryRun) return dryChange('sandbox reset', `Would delete ${deletion}.`);
    await confirm(context, `Delete ${deletion}?`);
    await context.sandbox.forgetMarkets();
    const { resetSandbox } = await import('../../sandbox/lifecycle/control.js');
    const stopped = await resetSandbox(context.host);
    await context.sandbox.forgetAccounts();
    await context.sandbox.clearLimits();
    await context.sandbox.rememberClock(null);
    return { data: { stopped }, show: () => 'The sandbox is reset; its keys stay the same.' };
  },
});
