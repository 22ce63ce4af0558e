/**
 * Finds the outcome of writes: counts the rows of a list from the exchange against what the attempts that are not closed have asked
 * for. Items with equal terms are interchangeable, so rows are counted for them: as many are placed as there are rows, the rows
 * beyond that are duplicates, and once the request has expired the items beyond the rows are absent. Orders and batches come in the
 * same form. Nothing is read, written or printed here.
 *
 * An answer is not the end of a request: the network may repeat it for as long as the exchange accepts its `reqTime`. An
 * attempt is therefore closed by a list only if the list was read after that moment.
 */

/**
 * How far apart the clocks of this machine and of the exchange's nodes may be, and how far the exchange's lists may lag
 * behind.
 */
export const SLACK_MS = 5_000;

/** One listed order. */
export interface Row {
  readonly id: string;
  /** Equal for rows that the same item could have made. */
  readonly matchKey: string;
  /** By the clock of the list, in milliseconds since the Unix epoch. */
  readonly time: number;
}

/** An order that pit requested. */
export interface WantedItem {
  readonly id: string;
  readonly matchKey: string;
  /** The id of its row, once known; null also for a placed item whose row only {@link Attempt.responseIds} names. */
  readonly rowId: string | null;
  /** `pending`: its outcome is unknown. `absent`: it does not exist, but a late execution may still make it. */
  readonly state: 'placed' | 'pending' | 'absent';
}

/** One sent request and the orders that it asked for, as far as they are known. */
export interface Attempt {
  readonly id: string;
  /** The write that it belongs to: a batch has several attempts. */
  readonly writeId: string;
  readonly items: readonly WantedItem[];
  /**
   * - `decided`: every item has its outcome.
   * - `named`: accepted. {@link responseIds} are the ids in the answer; only a list shows their terms.
   * - `refused`: rejected with a code that is about its orders.
   * - `refusedForTiming`: rejected with a code that is about its time, such as a rate limit.
   * - `lost`: no response came. If its items are absent, it has expired, but the exchange may still execute it late.
   */
  readonly response: 'decided' | 'named' | 'refused' | 'refusedForTiming' | 'lost';
  /** The ids that its answer named and that no item has yet: hints, since only the terms of a row show whose it is. */
  readonly responseIds: readonly string[];
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The newest order with the client id of its order, asked for after the list was read; undefined if that is unknown. */
  readonly newestId?: string | undefined;
  /** The time before which all rows were already compared, if that is later than its `reqTime`. */
  readonly checkedTo?: number | undefined;
  /** Whether a row existed before the request. Without this function, the row's time decides. */
  readonly isOlderRow?: ((rowId: string) => boolean) | undefined;
}

/** A list of the exchange: the orders of one side of a market. */
export interface List {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** When reading began, by the exchange's clock. */
  readonly began: number;
  /** The time from which on the list is complete; `-Infinity` if it was read to its end, `Infinity` if it may lack any row. */
  readonly since: number;
}

interface ReconcileContext {
  /** The ids of rows that belong to closed writes, or were reported as duplicates. */
  readonly accountedFor: ReadonlySet<string>;
  /** The ids of rows that may be a single order's whose outcome a lookup has not shown yet: nothing else gets them. */
  readonly contested?: ReadonlySet<string>;
  /** The newest `reqTime` that the exchange had rejected as expired before the list was read (default: it was not asked). */
  readonly expiredTo?: number | undefined;
  /** For how long after its `reqTime` the exchange accepts a request, in milliseconds. */
  readonly requestLifetime: number;
}

type ItemOutcome = { readonly outcome: 'placed'; readonly id: string } | { readonly outcome: 'refused' | 'notSent' };

/** Rows of a request beyond the one that was requested. */
export interface Duplicates {
  readonly attempt: Attempt;
  readonly item: WantedItem;
  /** The rows, oldest first. For an item that was absent, the first of them is its order. */
  readonly rows: readonly Row[];
  /** Whether they carry its client id. Otherwise another program may have placed the same order at the same time. */
  readonly isProven: boolean;
}

export interface Reconciled {
  /** The outcomes that this list decides, by item. */
  readonly outcomes: ReadonlyMap<string, ItemOutcome>;
  readonly duplicates: readonly Duplicates[];
  /** The ids of expired attempts for which this list shows all that they made. */
  readonly closed: ReadonlySet<string>;
  /** The ids of writes that may have made a row which another pending write may have made too. */
  readonly ambiguous: ReadonlySet<string>;
}

/** The time after which the exchange certainly no longer accepts a request with this `reqTime`. */
export function expiresAt(reqTime: number, requestLifetime: number): number {
  return reqTime + requestLifetime + SLACK_MS;
}

