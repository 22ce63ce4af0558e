/**
 * Finds the outcome of orders and batches: compares attempts that are not closed with a list from the exchange. Nothing is read, written or
 * printed here. Withdrawals have rules of their own: `withdrawals/reconcile-withdrawals.ts`.
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
  /** The id of its row, once known. */
  readonly rowId: string | null;
  /** Only its position in an answer says that this is its row: the answer may name the rows in another order. */
  readonly isByPosition?: boolean | undefined;
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
  /** The ids that its answer named and that no item has yet. */
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
  const matching = new Matching(attempts, list, context);
  matching.assignNamedRows();
  matching.leaveContestedRows();
  matching.assignNearestRows();
  matching.assignDuplicates();
  return matching.decide();
}

/** An item and the row that it has been given so far. */
interface Candidate {
  readonly attempt: Attempt;
  readonly item: WantedItem;
  rowId: string | null;
}

/** Which rows of the list belong to which items. */
class Matching {
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
  /** The writes that were given a row because it was the nearest, by the key of the row. */
  readonly #takenBy = new Map<string, Set<string>>();
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
  assignNamedRows(): void {
    for (const attempt of this.#attempts) {
      this.#reorderNamedRows(attempt);
      const named = new Set(attempt.responseIds);
      if (named.size === 0) continue;
      const wanting = groupBy(
        this.#candidatesOf(attempt).filter(({ rowId }) => rowId === null),
        ({ item }) => item.matchKey,
      );
      for (const row of this.#unclaimed) {
        if (!named.has(row.id)) continue;
        const candidate = wanting.get(row.matchKey)?.shift();
        if (candidate !== undefined) candidate.rowId = row.id;
        // the exchange changed a row that matches none of the wanted items: it still belongs to this request
        if (candidate !== undefined || !attempt.items.some(({ matchKey }) => matchKey === row.matchKey))
          this.#unclaimed.delete(row);
      }
    }
  }

