import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { suggest } from '../../errors.js';
import { channels } from '../../exchange/channels/index.js';
import { type Customer, UsernameTaken } from '../accounts/accounts.js';
import { BackInTime } from '../exchange/clock.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import type { Faults } from '../faults/faults.js';
import { isStreamFault, wrongParameter } from '../faults/rules.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { newKeys, type SandboxAddress, type SandboxFiles } from '../lifecycle/files.js';
import type { MarginTransfer } from '../margin/margin-service.js';
import { SandboxMarket } from '../markets/market.js';
import { RequestRefused } from '../refusals.js';
import type { Activity } from '../server/http.js';
import type { Dialect } from '../server/interface-details.js';
import { SERVED } from '../server/operations/index.js';
import type { StreamServer } from '../streams/stream-server.js';
import { type AdminHandler, AdminRefusal } from './http.js';
import {
  ADVANCE,
  FAULT,
  FAULT_ID,
  LATENCY,
  LATEST_TIME,
  LOGGED,
  optional,
  PERMISSION,
  PRICE_MOVE,
  problemOf,
  SPEED,
  text,
  toggle,
  whole,
} from './parameters.js';
import { exportTo, importFrom, planImport, planReplay, replay } from './replacement.js';

/*
 * The administration of the sandbox: a table of all calls, with the parameters of each and what it does. Commands take the types of
 * parameters and answers from it; the table itself is loaded by the sandbox alone.
 */

