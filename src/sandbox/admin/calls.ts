import * as v from 'valibot';
import type { Granted } from '../accounts/accounts.js';
import type { FaultEntry } from '../faults/log.js';
import { FAULT_KINDS, type FaultKind, type FaultRule } from '../faults/rules.js';
import type { Dialect } from '../server/interface-details.js';
import { number, optional, text, toggle, whole, word } from './parameters.js';

/*
 * The administration calls: method and path, parameters, and what they answer. `handlers.ts` carries them out. Commands load this
 * file alone.
 */

interface AdminCall<Parameters, Result> {
  readonly parameters: Parameters;
  /** Only its type. */
  readonly result?: Result;
}

function answering<Result>() {
  return <const Parameters extends v.ObjectEntries>(
    entries: Parameters,
  ): AdminCall<v.ObjectSchema<Parameters, undefined>, Result> => ({ parameters: v.object(entries) });
}

const DAY = 86_400_000;
/** The end of the year 9999, in ms. Later times have other ISO dates. */
export const LATEST_TIME = 253_402_300_799_999;
const SPEED = number(0.001, 100_000);
const LATENCY = whole(0, 60_000);
const files = v.array(text);
const COUNT = whole(1, 999_999_999);
/** Allows a call to lose what customers did. */
const force = toggle;
/** Default: the first one. */
const account = optional(text);

export const ADMIN_CALLS = {
  /** Sent by a command that is about to use this sandbox; puts its idle stop off. */
  'POST /hello': answering<{ readonly pid: number }>()({}),
  'GET /status': answering<SandboxStatus>()({}),
  'POST /stop': answering<{ readonly pid: number }>()({}),

  'GET /accounts': answering<readonly AccountReport[]>()({}),
  'POST /accounts/add': answering<AccountReport>()({
    name: text,
    /** Default: all. */
    permissions: optional(v.array(word('asset', 'lever', 'entrust', 'money'))),
  }),
  'POST /accounts/balances': answering<readonly WalletReport[]>()({ account }),
  'POST /deposit': answering<DepositReport>()({
    account,
    coin: text,
    amount: text,
    chain: optional(text),
    fail: toggle,
  }),
  /** To another account (`to`), or between the spot wallet and a margin wallet (`wallet`, `back`). */
  'POST /transfer': answering<TransferReport>()({
    account,
    coin: text,
    amount: text,
    to: optional(text),
    /** `cross`, or a market. */
    wallet: optional(text),
    back: toggle,
  }),
  /** What a user does on an exchange's website: allows withdrawals to an address. `preferred` makes it the default. */
  'POST /addresses/verify': answering<object>()({
    account,
    coin: text,
    address: text,
    memo: optional(text),
    chain: optional(text),
    preferred: toggle,
  }),
  /** Obtains the deposit address of a coin. */
  'POST /addresses/obtain': answering<object>()({ account, coin: text }),
  /** Makes a withdrawal fail, or cancels it. */
  'POST /withdrawals/end': answering<object>()({ account, coin: text, id: text, cancel: toggle }),

  'GET /clock': answering<ClockReport>()({}),
  'POST /clock/stop': answering<ClockReport>()({}),
  'POST /clock/start': answering<ClockReport>()({}),
  'POST /clock/speed': answering<ClockReport>()({ speed: SPEED }),
  /** To a time in ms since the Unix epoch. */
  'POST /clock/set': answering<ClockReport>()({ time: whole(0, LATEST_TIME) }),
  /** Of more than a day, only the last day is simulated. */
  'POST /clock/advance': answering<ClockReport>()({ ms: whole(0, 3_650 * DAY) }),

  'GET /faults': answering<readonly FaultRule[]>()({}),
  'POST /faults/add': answering<FaultRule>()({
    kind: word(...(Object.keys(FAULT_KINDS) as FaultKind[])),
    /** An operation, or a channel of a stream (default: any). */
    operation: optional(text),
    probability: optional(number(0, 1)),
    count: optional(COUNT),
    every: optional(COUNT),
    /** In ms. */
    delay: optional(whole(0, 3_600_000)),
    /** In ms. */
    skew: optional(whole(-DAY, DAY)),
  }),
  /** One, or all. */
  'POST /faults/clear': answering<{ readonly cleared: number }>()({ id: optional(COUNT) }),
  /** The entries after a number. */
  'POST /faults/log': answering<readonly FaultEntry[]>()({ after: optional(whole(0, 1e12)) }),

  /**
   * Makes markets follow the recordings in files; `market` is that of files that name none. The clock is set to the first event; while
   * another market follows a recording, it goes on, and these begin when it gets there. If the first event is in the past, a new
   * exchange is started there, in which the markets have no earlier history. What customers did and other replays would be lost, as
   * would the rest of earlier replays of these markets, so `force` must then be set. Without a speed the replay runs as fast as
   * possible, the answer comes at its end, and the clock is stopped there. `latency` delays orders and pushes, in ms by the
   * exchange's clock.
   */
  'POST /replay': answering<ReplayReport>()({
    files,
    market: optional(text),
    speed: optional(SPEED),
    latency: optional(LATENCY),
    force,
  }),
  /** What the replay of files would end. */
  'POST /replay/plan': answering<ReplayPlan>()({ files, market: optional(text) }),
  /** Moves a market to a price within `ms`. */
  'POST /price': answering<PriceMoveReport>()({ market: text, price: text, ms: whole(0, 365 * DAY) }),
  /** Makes the rules of a market stricter for new orders, until the sandbox ends. */
  'POST /rules': answering<MarketRulesReport>()({
    market: text,
    priceScale: optional(whole(0, 30)),
    amountScale: optional(whole(0, 30)),
    minAmount: optional(text),
    minNotional: optional(text),
  }),
  /** Writes the exchange to a file. */
  'POST /export': answering<StateReport>()({ file: text }),
  /** Replaces the exchange by that of a file. */
  'POST /import': answering<ImportReport>()({ file: text, force }),
  /** What an import would end. */
  'GET /import/plan': answering<Ended>()({}),
} as const;

