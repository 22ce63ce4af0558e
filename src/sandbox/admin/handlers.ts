import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { counted } from '../../domain/decimal.js';
import { Failure, suggest } from '../../errors.js';
import { channels } from '../../exchange/channels/index.js';
import { type Customer, UsernameTaken } from '../accounts/accounts.js';
import { BackInTime } from '../exchange/clock.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { UnreadableStore } from '../failures.js';
import type { Faults } from '../faults/faults.js';
import { isStreamFault, wrongParameter } from '../faults/rules.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { newKeys, type SandboxAddress, type SandboxFiles } from '../lifecycle/files.js';
import type { MarginTransfer } from '../margin/margin-service.js';
import type { SandboxMarket } from '../markets/market.js';
import { loadTape, planTape } from '../replay/load-tape.js';
import type { ReplayedMarket } from '../replay/replays.js';
import type { Activity } from '../server/http.js';
import type { Dialect } from '../server/interface-details.js';
import { SERVED } from '../server/operations/index.js';
import { BadState, readState, writeState } from '../store/state-file.js';
import { Store } from '../store/store.js';
import {
  type AccountReport,
  ADMIN_CALLS,
  type AdminCallName,
  type CheckedInput,
  type ClockReport,
  LATEST_TIME,
  LOSES_STATE,
  type ResultOf,
  type SandboxStatus,
} from './calls.js';
import { type AdminHandler, AdminRefusal } from './http.js';
import { problemOf } from './parameters.js';

/** What is administered. */
export interface Administered {
  readonly data: DataDirectory;
  readonly files: SandboxFiles;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly dialect: Dialect;
  readonly running: () => AdministeredProcess;
}

/** The sandbox as a process. */
interface AdministeredProcess {
  readonly address: SandboxAddress;
  /** Whether a command can rely on it now. */
  readonly isStaying: boolean;
  close(): Promise<void>;
}

/** Carries out a call with checked parameters. Throws {@link AdminRefusal} and RequestRefused. */
type Handlers = {
  readonly [Name in AdminCallName]: (
    input: CheckedInput<Name>,
    sandbox: Administered,
  ) => ResultOf<Name> | Promise<ResultOf<Name>>;
};

const HANDLERS: Handlers = {
  'POST /hello': (_input, { running, activity }) => {
    const { isStaying, address } = running();
    if (!isStaying) throw new Error('the sandbox is about to stop');
    activity.touch();
    return { pid: address.pid };
  },
  'GET /status': (_input, sandbox) => statusOf(sandbox),
  'POST /stop': (_input, { running }) => {
    // it ends when this has been answered
    void running().close();
    return { pid: running().address.pid };
  },

  'GET /accounts': (_input, { data }) => data.exchange.customers.all().map(accountReport),
  'POST /accounts/add': addAccount,
  'POST /accounts/balances': ({ account }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, account);
    const spot = exchange.funds
      .balances(owner)
      .map((row) => ({ wallet: 'spot', market: null, ...row, borrowed: '0' }) as const);
    const margin = exchange.margin.balances(owner).map(({ kind, ...row }) => ({ wallet: kind, ...row }) as const);
    return [...spot, ...margin];
  },
  'POST /deposit': ({ account, coin, amount, chain, fail }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, account);
    const id = exchange.funds.deposit(owner, { coin: coinNamed(exchange, coin), amount, chain, fail });
    return { id, account: owner.username, coin, amount };
  },
  'POST /transfer': transfer,
  'POST /addresses/verify': ({ account, coin, address, memo, chain, preferred }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, account);
    exchange.funds.verifyAddress(owner, { coin: coinNamed(exchange, coin), address, memo, chain, preferred });
    const standard = exchange.funds.withdrawalAddress(owner, coin);
    return { account: owner.username, coin, address, memo: memo ?? null, default: standard };
  },
  'POST /addresses/obtain': ({ account, coin }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, account);
    exchange.funds.obtainAddress(owner, coinNamed(exchange, coin));
    return { account: owner.username, coin };
  },
  'POST /withdrawals/end': ({ account, coin, id, cancel }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, account);
    const state = cancel ? 'cancelled' : 'failed';
    exchange.funds.endWithdrawal(owner, coinNamed(exchange, coin), id, state);
    return { account: owner.username, coin, id, state };
  },

  'GET /clock': (_input, { data }) => clockReport(data.exchange),
  'POST /clock/stop': (_input, { data }) => driven(data.exchange, ({ clock }) => clock.stop()),
  'POST /clock/start': (_input, { data }) => driven(data.exchange, ({ clock }) => clock.start()),
  'POST /clock/speed': ({ speed }, { data }) => driven(data.exchange, ({ clock }) => clock.run(speed)),
  'POST /clock/set': ({ time }, { data }) => driven(data.exchange, (exchange) => setClock(exchange, time)),
  'POST /clock/advance': ({ ms }, { data }) =>
    driven(data.exchange, ({ clock }) => clock.forward(Math.min(LATEST_TIME, clock.now() + ms))),

  'GET /faults': (_input, { faults }) => faults.rules.list(),
  'POST /faults/add': addFault,
  'POST /faults/clear': ({ id }, { faults }) => ({ cleared: faults.rules.clear(id) }),
  'POST /faults/log': ({ after = 0 }, { faults }) => faults.log.after(after),

  'POST /replay': (input, { data }) => data.alone(() => replay(data, input)),
  'POST /replay/plan': async (input, { data: { exchange } }) => (await replayPlan(exchange, input)).report,
  'POST /price': ({ market, price, ms }, { data: { exchange } }) => {
    exchange.advance();
    exchange.admin.movePrice(marketNamed(exchange, market).name, price, ms);
    return { market, price, at: new Date(exchange.clock.now() + ms).toISOString() };
  },
  'POST /rules': ({ market, ...changes }, { data: { exchange } }) => {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const rules = exchange.admin.changeRules(marketNamed(exchange, market).name, given);
    const { name, priceScale, amountScale, minAmount, minNotional } = rules;
    return { market: name, priceScale, amountScale, minAmount, minNotional };
  },
  'POST /export': async ({ file }, { data: { exchange } }) => {
    await exchange.durable();
    return { file, rows: withFile(file, 'written', () => writeState(file, exchange.store.rows())) };
  },
  'POST /import': (input, { data }) => data.alone(() => importFrom(data, input)),
  'GET /import/plan': (_, { data: { exchange } }) => ({ ended: endedBy(exchange) }),
};