/** Compares the attempts with the list in four steps, and returns what that decides. */
export function reconcile(attempts: readonly Attempt[], list: List, context: ReconcileContext): Reconciled {
  const count = new Count(attempts, list, context);
  count.takeNamedRows();
  count.leaveContestedRows();
  count.takeWantedRows();
  count.leaveDuplicates();
  return count.decide();
}

/** An item and the row that it has been given so far. */
interface Candidate {
  readonly attempt: Attempt;
  readonly item: WantedItem;
  rowId: string | null;
}

/** Which rows of the list the items have. */
class Count {
  readonly #attempts: readonly Attempt[];
  readonly #list: List;
  readonly #context: ReconcileContext;

  /** How long after its request a row may be dated, in milliseconds. */
  readonly #window: number;
  readonly #listed: ReadonlyMap<string, { readonly row: Row; readonly index: number }>;
  readonly #boundaries: ReadonlyMap<Attempt, number>;
  readonly #candidates: readonly Candidate[];
  readonly #byAttempt: ReadonlyMap<string, readonly Candidate[]>;
  /** Rows that belong to nothing yet, oldest first. */
  readonly #unclaimed: Set<Row>;
  /** Keys of contested rows: an item with one of them may have made that row. */
  readonly #contestedKeys = new Set<string>();
  /** Attempts whose answer named a row of another write, or one that is older: it is the answer to another request. */
  readonly #misanswered = new Set<Attempt>();
  readonly #duplicates = new Map<Candidate, Row[]>();
  readonly #ambiguous = new Set<string>();