export type AdminCallName = keyof typeof ADMIN_CALLS;

type ParametersOf<Name extends AdminCallName> = (typeof ADMIN_CALLS)[Name]['parameters'];

/** The parameters of a call after they were checked: a switch is always there. */
export type CheckedInput<Name extends AdminCallName> = v.InferOutput<ParametersOf<Name>>;

type Given<Name extends AdminCallName> = v.InferInput<ParametersOf<Name>>;

/** The parameters of a call as a command gives them: null and undefined leave one out. */
export type InputOf<Name extends AdminCallName> = {
  readonly [Key in keyof Given<Name>]: Given<Name>[Key] | (undefined extends Given<Name>[Key] ? null : never);
};

export type ResultOf<Name extends AdminCallName> = NonNullable<(typeof ADMIN_CALLS)[Name]['result']>;

/** The refusal that `force` overrides. */
export const LOSES_STATE = 'losesState';

/** What `pit sandbox status` shows of a running sandbox. */
export interface SandboxStatus {
  readonly running: true;
  readonly pid: number;
  readonly baseUrl: string;
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly dialect: Dialect;
  /** The exchange's clock: ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly clockRunning: boolean;
  /** A multiple of the machine's speed. */
  readonly clockSpeed: number;
  readonly markets: number;
  readonly orders: number;
  readonly accounts: number;
  readonly trades: number;
  /** Since the start. */
  readonly requests: number;
  readonly refused: number;
  /** Open connections of streams. */
  readonly streams: number;
  readonly nonBrowserAgents: number;
  /** Faults that can still be applied. */
  readonly faults: number;
  /** Rows of recordings that are still to be replayed. */
  readonly replaying: number;
  /** Memory of the process, in bytes. */
  readonly memory: number;
  /** Size of the exchange's data, in bytes. */
  readonly disk: number;
  /** Processor time and time since the start. */
  readonly cpuSeconds: number;
  readonly upSeconds: number;
}

/** An account of the sandbox with its keys. */
export interface AccountReport {
  readonly id: string;
  readonly username: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly permissions: Granted;
}

/** The balance of a coin in a wallet, as decimal text. */
export interface WalletReport {
  readonly wallet: 'spot' | 'isolated' | 'cross';
  /** Null unless the wallet is isolated. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

interface DepositReport {
  readonly id: string;
  readonly account: string;
  readonly coin: string;
  readonly amount: string;
}

export interface TransferReport {
  readonly account: string;
  readonly to: string | null;
  readonly wallet: string | null;
  readonly back: boolean;
  readonly coin: string;
  readonly amount: string;
}

/** The exchange's clock. */
export interface ClockReport {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly running: boolean;
  /** A multiple of the machine's speed. */
  readonly speed: number;
}

/** What a change of the exchange ends, or would end. */
interface Ended {
  /** A noun phrase for each thing. Empty: nothing of a customer is lost. */
  readonly ended: readonly string[];
}

/** What a recording does not have. Times are ISO 8601 in UTC with milliseconds. */
export interface ReplayGap {
  /** Such as `trades:btc_usdt`; empty for the end of a file that was cut off. */
  readonly channel: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Times are ISO 8601 in UTC with milliseconds. */
interface ReplayPlan extends Ended {
  readonly markets: readonly string[];
  readonly from: string;
  /** Whether a new exchange is started at the first event. */
  readonly restarts: boolean;
  readonly gaps: readonly ReplayGap[];
  readonly guessed: readonly GuessedMarket[];
}

/** A market whose rules are unknown: it has as many decimals as the recording shows, and no minimums. */
export interface GuessedMarket {
  readonly name: string;
  readonly priceScale: number;
  readonly amountScale: number;
}

/** Times are ISO 8601 in UTC with milliseconds. */
export interface ReplayReport extends ReplayPlan {
  readonly kind: 'candles' | 'trades' | 'tape';
  readonly rows: number;
  readonly to: string;
  /** Null for as fast as possible. */
  readonly speed: number | null;
  /** Rows that are still to be replayed. */
  readonly left: number;
}

interface PriceMoveReport {
  readonly market: string;
  readonly price: string;
  /** When the price is reached: ISO 8601 in UTC with milliseconds. */
  readonly at: string;
}

interface StateReport {
  readonly file: string;
  /** Rows of the exchange's data: orders, balances, bills, trades, candles and so on. */
  readonly rows: number;
}

interface ImportReport extends StateReport, Ended {}

/** The rules of a market for new orders. */
export interface MarketRulesReport {
  readonly market: string;
  readonly priceScale: number;
  readonly amountScale: number;
  readonly minAmount: string;
  readonly minNotional: string;
}