/** The handlers of all calls, by method and path: each checks its parameters first, and answers when what it did is on disk. */
export function adminHandlers(sandbox: Administered): ReadonlyMap<string, AdminHandler> {
  const names = Object.keys(ADMIN_CALLS) as AdminCallName[];
  return new Map(names.map((name) => [name, (input) => carryOut(name, input, sandbox)]));
}

/** Calls that are answered also while the exchange is being replaced or its disk fails. */
const WITHOUT_EXCHANGE: ReadonlySet<AdminCallName> = new Set<AdminCallName>([
  'POST /hello',
  'POST /stop',
  'GET /faults',
  'POST /faults/add',
  'POST /faults/clear',
  'POST /faults/log',
]);

async function carryOut(name: AdminCallName, input: Parameters<AdminHandler>[0], sandbox: Administered) {
  // a command sends null for what is left out
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const { success, output, issues } = v.safeParse(ADMIN_CALLS[name].parameters, given, { abortEarly: true });
  if (!success) throw new AdminRefusal(problemOf(issues[0]));
  const result: unknown = await (HANDLERS[name] as (input: object, sandbox: Administered) => unknown)(output, sandbox);
  if (!WITHOUT_EXCHANGE.has(name)) await sandbox.data.exchange.durable();
  return result;
}

function statusOf({ running, data, activity, faults, files, dialect }: Administered): SandboxStatus {
  const { pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd } = running().address;
  const { exchange } = data;
  const { markets, orders, accounts, trades } = exchange.status();
  const clock = clockReport(exchange);
  const { requests, refused, streams, nonBrowserAgents } = activity;
  const { user, system } = process.cpuUsage();
  const sizes = readdirSync(files.exchange).map((name) => statSync(path.join(files.exchange, name)).size);
  return {
    running: true,
    pid,
    baseUrl,
    tradeUrl,
    wsUrl,
    accessKey,
    secretKey,
    safePwd,
    dialect,
    time: clock.time,
    clockRunning: clock.running,
    clockSpeed: clock.speed,
    markets,
    orders,
    accounts,
    trades,
    requests,
    refused,
    streams,
    nonBrowserAgents,
    faults: faults.rules.active,
    replaying: exchange.admin.replaying,
    memory: process.memoryUsage.rss(),
    disk: sizes.reduce((sum, size) => sum + size, 0),
    cpuSeconds: Math.round((user + system) / 10_000) / 100,
    upSeconds: Math.round(process.uptime()),
  };
}

function addAccount({ name, permissions }: CheckedInput<'POST /accounts/add'>, { data: { exchange } }: Administered) {
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(name))
    throw new AdminRefusal(`"${name}" is not a name.`, 'Use 1 to 40 letters, digits, dots, dashes or underscores.');
  const may = (permission: NonNullable<typeof permissions>[number]) => permissions?.includes(permission) ?? true;
  try {
    const granted = { asset: may('asset'), lever: may('lever'), entrust: may('entrust'), money: may('money') };
    return accountReport(exchange.admin.addAccount(newKeys(name), granted));
  } catch (error) {
    if (!(error instanceof UsernameTaken)) throw error;
    throw new AdminRefusal(
      `There is an account ${name} already.`,
      suggest('See its keys', 'sandbox', 'account', 'list'),
    );
  }
}