/** What is administered. */
export interface Administered {
  readonly data: DataDirectory;
  readonly files: SandboxFiles;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly streams: Pick<StreamServer, 'startOver'>;
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

interface AdminCall<Input extends v.ObjectEntries, Output> {
  readonly input: v.ObjectSchema<Input, undefined>;
  /** Carries it out with checked parameters. Throws {@link AdminRefusal} and RequestRefused. */
  run(input: Given<Input>, sandbox: Administered): Output;
  /** Whether it reads or changes the exchange, so that it is answered when what it did is on disk. */
  readonly isOfExchange: boolean;
}

type Given<Input extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Input, undefined>>;

/** A call that reads or changes the exchange. */
function call<const Input extends v.ObjectEntries, Output>(
  input: Input,
  run: (input: Given<Input>, sandbox: Administered) => Output,
): AdminCall<Input, Output> {
  return { input: v.object(input), run, isOfExchange: true };
}

/** A call that is answered also while the exchange is being replaced, or its disk fails. */
function callWithoutExchange<const Input extends v.ObjectEntries, Output>(
  input: Input,
  run: (input: Given<Input>, sandbox: Administered) => Output,
): AdminCall<Input, Output> {
  return { input: v.object(input), run, isOfExchange: false };
}

/** Default: the first one. */
const account = optional(text);
const files = v.array(text);

/** By method and path. */
export const ADMIN_CALLS = {
  /** Sent by a command that is about to use this sandbox; puts its idle stop off. */
  'POST /hello': callWithoutExchange({}, (_input, { running, activity }) => {
    const { isStaying, address } = running();
    if (!isStaying) throw new Error('the sandbox is about to stop');
    activity.touch();
    return { pid: address.pid };
  }),
  'GET /status': call({}, (_input, sandbox) => statusOf(sandbox)),
  /** `reset` says that the data will be deleted, so that clients of the streams forget what they know. */
  'POST /stop': callWithoutExchange({ reset: toggle }, ({ reset }, { running, streams }) => {
    if (reset) streams.startOver();
    // it ends when this has been answered
    void running().close();
    return { pid: running().address.pid };
  }),

  'GET /accounts': call({}, (_input, { data }) => data.exchange.customers.all().map(accountReport)),
  'POST /accounts/add': call(
    {
      name: text,
      /** Default: all. */
      permissions: optional(v.array(PERMISSION)),
    },
    ({ name, permissions }, { data: { exchange } }) => {
      if (!/^[A-Za-z0-9_.-]{1,40}$/.test(name))
        throw new AdminRefusal(`"${name}" is not a name.`, 'Use 1 to 40 letters, digits, dots, dashes or underscores.');
      const may = (permission: v.InferOutput<typeof PERMISSION>) => permissions?.includes(permission) ?? true;
      try {
        const granted = { asset: may('asset'), lever: may('lever'), entrust: may('entrust'), money: may('money') };
        return accountReport(exchange.addAccount(newKeys(name), granted));
      } catch (error) {
        if (!(error instanceof UsernameTaken)) throw error;
        throw new AdminRefusal(
          `There is an account ${name} already.`,
          suggest('See its keys', 'sandbox', 'account', 'list'),
        );
      }
    },
  ),
  /** Decimal text. The market is null unless the wallet is isolated. */
  'POST /accounts/balances': call({ account }, (input, { data: { exchange } }) => {
    const owner = accountNamed(exchange, input.account);
    const spot = exchange.funds
      .balances(owner)
      .map((row) => ({ wallet: 'spot', market: null, ...row, borrowed: '0' }) as const);
    const margin = exchange.margin.balances(owner).map(({ kind, ...row }) => ({ wallet: kind, ...row }) as const);
    return [...spot, ...margin];
  }),
  'POST /deposit': call(
    { account, coin: text, amount: text, chain: optional(text), fail: toggle },
    ({ coin, amount, chain, fail, ...input }, { data: { exchange } }) => {
      const owner = accountNamed(exchange, input.account);
      const id = exchange.funds.deposit(owner, { coin: coinNamed(exchange, coin), amount, chain, fail });
      return { id, account: owner.username, coin, amount };
    },
  ),
  /** To another account (`to`), or between the spot wallet and a margin wallet (`wallet`, `back`). */
  'POST /transfer': call(
    {
      account,
      coin: text,
      amount: text,
      to: optional(text),
      /** `cross`, or a market. */
      wallet: optional(text),
      back: toggle,
    },
    ({ amount, to, wallet, back, ...input }, { data: { exchange } }) => {
      const owner = accountNamed(exchange, input.account);
      const coin = coinNamed(exchange, input.coin);
      if (to === undefined && wallet === undefined)
        throw new AdminRefusal('The target is missing.', 'Give --to ACCOUNT or --margin WALLET.');
      if (to !== undefined && wallet !== undefined)
        throw new AdminRefusal('Only one of --to and --margin can be given.');
      if (to !== undefined) exchange.funds.transfer(owner, accountNamed(exchange, to), coin, amount);
      else {
        const move = { ...walletNamed(exchange, wallet ?? ''), coin, amount };
        if (back) exchange.margin.transferOut(owner, move);
        else exchange.margin.transferIn(owner, move);
      }
      return { account: owner.username, to: to ?? null, wallet: wallet ?? null, back, coin, amount };
    },
  ),
  /** What a user does on an exchange's website: allows withdrawals to an address. `preferred` makes it the default. */
  'POST /addresses/verify': call(
    { account, coin: text, address: text, memo: optional(text), chain: optional(text), preferred: toggle },
    ({ coin, address, memo, chain, preferred, ...input }, { data: { exchange } }) => {
      const owner = accountNamed(exchange, input.account);
      exchange.funds.verifyAddress(owner, { coin: coinNamed(exchange, coin), address, memo, chain, preferred });
      const standard = exchange.funds.withdrawalAddress(owner, coin);
      return { account: owner.username, coin, address, memo: memo ?? null, default: standard };
    },
  ),
  /** Obtains the deposit address of a coin. */
  'POST /addresses/obtain': call({ account, coin: text }, ({ coin, ...input }, { data: { exchange } }) => {
    const owner = accountNamed(exchange, input.account);
    exchange.funds.obtainAddress(owner, coinNamed(exchange, coin));
    return { account: owner.username, coin };
  }),
  /** Makes a withdrawal fail, or cancels it. */
  'POST /withdrawals/end': call(
    { account, coin: text, id: text, cancel: toggle },
    ({ coin, id, cancel, ...input }, { data: { exchange } }) => {
      const owner = accountNamed(exchange, input.account);
      const state = cancel ? 'cancelled' : 'failed';
      exchange.funds.endWithdrawal(owner, coinNamed(exchange, coin), id, state);
      return { account: owner.username, coin, id, state };
    },
  ),

  'GET /clock': call({}, (_input, { data }) => clockReport(data.exchange)),
  'POST /clock/stop': call({}, (_input, { data }) => driven(data.exchange, ({ clock }) => clock.stop())),
  'POST /clock/start': call({}, (_input, { data }) => driven(data.exchange, ({ clock }) => clock.start())),
  'POST /clock/speed': call({ speed: SPEED }, ({ speed }, { data }) =>
    driven(data.exchange, ({ clock }) => clock.run(speed)),
  ),
  /** To a time in ms since the Unix epoch. */
  'POST /clock/set': call({ time: whole(0, LATEST_TIME) }, ({ time }, { data }) =>
    driven(data.exchange, (exchange) => setClock(exchange, time)),
  ),
  /** Of more than a day, only the last day is simulated. */
  'POST /clock/advance': call({ ms: ADVANCE }, ({ ms }, { data }) =>
    driven(data.exchange, ({ clock }) => clock.forward(Math.min(LATEST_TIME, clock.now() + ms))),
  ),

  'GET /faults': callWithoutExchange({}, (_input, { faults }) => faults.rules.list()),
  'POST /faults/add': callWithoutExchange(
    {
      kind: FAULT.kind,
      /** An operation, or a channel of a stream (default: any). */
      operation: optional(text),
      probability: optional(FAULT.probability),
      count: optional(FAULT.count),
      every: optional(FAULT.every),
      delay: optional(FAULT.delay),
      skew: optional(FAULT.skew),
    },
    (input, { faults }) => {
      const { kind, operation } = input;
      const names = isStreamFault(kind) ? Object.keys(channels) : SERVED.map(({ name }) => name);
      if (operation !== undefined && !names.includes(operation)) {
        const what = isStreamFault(kind) ? 'a channel' : 'an operation';
        throw new AdminRefusal(`"${operation}" is not ${what} that is served.`, `There are ${names.join(', ')}.`);
      }
      const wrong = wrongParameter(input);
      if (wrong?.isNeeded) throw new AdminRefusal(`This fault needs a ${wrong.name}.`, `Add --${wrong.name} MS.`);
      if (wrong !== undefined) throw new AdminRefusal(`This fault has no ${wrong.name}.`, `Leave --${wrong.name} out.`);
      return faults.rules.add(input);
    },
  ),
  /** One, or all. */
  'POST /faults/clear': callWithoutExchange({ id: optional(FAULT_ID) }, ({ id }, { faults }) => ({
    cleared: faults.rules.clear(id),
  })),
  /** The entries after a number. */
  'POST /faults/log': callWithoutExchange({ after: optional(LOGGED, 0) }, ({ after }, { faults }) =>
    faults.log.after(after),
  ),

  /**
   * Makes markets follow the recordings in files; `market` is that of files that name none. The clock is set to the first event; while
   * another market follows a recording, it goes on, and these begin when it gets there. If the first event is in the past, a new
   * exchange is started there, in which the markets have no earlier history. What customers did and other replays would be lost, as
   * would the rest of earlier replays of these markets, so `force` must then be set. Without a speed the replay runs as fast as
   * possible, the answer comes at its end, and the clock is stopped there. `latency` delays orders and pushes, in ms by the
   * exchange's clock.
   */
  'POST /replay': call(
    { files, market: optional(text), speed: optional(SPEED), latency: optional(LATENCY), force: toggle },
    (input, { data }) => data.alone(() => replay(data, input)),
  ),
  /** What the replay of files would end. */
  'POST /replay/plan': call(
    { files, market: optional(text) },
    async (input, { data }) => (await planReplay(data.exchange, input)).report,
  ),
  /** Has the simulated traders of a market lead its price to another within `ms`. */
  'POST /price': call(
    { market: text, price: text, ms: PRICE_MOVE },
    ({ market, price, ms }, { data: { exchange } }) => {
      exchange.advance();
      exchange.movePrice(marketNamed(exchange, market), price, ms);
      return { market, price, at: new Date(exchange.clock.now() + ms).toISOString() };
    },
  ),
  /** Makes the rules of a market stricter for new orders, until the sandbox ends. */
  'POST /rules': call(
    {
      market: text,
      priceScale: optional(whole(0, 30)),
      amountScale: optional(whole(0, 30)),
      minAmount: optional(text),
      minNotional: optional(text),
    },
    ({ market: name, ...changes }, { data: { exchange } }) => {
      const market = marketNamed(exchange, name);
      const { base, quote } = market;
      const priceScale = changes.priceScale ?? market.priceScale;
      const amountScale = changes.amountScale ?? market.amountScale;
      const minAmount = changes.minAmount ?? market.minAmount;
      const minNotional = changes.minNotional ?? market.minNotional;
      if (priceScale > market.priceScale || amountScale > market.amountScale)
        throw new RequestRefused('badParameter', 'a market never gets more decimals than it began with');
      const rules = new SandboxMarket({ name, base, quote, priceScale, amountScale, minAmount, minNotional });
      exchange.orders.changeRules(rules);
      return { market: name, priceScale, amountScale, minAmount: rules.minAmount, minNotional: rules.minNotional };
    },
  ),
  /** Writes the exchange to a file. */
  'POST /export': call({ file: text }, ({ file }, { data }) => exportTo(data.exchange, file)),
  /** Replaces the exchange by that of a file. */
  'POST /import': call({ file: text, force: toggle }, (input, { data }) => data.alone(() => importFrom(data, input))),
  /** What an import of a file would end. Refuses a file that is not a whole export. */
  'POST /import/plan': call({ file: text }, ({ file }, { data }) => planImport(data, file)),
} as const;

export type AdminCallName = keyof typeof ADMIN_CALLS;

type InputSchema<Name extends AdminCallName> = (typeof ADMIN_CALLS)[Name]['input'];

/** The parameters of a call as a command gives them: null and undefined leave one out. */
export type InputOf<Name extends AdminCallName> = {
  readonly [Key in keyof v.InferInput<InputSchema<Name>>]:
    | v.InferInput<InputSchema<Name>>[Key]
    | (undefined extends v.InferInput<InputSchema<Name>>[Key] ? null : never);
};

export type ResultOf<Name extends AdminCallName> = Awaited<ReturnType<(typeof ADMIN_CALLS)[Name]['run']>>;

/** The handlers of all calls, by method and path: each checks its parameters first, and answers when what it did is on disk. */
export function adminHandlers(sandbox: Administered): ReadonlyMap<string, AdminHandler> {
  const calls = Object.entries<AdminCall<v.ObjectEntries, unknown>>(ADMIN_CALLS);
  return new Map(calls.map(([name, one]) => [name, (sent) => carryOut(one, sent, sandbox)]));
}

async function carryOut(
  called: AdminCall<v.ObjectEntries, unknown>,
  sent: Parameters<AdminHandler>[0],
  sandbox: Administered,
): Promise<unknown> {
  // a command sends null for what is left out
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  const { success, output, issues } = v.safeParse(called.input, given, { abortEarly: true });
  if (!success) throw new AdminRefusal(problemOf(issues[0]));
  const result = await called.run(output, sandbox);
  if (called.isOfExchange) await sandbox.data.exchange.durable();
  return result;
}

function statusOf({ running, data, activity, faults, files, dialect }: Administered) {
  const { pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd } = running().address;
  const { exchange } = data;
  const { markets, orders, accounts, trades } = exchange.status();
  const clock = clockReport(exchange);
  const { requests, refused, streams, nonBrowserAgents } = activity;
  const { user, system } = process.cpuUsage();
  const sizes = readdirSync(files.exchange).map((name) => statSync(path.join(files.exchange, name)).size);
  return {
    running: true as const,
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
    replaying: exchange.replays.left,
    memory: process.memoryUsage.rss(),
    disk: sizes.reduce((sum, size) => sum + size, 0),
    cpuSeconds: Math.round((user + system) / 10_000) / 100,
    upSeconds: Math.round(process.uptime()),
  };
}

function accountReport({ id, username, accessKey, secretKey, safePwd, permissions }: Customer) {
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

/** The margin wallet of a name: `cross`, or a market. */
function walletNamed({ markets }: SandboxExchange, wallet: string): Pick<MarginTransfer, 'kind' | 'market'> {
  if (wallet === 'cross') return { kind: 'cross' };
  if (markets.has(wallet)) return { kind: 'isolated', market: wallet };
  throw new AdminRefusal(
    `"${wallet}" is not a margin wallet.`,
    `There are cross, and one for each market: ${[...markets.keys()].join(', ')}.`,
  );
}

function driven(exchange: SandboxExchange, drive: (exchange: SandboxExchange) => void) {
  drive(exchange);
  exchange.advance();
  return clockReport(exchange);
}

function clockReport({ clock }: SandboxExchange) {
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