  /** Items that have each other's rows, because an answer named these in another order, exchange them. */
  #reorderNamedRows(attempt: Attempt): void {
    const unlike = this.#candidatesOf(attempt).filter((candidate) => {
      const row = candidate.item.isByPosition === true ? this.#rowOf(candidate) : undefined;
      return row !== undefined && row.matchKey !== candidate.item.matchKey;
    });
    const rowIds = new Set(unlike.flatMap(({ rowId }) => rowId ?? []));
    const left: Candidate[] = [];
    for (const candidate of unlike) {
      const own = [...rowIds].find((id) => this.#listed.get(id)?.row.matchKey === candidate.item.matchKey);
      if (own === undefined) left.push(candidate);
      else {
        candidate.rowId = own;
        rowIds.delete(own);
      }
    }
    for (const candidate of left) {
      const [any = null] = rowIds;
      candidate.rowId = any;
      rowIds.delete(any ?? '');
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

  /** Step 3: pending items take the nearest rows; requests without an answer come first. */
  assignNearestRows(): void {
    const unclaimedByKey = groupBy(this.#unclaimed, ({ matchKey }) => matchKey);
    const pending = this.#candidates.filter(({ item, rowId }) => item.state === 'pending' && rowId === null);
    for (const candidate of pending.sort(byPriority)) {
      const { attempt, item } = candidate;
      const fitting = (unclaimedByKey.get(item.matchKey) ?? []).filter(
        (row) => this.#unclaimed.has(row) && this.#mayBelongTo(row, candidate),
      );
      const row = leastBy(fitting, (one) => this.#gap(one, candidate));
      if (row === undefined) continue;
      this.#unclaimed.delete(row);
      this.#takenBy.set(row.matchKey, (this.#takenBy.get(row.matchKey) ?? new Set()).add(attempt.writeId));
      candidate.rowId = row.id;
    }
  }

  /**
   * Step 4: a remaining row that matches an item was made by a request that was executed again. An item that is still pending matches
   * none of them: it would have taken it in step 3.
   */
  assignDuplicates(): void {
    const byKey = this.#candidatesByKey();
    for (const row of this.#unclaimed) {
      const fitting = (byKey.get(row.matchKey) ?? []).filter((candidate) => this.#mayBeDuplicateOf(row, candidate));
      const proven = fitting.find(({ attempt }) => attempt.newestId === row.id);
      const originals = proven === undefined ? fitting : [proven];
      const nearest = leastBy(originals, (candidate) => this.#gap(row, candidate));
      if (nearest === undefined) continue;
      const { writeId } = nearest.attempt;
      // a write without an answer may have made it: a later list decides
      const isAmbiguous = fitting.some(
        ({ item, attempt, rowId }) =>
          item.state === 'pending' && attempt.writeId !== writeId && !attempt.responseIds.includes(rowId ?? ''),
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
      const isAbsenceCertain =
        !missing.some(({ item }) => this.#contestedKeys.has(item.matchKey)) &&
        isAbsenceProven(attempt, hasExpired, isExplained);
      const absence = attempt.response === 'named' || attempt.response === 'refused' ? 'refused' : 'notSent';
      if (isAbsenceCertain) for (const { item } of missing) outcomes.set(item.id, { outcome: absence });
      if (this.#isAmbiguous(attempt)) this.#ambiguous.add(attempt.writeId);
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

  #rowOf({ rowId }: Candidate): Row | undefined {
    return this.#listed.get(rowId ?? '')?.row;
  }

  /** Whether the row may be the item's own. */
  #mayBelongTo(row: Row, candidate: Candidate): boolean {
    const isNear = candidate.attempt.isOlderRow !== undefined || this.#gap(row, candidate) <= this.#window;
    return isNear && this.#isAfterSending(row, candidate);
  }

  /** Whether the row may come from a repeated or late execution of the item. */
  #mayBeDuplicateOf(row: Row, candidate: Candidate): boolean {
    if (!this.#isAfterSending(row, candidate)) return false;
    const mayComeLate = candidate.item.state === 'absent' && candidate.attempt.response === 'lost';
    if (!mayComeLate && this.#gap(row, candidate) > this.#window) return false;
    // a row that is newer than the newest order with this client id does not carry it
    const newest = this.#listed.get(candidate.attempt.newestId ?? '')?.row;
    return newest === undefined || row.time <= newest.time;
  }

  /**
   * Whether the row was made after the request was sent. An order that is dated before its own request shows that the list
   * has another clock; then rows are compared with the order instead.
   */
  #isAfterSending(row: Row, candidate: Candidate): boolean {
    const { attempt } = candidate;
    if (attempt.isOlderRow !== undefined)
      return (this.#listed.get(row.id)?.index ?? 0) < (this.#boundaries.get(attempt) ?? 0);
    const after = this.#madeAt(candidate) - attempt.reqTime;
    const isOneClock = after >= -SLACK_MS && after <= this.#window;
    return row.time >= (isOneClock ? attempt.reqTime - SLACK_MS : this.#madeAt(candidate) - this.#window);
  }

  /** The time between the row and the item's own row or request, whichever is nearer, in milliseconds. */
  #gap(row: Row, candidate: Candidate): number {
    return Math.min(Math.abs(row.time - this.#madeAt(candidate)), Math.abs(row.time - candidate.attempt.reqTime));
  }

  #madeAt(candidate: Candidate): number {
    return this.#rowOf(candidate)?.time ?? candidate.attempt.reqTime;
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

  /** Whether another write was given a row that this one may have made, or may have made it. */
  #isAmbiguous(attempt: Attempt): boolean {
    return this.#candidatesOf(attempt).some(
      ({ item }) =>
        this.#contestedKeys.has(item.matchKey) ||
        [...(this.#takenBy.get(item.matchKey) ?? [])].some((writeId) => writeId !== attempt.writeId),
    );
  }
}

/**
 * Whether items without a row certainly do not exist.
 * @param hasExpired whether the list was read after the exchange rejected the time of the request as expired
 * @param isExplained whether the list shows everything that the answer named, and each belongs to an item
 */
function isAbsenceProven({ response }: Attempt, hasExpired: boolean, isExplained: boolean): boolean {
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