function accountReport({ id, username, accessKey, secretKey, safePwd, permissions }: Customer): AccountReport {
  return { id, username, accessKey, secretKey, safePwd, permissions };
}

/** The account of a name (default: the first one). Throws {@link AdminRefusal} if there is none. */
function accountNamed({ customers }: SandboxExchange, name: string | undefined): Customer {
  const all = customers.all();
  const found = name === undefined ? all[0] : all.find(({ username }) => username === name);
  if (found !== undefined) return found;
  throw new AdminRefusal(`There is no account ${name}.`, [
    `There are ${all.map(({ username }) => username).join(', ')}.`,
    suggest('Add one', 'sandbox', 'account', 'add', 'NAME'),
  ]);
}

function coinNamed({ coins }: SandboxExchange, coin: string): string {
  if (coins.has(coin)) return coin;
  throw new AdminRefusal(`"${coin}" is not a coin of the sandbox.`, `There are ${[...coins.keys()].join(', ')}.`);
}

function marketNamed({ markets }: SandboxExchange, name: string): SandboxMarket {
  const market = markets.get(name);
  if (market !== undefined) return market;
  throw new AdminRefusal(`There is no market ${name}.`, `There are ${[...markets.keys()].join(', ')}.`);
}

function transfer(input: CheckedInput<'POST /transfer'>, { data: { exchange } }: Administered) {
  const { amount, to, wallet, back = false } = input;
  const owner = accountNamed(exchange, input.account);
  const coin = coinNamed(exchange, input.coin);
  if (to === undefined && wallet === undefined)
    throw new AdminRefusal('The target is missing.', 'Give --to ACCOUNT or --margin WALLET.');
  if (to !== undefined && wallet !== undefined) throw new AdminRefusal('Only one of --to and --margin can be given.');
  if (to !== undefined) exchange.funds.transfer(owner, accountNamed(exchange, to), coin, amount);
  else {
    const move = { ...walletNamed(exchange, wallet ?? ''), coin, amount };
    if (back) exchange.margin.transferOut(owner, move);
    else exchange.margin.transferIn(owner, move);
  }
  return { account: owner.username, to: to ?? null, wallet: wallet ?? null, back, coin, amount };
}

/** The margin wallet of a name: `cross`, or a market. */
function walletNamed({ markets }: SandboxExchange, wallet: string): Pick<MarginTransfer, 'kind' | 'market'> {
  if (wallet === 'cross') return { kind: 'cross' };
  if (markets.has(wallet)) return { kind: 'isolated', market: wallet };
  throw new AdminRefusal(
    `"${wallet}" is not a margin wallet.`,
    `There are cross, and one for each market: ${[...markets.keys()].join(', ')}.`,
  );
}

function driven(exchange: SandboxExchange, drive: (exchange: SandboxExchange) => void): ClockReport {
  drive(exchange);
  exchange.advance();
  return clockReport(exchange);
}

function clockReport({ clock }: SandboxExchange): ClockReport {
  const { shown, stopped, speed } = clock.state;
  return { time: new Date(shown).toISOString(), running: !stopped, speed };
}

function setClock({ clock }: SandboxExchange, time: number): void {
  try {
    clock.set(time);
  } catch (error) {
    if (!(error instanceof BackInTime)) throw error;
    const [wanted, now] = [time, clock.now()].map((ms) => new Date(ms).toISOString());
    throw new AdminRefusal(`The exchange's clock shows ${now} and cannot go back to ${wanted}.`, [
      'Choose a later time, or start again.',
      suggest('Start an empty exchange', 'sandbox', 'reset'),
      suggest('See how a recorded file is replayed', 'sandbox', 'replay', '--help'),
    ]);
  }
}

function addFault(input: CheckedInput<'POST /faults/add'>, { faults }: Administered) {
  const { kind, operation = null } = input;
  const names = isStreamFault(kind) ? Object.keys(channels) : SERVED.map(({ name }) => name);
  if (operation !== null && !names.includes(operation)) {
    const what = isStreamFault(kind) ? 'a channel' : 'an operation';
    throw new AdminRefusal(`"${operation}" is not ${what} that is served.`, `There are ${names.join(', ')}.`);
  }
  const wrong = wrongParameter(input);
  if (wrong?.isNeeded) throw new AdminRefusal(`This fault needs a ${wrong.name}.`, `Add --${wrong.name} MS.`);
  if (wrong !== undefined) throw new AdminRefusal(`This fault has no ${wrong.name}.`, `Leave --${wrong.name} out.`);
  return faults.rules.add(input);
}

