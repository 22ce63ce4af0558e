import type { Passing } from '../../support/proxy.js';
import type { Draw } from './draw.js';
import type { Exchange, Listed } from './exchange.js';
import type { Run, Warned } from './program.js';

export type Side = 'buy' | 'sell';

/** Something that pit is told to do, once. */
export interface Action {
  readonly number: number;
  /** The name of its kind. */
  readonly kind: string;
  readonly market: string;
  readonly side: Side;
  /** What is typed, but for the flags that every command here gets. */
  readonly words: readonly string[];
  /** What its writes are known by on the way, so that the network knows what to do to them: one for each. */
  readonly keys: readonly string[];
  /** `--timeout`, in seconds. */
  readonly timeout: number;
  /** The client id that it was told to use; undefined where pit makes one. */
  readonly clientId: string | undefined;
  /** What it gets on stdin; nothing where it is left out. */
  readonly input?: string;
}

/** What the exchange was made to look like before: markets with their prices, and a way to place orders past the network. */
export interface Fixture {
  readonly exchange: Exchange;
  /** By market. */
  readonly prices: ReadonlyMap<string, { readonly bid: number; readonly ask: number }>;
  /** The share of orders that get an id from the user. */
  readonly ownIds: number;
  /** How many orders a batch may have. */
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
  /** The row is the journal's own, and nobody was told. */
  readonly isArchived?: true;
  /** There, the order that was to be cancelled, or the key of a withdrawal. */
  readonly target?: string;
}

/** A job as the journal has it. */
export interface JobRecord {
  readonly id: string;
  readonly market: string;
  /** Price and amount of each order. */
  readonly lines: readonly string[];
}

/** A write as it passed, and what it is known by. */
export type Written = Passing & { readonly key: string };

/** All that is known of an action in the end. */
export interface Evidence {
  readonly run: Run;
  /** What was run in the end to finish it; undefined where nothing was. */
  readonly finished: Run | undefined;
  /** Its writes as they passed. */
  readonly writes: readonly Written[];
  /** The reads of a single order, of anybody. */
  readonly looks: readonly Passing[];
  /** The reads of the lists of its market and side, or of the records of its coin. */
  readonly listings: readonly Passing[];
  /** All orders of its market and side, as the exchange has them. */
  readonly orders: readonly Listed[];
  /** All withdrawals of the coin that stands for its market, as the exchange has them. */
  readonly withdrawals: readonly Listed[];
  /** What any command said of duplicates. */
  readonly warned: readonly Warned[];
  readonly resolved: readonly Resolved[];
}

/** What pit said of an action with its exit code and its JSON. `failed`: it ended without a word about the outcome. */
export type Said = 'placed' | 'partial' | 'cancelled' | 'refused' | 'notSent' | 'unknown' | 'failed' | 'killed';

/** What must never be. */
export type Breach =
  | 'doubled by pit'
  | 'lost silently'
  | 'said to be done, and was not'
  | 'said not to be done, and was'
  | 'doubled by the network before the check, and not flagged'
  | 'doubled by the network, and never told'
  | 'done after it was refused, and never told'
  | 'told to be doubled, and was not'
  | 'ended without a word about the outcome'
  | 'not settled'
  | 'settled wrongly';

export interface Judgement {
  readonly said: Said;
  /** Orders that the network made beyond the first. */
  readonly duplicates: number;
  /** How many of them had to be flagged by the command itself: they were there, and its look at the list came through. */
  readonly prompt: number;
  /** How many of them it did flag; the others are told by a later command. */
  readonly flagged: number;
  /** It was refused, and a copy that came after the refusal was done: nobody can know that when it is said. */
  readonly isLate: boolean;
  readonly breaches: readonly Breach[];
}

/** A kind of action: how pit is told, how its verdict is read, and what it is held against. */
export interface Kind<Task extends Action = Action> {
  readonly name: string;
  readonly weight: number;
  plan(number: number, draw: Draw, fixture: Fixture): Promise<Task>;
  /** What somebody else does once its command has ended, past the network. */
  beside?(action: Task, fixture: Fixture): Promise<void>;
  /** What a request of its kind on the way is known by; undefined for one of another kind. */
  keyOf(request: Passing): string | undefined;
  /** What is typed to finish it once everything is settled and nothing is disturbed any more. */
  finish?(action: Task, jobs: readonly JobRecord[]): readonly string[] | undefined;
  judge(action: Task, evidence: Evidence): Judgement;
}

/** Each write leaves once. */
export function doubled({ keys }: Action, { writes }: Evidence): Breach[] {
  const isTwice = keys.some((key) => writes.filter((write) => write.key === key).length > 1);
  return isTwice ? ['doubled by pit'] : [];
}

/**
 * The last moment at which pit can have seen what became of a write that was refused, in ms since the Unix epoch: its last
 * look by one of these names, or where there was none the refusal itself.
 */
export function lastSeen({ writes, looks, run }: Evidence, names: readonly (string | undefined)[]): number {
  const replied = writes[0]?.replied ?? run.ended;
  const own = looks.filter(({ time, parameters: { id, customerOrderId } }) => {
    return time >= replied && time <= run.ended && names.includes(id ?? customerOrderId);
  });
  const times = own.flatMap(({ executions }) => executions.map(({ begun }) => begun));
  return Math.max(replied, ...times);
}
