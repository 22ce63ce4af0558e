import type { Passing } from '../../support/proxy.js';
import type { Draw } from './draw.js';
import type { Exchange, Listed } from './exchange.js';
import type { Terms } from './kinds/terms.js';
import type { Run, Warned } from './program.js';

export type Side = 'buy' | 'sell';

/** A single task for pit. */
export interface Action {
  readonly number: number;
  /** The name of its kind. */
  readonly kind: string;
  readonly market: string;
  readonly side: Side;
  /** The command line, without the flags that every command here gets. */
  readonly words: readonly string[];
  /** Identifies its writes on the network, which treats them by it: one key per write. */
  readonly keys: readonly string[];
  /** `--timeout`, in seconds. */
  readonly timeout: number;
  /** The client id given by the user; undefined if pit generates one. */
  readonly clientId: string | undefined;
  /** Its stdin (default: empty). */
  readonly input?: string;
  /** How many times it runs at once (default: 1). */
  readonly copies?: number;
}

/** The prepared exchange: prices by market, and direct access that bypasses the network. */
export interface Fixture {
  readonly exchange: Exchange;
  /** By market. */
  readonly prices: ReadonlyMap<string, { readonly bid: number; readonly ask: number }>;
  /** The share of orders with an id from the user. */
  readonly ownIds: number;
  /** The possible sizes of a batch. */
  readonly batches: readonly number[];
}

/** A row of `pit resolve --json`. */
export interface Resolved {
  readonly operation: string;
  readonly clientId: string;
  readonly market: string;
  readonly outcome: string;
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly timeline: readonly { readonly time: string; readonly event: string }[];
  /** The row comes from the journal, and was never reported. */
  readonly isArchived?: true;
  /** For an archived row, the order to cancel or the key of a withdrawal. */
  readonly target?: string;
}

/** A job in the journal. */
export interface JobRecord {
  readonly id: string;
  readonly market: string;
  /** Price and amount of each order. */
  readonly lines: readonly string[];
}

/** A write that passed the network, and its key. */
export type Written = Passing & { readonly key: string };

/** Everything that is known about an action in the end. */
export interface Evidence {
  readonly run: Run;
  /** Every run of it, if it runs several times at once. */
  readonly runs: readonly Run[];
  /** The final command that finished it, if any. */
  readonly finished: Run | undefined;
  /** Its writes on the network. */
  readonly writes: readonly Written[];
  /** All reads of single orders. */
  readonly orderReads: readonly Passing[];
  /** The reads of the lists of its market and side, or of the records of its coin. */
  readonly listings: readonly Passing[];
  /** All orders of its market and side on the exchange. */
  readonly orders: readonly Listed[];
  /** All withdrawals of its coin (in place of a market) on the exchange. */
  readonly withdrawals: readonly Listed[];
  /** The duplicates that any command reported. */
  readonly warned: readonly Warned[];
  readonly resolved: readonly Resolved[];
}

/** The outcome that pit reported with its exit code and JSON. `failed`: it ended without reporting one. */
export type ReportedOutcome =
  | 'placed'
  | 'partial'
  | 'cancelled'
  | 'refused'
  | 'notSent'
  | 'unknown'
  | 'failed'
  | 'killed';

/** A broken promise. */
export type Breach =
  | 'sent twice by pit'
  | 'lost silently'
  | 'reported as done, but not done'
  | 'reported as not done, but done'
  | 'duplicated by the network before the check, and not flagged'
  | 'duplicated by the network, and never reported'
  | 'done after a refusal, and never reported'
  | 'reported as duplicated, but is not'
  | 'ended without a reported outcome'
  | 'not settled'
  | 'settled wrongly'
  | 'left to the user, but was clear';

export interface Judgement {
  readonly reported: ReportedOutcome;
  /** Orders that the network made beyond the first. */
  readonly duplicates: number;
  /** How many of them the command itself had to flag: they existed, and its list was read undisturbed. */
  readonly prompt: number;
  /** How many of them it did flag; a later command reports the others. */
  readonly flagged: number;
  /** It was refused, and a repetition executed after the refusal, which the command could not know. */
  readonly isLate: boolean;
  /** Whether its outcome stayed unknown until the user reported it. */
  readonly isSettledByUser?: boolean;
  readonly breaches: readonly Breach[];
}

/** A kind of action: its command, how to read the reported outcome, and how to judge it. */
export interface Kind<Task extends Action = Action> {
  readonly name: string;
  readonly weight: number;
  plan(number: number, draw: Draw, fixture: Fixture): Promise<Task>;
  /** What another program does without the network once the command has ended. */
  afterCommand?(action: Task, fixture: Fixture): Promise<void>;
  /** The orders that it asks for. */
  ordersOf?(action: Task): readonly Terms[];
  /** The key of a write of this kind; undefined for any other request. */
  keyOf(request: Passing): string | undefined;
  /** The command that finishes it once everything is settled and the network is calm. */
  finish?(action: Task, jobs: readonly JobRecord[]): readonly string[] | undefined;
  judge(action: Task, evidence: Evidence): Judgement;
}

/** Reports a write that pit sent twice. */
export function sentTwice({ keys }: Action, { writes }: Evidence): Breach[] {
  const isTwice = keys.some((key) => writes.filter((write) => write.key === key).length > 1);
  return isTwice ? ['sent twice by pit'] : [];
}

/**
 * The last moment at which pit can have seen the effect of a refused write, in ms since the Unix epoch: its last
 * read by one of these ids, or else the refusal.
 */
export function lastSeen({ writes, orderReads, run }: Evidence, names: readonly (string | undefined)[]): number {
  const replied = writes[0]?.replied ?? run.ended;
  const own = orderReads.filter(({ time, parameters: { id, customerOrderId } }) => {
    return time >= replied && time <= run.ended && names.includes(id ?? customerOrderId);
  });
  const times = own.flatMap(({ executions }) => executions.map(({ begun }) => begun));
  return Math.max(replied, ...times);
}