async function replay(data: DataDirectory, input: CheckedInput<'POST /replay'>) {
  const { files, market, force, speed = null, latency = 0 } = input;
  const { plan, report } = await replayPlan(data.exchange, input);
  const { from, rules, markets, amountScale } = plan;
  const reason = plan.restarts
    ? `The replay begins before the exchange's time or has other rules of its markets, so a new exchange is started at ${report.from}.`
    : 'The replay takes the place of an earlier one.';
  requireConfirmed(report.ended, force, reason);
  const load = async (exchange: SandboxExchange) => {
    for (const market of plan.guessed) exchange.replay.addMarket(market);
    const rows = await read(() => loadTape(exchange, files, { market, amountScale }));
    exchange.state.latency = latency;
    exchange.admin.goTo(from, new Set(markets.keys()));
    return rows;
  };
  let rows = 0;
  if (plan.restarts) {
    await data.replace(async (directory) => {
      const exchange = await data.open(directory, { time: from, emptyMarkets: [...markets.keys()], markets: rules });
      try {
        rows = await load(exchange);
      } finally {
        await exchange.close();
      }
    });
  } else rows = await load(data.exchange);
  await follow(data, plan.to, speed);
  return {
    kind: plan.kind,
    rows,
    to: new Date(plan.to).toISOString(),
    speed,
    ...report,
    left: data.exchange.admin.replaying,
  };
}

/** What is in files, and what their replay does to the exchange. Throws {@link AdminRefusal}. */
async function replayPlan(exchange: SandboxExchange, { files, market }: CheckedInput<'POST /replay/plan'>) {
  const plan = await read(() => planTape(files, { market }, exchange.clock.now(), exchange.markets));
  const markets = [...plan.markets.keys()];
  const rest = exchange.admin.replayed.filter((each) => markets.includes(each.market) && each.left > 0).map(replayText);
  const gaps = plan.gaps.map(({ channel, from, to, reason }) => ({
    channel,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    reason,
  }));
  const { restarts } = plan;
  const ended = restarts ? endedBy(exchange, markets) : rest;
  const guessed = plan.guessed.map(({ name, priceScale, amountScale }) => ({ name, priceScale, amountScale }));
  return { plan, report: { markets, from: new Date(plan.from).toISOString(), restarts, gaps, guessed, ended } };
}

/** Throws {@link AdminRefusal} for files that cannot be replayed. */
async function read<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new AdminRefusal(error.message, error.hints);
  }
}

/**
 * What is lost with the exchange, a noun phrase each.
 * @param replayedAgain markets whose replay is repeated: they lose no more than their rest
 */
function endedBy({ admin }: SandboxExchange, replayedAgain: readonly string[] = []): string[] {
  const replays = admin.replayed.filter(({ market, left }) => !replayedAgain.includes(market) || left > 0);
  return [...(admin.isUntouched ? [] : ['accounts, orders and balances']), ...replays.map(replayText)];
}

function replayText({ market, left }: ReplayedMarket): string {
  return left === 0
    ? `the replayed history of ${market}`
    : `the replay of ${market}, ${counted(left, 'row')} before its end`;
}

async function follow(data: DataDirectory, to: number, speed: number | null): Promise<void> {
  const { exchange } = data;
  if (speed === null) await exchange.admin.fastForward(to, () => !data.isClosing);
  else {
    exchange.clock.run(speed);
    exchange.clock.start();
  }
  exchange.advance();
}

/** Throws {@link AdminRefusal} if something is lost, unless `force` allows that. */
function requireConfirmed(ended: readonly string[], force: boolean | undefined, reason: string): void {
  if (ended.length === 0 || force) return;
  throw new AdminRefusal(
    `${reason} This would be lost: ${ended.join('; ')}.`,
    'Confirm it with --yes, or use another PIT_HOME.',
    LOSES_STATE,
  );
}

/** The first account keeps this sandbox's keys, which never change for a `PIT_HOME`. */
async function importFrom(data: DataDirectory, { file, force }: CheckedInput<'POST /import'>) {
  const state = withFile(file, 'read', () => readState(file));
  const ended = endedBy(data.exchange);
  try {
    requireConfirmed(ended, force, 'The import replaces this exchange.');
    await data.replace(async (directory) => {
      await Store.fill(directory, state.rows);
      const exchange = await data.open(directory);
      exchange.customers.replaceKeysOfFirst(data.keys);
      exchange.changed();
      await exchange.close();
    });
  } catch (error) {
    if (!(error instanceof UnreadableStore)) throw error;
    const hint = 'Import it with the version of pit that wrote it.';
    throw new AdminRefusal(`${file} cannot be read: ${error.message}`, hint);
  }
  return { file, rows: state.count, ended };
}

function withFile<Result>(file: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = error instanceof BadState ? 'Export it again, with the version of pit that reads it.' : null;
    throw new AdminRefusal(`${file} cannot be ${what}: ${reason}`, hint);
  }
}