  constructor(attempts: readonly Attempt[], list: List, context: ReconcileContext) {
    this.#attempts = attempts;
    this.#list = list;
    this.#context = context;

    const { accountedFor, requestLifetime } = context;
    this.#window = requestLifetime + SLACK_MS;
    this.#listed = new Map(list.rows.map((row, index) => [row.id, { row, index }]));
    this.#boundaries = new Map(attempts.map((attempt) => [attempt, boundaryOf(attempt, list.rows)]));
    this.#candidates = attempts.flatMap((attempt) =>
      attempt.items.map((item): Candidate => ({ attempt, item, rowId: item.rowId })),
    );
    this.#byAttempt = groupBy(this.#candidates, ({ attempt }) => attempt.id);
    const claimed = new Set([...accountedFor, ...this.#candidates.flatMap(({ rowId }) => rowId ?? [])]);
    this.#unclaimed = new Set(list.rows.filter(({ id }) => !claimed.has(id)).reverse());
  }

  /** Step 1: a row that an answer named belongs to that request, even if other requests would match as well. */
  takeNamedRows(): void {
    for (const attempt of this.#attempts) {
      const named = this.#rowsNamedBy(attempt);
      if (named.length === 0) continue;
      const vacant = this.#candidatesOf(attempt).filter(({ rowId }) => rowId === null);
      const wanting = groupBy(vacant, ({ item }) => item.matchKey);
      const changed: Row[] = [];
      for (const row of named) {
        const candidate = wanting.get(row.matchKey)?.shift();
        if (candidate !== undefined) candidate.rowId = row.id;
        const isChanged = !attempt.items.some(({ matchKey }) => matchKey === row.matchKey);
        if (isChanged) changed.push(row);
        if (candidate !== undefined || isChanged) this.#unclaimed.delete(row);
      }
      // the exchange changed a row that matches no item: if it accepted all of them, the row is that of one that has none
      const accepted = vacant.filter(({ item, rowId }) => item.state === 'placed' && rowId === null);
      for (const candidate of accepted) candidate.rowId = changed.shift()?.id ?? null;
    }
  }

  /** Step 2: contested rows are left to a later list. */
  leaveContestedRows(): void {
    for (const row of this.#unclaimed) {
      if (this.#context.contested?.has(row.id) !== true) continue;
      this.#unclaimed.delete(row);
      this.#contestedKeys.add(row.matchKey);
    }
  }

  /** Step 3: pending items take the rows that are left, both the oldest first; requests without an answer come before refused ones. */
  takeWantedRows(): void {
    const unclaimedByKey = groupBy(this.#unclaimed, ({ matchKey }) => matchKey);
    const pending = this.#candidates.filter(({ item, rowId }) => item.state === 'pending' && rowId === null);
    for (const candidate of pending.sort(byPriority)) {
      const rows = unclaimedByKey.get(candidate.item.matchKey) ?? [];
      const row = rows.find((one) => this.#unclaimed.has(one) && !this.#isOlder(one, candidate.attempt));
      if (row === undefined) continue;
      this.#unclaimed.delete(row);
      candidate.rowId = row.id;
    }
  }

  /** Step 4: the rows that are still left are more than the items with their terms: a request was executed again. */
  leaveDuplicates(): void {
    const byKey = this.#candidatesByKey();
    for (const row of this.#unclaimed) {
      const fitting = (byKey.get(row.matchKey) ?? []).filter((candidate) => this.#mayBeDuplicateOf(row, candidate));
      const proven = fitting.find(({ attempt }) => attempt.newestId === row.id);
      const originals = proven === undefined ? fitting : [proven];
      const nearest = leastBy(originals, (candidate) => Math.abs(row.time - this.#sentAt(candidate)));
      if (nearest === undefined) continue;
      const { writeId } = nearest.attempt;
      // a write without an answer may have made it, or it is that of a line whose answer named others: a later list decides
      const isAmbiguous = fitting.some(
        ({ item, attempt, rowId }) =>
          (item.state === 'placed' && rowId === null) ||
          (item.state === 'pending' && attempt.writeId !== writeId && !attempt.responseIds.includes(rowId ?? '')),
      );
      if (isAmbiguous && proven === undefined) {
        this.#ambiguous.add(writeId);
        continue;
      }
      // if several lines of a batch match, those without an order come first
      const isVacant = (candidate: Candidate) =>
        candidate.rowId === null && !this.#duplicates.has(candidate) && candidate.attempt.writeId === writeId;
      const candidate = originals.find(isVacant) ?? nearest;
      this.#duplicates.set(candidate, [...(this.#duplicates.get(candidate) ?? []), row]);
    }
  }

  /** Candidates by the key of their rows. */
  #candidatesByKey(): Map<string, Candidate[]> {
    const byKey = groupBy(this.#candidates, ({ item }) => item.matchKey);
    for (const candidate of this.#candidates) {
      // the exchange may have changed an order when it accepted it, and its duplicates in the same way
      const key = this.#rowOf(candidate)?.matchKey ?? candidate.item.matchKey;
      if (key !== candidate.item.matchKey) byKey.set(key, [...(byKey.get(key) ?? []), candidate]);
    }
    return byKey;
  }

  /** What the list decides about each attempt, once every row is assigned. */
  decide(): Reconciled {
    const { requestLifetime, expiredTo = Number.NEGATIVE_INFINITY } = this.#context;
    const outcomes = new Map<string, ItemOutcome>();
    const closed = new Set<string>();
    const accountedFor = this.#accountedRows();
    for (const attempt of this.#attempts) {
      const own = this.#candidatesOf(attempt);
      for (const { item, rowId } of own)
        if (rowId !== null && item.rowId !== rowId) outcomes.set(item.id, { outcome: 'placed', id: rowId });
      if (!this.#listReaches(attempt)) continue;
      const missing = own.filter(({ item, rowId }) => item.state === 'pending' && rowId === null);
      const isReadAfterExpiry = this.#list.began > expiresAt(attempt.reqTime, requestLifetime);
      const isShown = this.#listShows(attempt);
      const hasExpired = isReadAfterExpiry && attempt.reqTime <= expiredTo;
      const isExplained = isShown && attempt.responseIds.every((id) => accountedFor.has(id));
      const response = this.#misanswered.has(attempt) ? 'lost' : attempt.response;
      const isAbsenceCertain =
        !missing.some(({ item }) => this.#contestedKeys.has(item.matchKey)) &&
        isAbsenceProven(response, hasExpired, isExplained);
      const absence = response === 'named' || response === 'refused' ? 'refused' : 'notSent';
      if (isAbsenceCertain) for (const { item } of missing) outcomes.set(item.id, { outcome: absence });
      if (own.some(({ item }) => this.#contestedKeys.has(item.matchKey))) this.#ambiguous.add(attempt.writeId);
      const isComplete = missing.length === 0 || isAbsenceCertain;
      if (isReadAfterExpiry && isShown && isComplete && !this.#ambiguous.has(attempt.writeId)) closed.add(attempt.id);
    }
    return {
      outcomes,
      duplicates: [...this.#duplicates].map(([{ attempt, item, rowId }, rows]) => ({
        attempt,
        item: { ...item, rowId },
        rows,
        isProven: rows.every(({ id }) => attempt.newestId === id),
      })),
      closed,
      ambiguous: this.#ambiguous,
    };
  }

  #candidatesOf(attempt: Attempt): readonly Candidate[] {
    return this.#byAttempt.get(attempt.id) ?? [];
  }

  /** The rows that its answer named and that belong to nothing yet, oldest first. */
  #rowsNamedBy(attempt: Attempt): readonly Row[] {
    const listed = attempt.responseIds.flatMap((id) => this.#listed.get(id) ?? []);
    const own = listed.filter(({ row }) => this.#unclaimed.has(row) && !this.#isOlder(row, attempt));
    if (own.length < listed.length) this.#misanswered.add(attempt);
    return own.sort((one, other) => other.index - one.index).map(({ row }) => row);
  }

  #rowOf({ rowId }: Candidate): Row | undefined {
    return this.#listed.get(rowId ?? '')?.row;
  }

  /** Whether a row was there before the request. */
  #isOlder({ id, time }: Row, attempt: Attempt): boolean {
    if (attempt.isOlderRow === undefined) return time < attempt.reqTime - SLACK_MS;
    return (this.#listed.get(id)?.index ?? 0) >= (this.#boundaries.get(attempt) ?? 0);
  }

  /** Whether the row may come from a repeated or late execution of the item. */
  #mayBeDuplicateOf(row: Row, candidate: Candidate): boolean {
    const { attempt, item } = candidate;
    const sentAt = this.#sentAt(candidate);
    const mayComeLate = item.state === 'absent' && attempt.response === 'lost';
    const isInTime = mayComeLate || row.time <= sentAt + this.#window;
    const isOneClock = attempt.isOlderRow !== undefined || sentAt === attempt.reqTime;
    const wasBefore = isOneClock ? this.#isOlder(row, attempt) : row.time < sentAt - this.#window;
    if (!isInTime || wasBefore) return false;
    // a row that is newer than the newest order with this client id does not carry it
    const newest = this.#listed.get(attempt.newestId ?? '')?.row;
    return newest === undefined || row.time <= newest.time;
  }

  /**
   * When its request was sent, as the list dates it. An own row that is dated outside the life of its request shows that the list has
   * another clock; the time of that row is the nearest to it.
   */
  #sentAt(candidate: Candidate): number {
    const { reqTime } = candidate.attempt;
    const madeAt = this.#rowOf(candidate)?.time ?? reqTime;
    const isOneClock = madeAt >= reqTime - SLACK_MS && madeAt <= reqTime + this.#window;
    return isOneClock ? reqTime : madeAt;
  }

  /** The ids of rows that belong to an item or were reported. */
  #accountedRows(): ReadonlySet<string> {
    const repeated = [...this.#duplicates.values()].flatMap((rows) => rows.map(({ id }) => id));
    return new Set([
      ...this.#context.accountedFor,
      ...repeated,
      ...this.#candidates.flatMap(({ rowId }) => rowId ?? []),
    ]);
  }

  /** Whether the list reaches back to before the request. */
  #listReaches(attempt: Attempt): boolean {
    if (this.#list.since === Number.NEGATIVE_INFINITY) return true;
    if (this.#list.since === Number.POSITIVE_INFINITY) return false;
    if (attempt.isOlderRow === undefined) return this.#list.since <= (attempt.checkedTo ?? attempt.reqTime) - SLACK_MS;
    return (this.#boundaries.get(attempt) ?? 0) < this.#list.rows.length;
  }

  /** Whether the list shows every row that the attempt is known to have made. */
  #listShows(attempt: Attempt): boolean {
    const hasListedRow = ({ rowId }: Candidate) => rowId === null || this.#listed.has(rowId);
    return (
      attempt.responseIds.every((id) => this.#listed.has(id)) &&
      (attempt.checkedTo !== undefined || this.#candidatesOf(attempt).every(hasListedRow))
    );
  }
}

/**
 * Whether items without a row certainly do not exist.
 * @param hasExpired whether the list was read after the exchange rejected the time of the request as expired
 * @param isExplained whether the list shows everything that the answer named, and each belongs to an item
 */
function isAbsenceProven(response: Attempt['response'], hasExpired: boolean, isExplained: boolean): boolean {
  if (response === 'named') return isExplained;
  return response === 'refused' || hasExpired;
}

/** The first place in the list at which there are rows from before the request. */
function boundaryOf({ isOlderRow }: Attempt, rows: readonly Row[]): number {
  const index = isOlderRow === undefined ? -1 : rows.findIndex(({ id }) => isOlderRow(id));
  return index === -1 ? rows.length : index;
}

/** Requests without an answer before refused ones, the earlier before the later. */
function byPriority(one: Candidate, other: Candidate): number {
  const rank = ({ attempt }: Candidate) => (attempt.response === 'refused' ? 1 : 0);
  const { attempt: left } = one;
  const { attempt: right } = other;
  return (
    rank(one) - rank(other) || left.reqTime - right.reqTime || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
  );
}

function leastBy<Item>(items: readonly Item[], of: (item: Item) => number): Item | undefined {
  let least: { readonly item: Item; readonly value: number } | undefined;
  for (const item of items) {
    const value = of(item);
    if (least === undefined || value < least.value) least = { item, value };
  }
  return least?.item;
}

function groupBy<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
