/**
 * Finds the outcome of writes: compares attempts that are not closed with a list from the exchange. Orders, batches and
 * withdrawals come in the same form. Nothing is read, written or printed here.
 *
 * recorded -> sent -> answered | partial | refused | refusedForTiming | lost -> until reqTime + request lifetime -> closed
 *
 * An answer is not the end of a request: the network may repeat it for as long as the exchange accepts its `reqTime`. An
 * attempt is therefore closed by a list only if the list was read after that moment.
 */

/** How far the clocks of this machine and of the exchange's nodes, and the list behind them, may be apart. */
export const SLACK_MS = 5_000;

/** One listed order or withdrawal. */
export interface Row {
  readonly id: string;
  /** Its key: equal for rows that the same item could have made. */
  readonly matchKey: string;
  /** By the clock of the list, in milliseconds since the Unix epoch. */
  readonly time: number;
}

/** An order or withdrawal that pit requested. */
export interface WantedItem {
  readonly id: string;
  readonly matchKey: string;
  /** The id of its row, once known. */
  readonly order: string | null;
  /** `absent`: decided that it does not exist; a late execution may still make it. */
  readonly state: 'placed' | 'undecided' | 'absent';
}

/** One request. */
export interface Attempt {
  readonly id: string;
  /** The write that it belongs to: a batch has several. */
  readonly writeKey: string;
  readonly items: readonly WantedItem[];
  /**
   * - `answered`: every item has its outcome.
   * - `partial`: accepted in part, and {@link answeredIds} are the orders.
   * - `refused`: by a code that is about its orders.
   * - `refusedForTiming`: by a code that is about its moment, such as a rate limit.
   * - `lost`: no response. If its items are absent, it expired without one, and the exchange may still execute it late.
   */
  readonly answer: 'answered' | 'partial' | 'refused' | 'refusedForTiming' | 'lost';
  /** Ids that its answer named and that no item has yet. */
  readonly answeredIds: readonly string[];
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** Rows before this time were already compared, if that is later than its `reqTime`. */
  readonly checkedTo?: number | undefined;
  /** Whether a row existed before the request. Without it, only its time shows that. */
  readonly isOlder?: ((row: string) => boolean) | undefined;
  /** Its one order carries a client id, so the exchange can be asked for the newest row with it. */
  readonly hasClientId?: boolean | undefined;
}

export interface List {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** When reading began, by the exchange's clock. */
  readonly began: number;
  /** The list has every row from this moment on; `-Infinity` if it was read to its end. */
  readonly since: number;
}

interface Context {
  /** Ids of rows that closed writes and reported duplicates explain. */
  readonly known: ReadonlySet<string>;
  /** By item: the newest row with its client id, null if none. Asked for after the list was read. */
  readonly newest?: ReadonlyMap<string, string | null>;
  /** For how long after its `reqTime` the exchange accepts a request, in milliseconds. */
  readonly requestLifetime: number;
  /** How badly a row matches an item of its key: 0 for exactly, undefined if not at all. By default every one matches. */
  readonly matchCost?: (row: string, item: string) => number | undefined;
}

export type ItemOutcome =
  | { readonly outcome: 'placed'; readonly id: string }
  | { readonly outcome: 'refused' | 'notSent' };

/** Rows of a request beyond the one that was requested. */
export interface Duplicates {
  readonly attempt: Attempt;
  readonly item: WantedItem;
  /** Oldest first. For an item that was absent, the first of them is its order. */
  readonly rows: readonly Row[];
  /** They carry its client id. Otherwise another program may have placed the same order at the same time. */
  readonly isProven: boolean;
}

export interface Reconciled {
  /** By item: what this list decides. */
  readonly outcomes: ReadonlyMap<string, ItemOutcome>;
  readonly duplicates: readonly Duplicates[];
  /** Expired attempts for which this list shows all that they made. */
  readonly closed: ReadonlySet<string>;
  /** Keys of writes that may have made a row which another undecided write may have made too. */
  readonly ambiguous: ReadonlySet<string>;
  /** Keys of writes whose order must be looked up by client id. */
  readonly needsLookup: ReadonlySet<string>;
  /** When to compare another list with what is not closed; undefined if everything is closed. */
  readonly retryAt: number | undefined;
}

/** The time from which the exchange certainly does not accept a request with this `reqTime` any more. */
export function expiresAt(reqTime: number, requestLifetime: number): number {
  return reqTime + requestLifetime + SLACK_MS;
}

/** How far back a list must reach to close an attempt. */
export function listMustReachTo({ reqTime, checkedTo }: Pick<Attempt, 'reqTime' | 'checkedTo'>): number {
  return (checkedTo ?? reqTime) - SLACK_MS;
}

interface Candidate {
  readonly attempt: Attempt;
  readonly item: WantedItem;
  order: string | null;
}

export function reconcile(
  attempts: readonly Attempt[],
  list: List,
  { known, newest = new Map(), requestLifetime, matchCost = () => 0 }: Context,
): Reconciled {
  const window = requestLifetime + SLACK_MS;
  const listed = new Map(list.rows.map((row, index) => [row.id, { row, index }]));
  const claims = attempts.flatMap((attempt) =>
    attempt.items.map((item): Candidate => ({ attempt, item, order: item.order })),
  );
  const byKey = groupBy(claims, ({ item }) => item.matchKey);
  for (const claim of claims) {
    // the exchange may have changed an order in accepting it, and its duplicates alike
    const key = listed.get(claim.order ?? '')?.row.matchKey ?? claim.item.matchKey;
    if (key !== claim.item.matchKey) byKey.set(key, [...(byKey.get(key) ?? []), claim]);
  }
  const claimed = new Set([...known, ...claims.flatMap(({ order }) => order ?? [])]);
  const unclaimed = new Set(list.rows.filter(({ id }) => !claimed.has(id)).reverse());

  const boundaries = new Map(attempts.map((attempt) => [attempt, boundaryOf(attempt, list.rows)]));
  const isNewer = (row: Row, attempt: Attempt) => (listed.get(row.id)?.index ?? 0) < (boundaries.get(attempt) ?? 0);
  const madeAt = ({ order, attempt }: Candidate) => listed.get(order ?? '')?.row.time ?? attempt.reqTime;
  const gap = (row: Row, claim: Candidate) =>
    Math.min(Math.abs(row.time - madeAt(claim)), Math.abs(row.time - claim.attempt.reqTime));
  /** Nothing is executed before it is sent: an order that is dated before its request shows that the list has another clock. */
  const isAfterSending = (row: Row, claim: Candidate) => {
    const { attempt } = claim;
    if (attempt.isOlder !== undefined) return isNewer(row, attempt);
    const after = madeAt(claim) - attempt.reqTime;
    const isOneClock = after >= -SLACK_MS && after <= window;
    return row.time >= (isOneClock ? attempt.reqTime - SLACK_MS : madeAt(claim) - window);
  };
  const fits = (row: Row, claim: Candidate) =>
    matchCost(row.id, claim.item.id) !== undefined && isAfterSending(row, claim);
  /** The better it fits, and then the nearer it is. */
  const distance = (row: Row, claim: Candidate) =>
    (matchCost(row.id, claim.item.id) ?? 0) * 2 * window + gap(row, claim);
  const mayBe = (row: Row, claim: Candidate) =>
    fits(row, claim) && (claim.attempt.isOlder !== undefined || gap(row, claim) <= window);
  const mayRepeat = (row: Row, claim: Candidate) => {
    if (!fits(row, claim)) return false;
    const newestId = newest.get(claim.item.id);
    const { hasClientId, answer } = claim.attempt;
    const mayComeLate = claim.item.state === 'absent' && (hasClientId === true || answer === 'lost');
    if (!mayComeLate && gap(row, claim) > window) return false;
    if (newestId === null) return claim.order !== null;
    const last = listed.get(newestId ?? '')?.row;
    return last === undefined || row.time <= last.time;
  };

  // 1. a row that an answer named belongs to that request, even if other requests would match as well
  const byAttempt = groupBy(claims, ({ attempt }) => attempt.id);
  for (const attempt of attempts) {
    const named = new Set(attempt.answeredIds);
    if (named.size === 0) continue;
    const wanting = groupBy(
      (byAttempt.get(attempt.id) ?? []).filter(({ order }) => order === null),
      ({ item }) => item.matchKey,
    );
    for (const row of unclaimed) {
      if (!named.has(row.id)) continue;
      const claim = wanting.get(row.matchKey)?.shift();
      if (claim !== undefined) claim.order = row.id;
      // a row that matches none of its wanted items was changed by the exchange: it stays the request's
      if (claim !== undefined || !attempt.items.some(({ matchKey }) => matchKey === row.matchKey))
        unclaimed.delete(row);
    }
  }

  // 2. open items take the rows that match best; requests without an answer come first
  const needsLookup = new Set<string>();
  const reserved = new Set<string>();
  const takers = new Map<string, Set<string>>();
  const unclaimedByKey = groupBy(unclaimed, ({ matchKey }) => matchKey);
  const open = claims.filter(({ item, order }) => item.state === 'undecided' && order === null);
  for (const claim of open.sort(byNeed)) {
    const { attempt, item } = claim;
    const own = newest.get(item.id);
    if (own === null) continue;
    const fitting = (unclaimedByKey.get(item.matchKey) ?? []).filter((row) => unclaimed.has(row) && mayBe(row, claim));
    const nearest = leastBy(fitting, (one) => distance(one, claim));
    const row = own === undefined ? nearest : fitting.find(({ id }) => id === own);
    if (row === undefined) continue;
    unclaimed.delete(row);
    takers.set(row.matchKey, (takers.get(row.matchKey) ?? new Set()).add(attempt.writeKey));
    if (attempt.hasClientId !== true || own !== undefined) claim.order = row.id;
    else {
      reserved.add(row.matchKey);
      needsLookup.add(item.id);
    }
  }

  // 3. a remaining row that matches something was made by a request that was executed again
  const ambiguous = new Set<string>();
  const duplicates = new Map<Candidate, Row[]>();
  for (const row of unclaimed) {
    const fitting = (byKey.get(row.matchKey) ?? []).filter((claim) => mayRepeat(row, claim));
    for (const { attempt, item } of fitting)
      if (attempt.hasClientId === true && !newest.has(item.id)) needsLookup.add(item.id);
    const proven = fitting.find(({ item }) => newest.get(item.id) === row.id);
    const made = proven === undefined ? fitting.filter(isSatisfied) : [proven];
    const nearest = leastBy(made, (claim) => distance(row, claim));
    if (nearest === undefined) continue;
    const { writeKey: writeId } = nearest.attempt;
    // a write without an answer may have made it: a later list decides
    const isDisputed = fitting.some(({ item, attempt }) => item.state === 'undecided' && attempt.writeKey !== writeId);
    if (isDisputed && proven === undefined) {
      ambiguous.add(writeId);
      continue;
    }
    // of lines of one batch that agree, those that have no order yet
    const isVacant = (claim: Candidate) =>
      claim.order === null && !duplicates.has(claim) && claim.attempt.writeKey === writeId;
    const claim = made.find(isVacant) ?? nearest;
    duplicates.set(claim, [...(duplicates.get(claim) ?? []), row]);
  }
  const repeated = [...duplicates.values()].flatMap((rows) => rows.map(({ id }) => id));
  const explained = new Set([...known, ...repeated, ...claims.flatMap(({ order }) => order ?? [])]);

  const reaches = (attempt: Attempt) =>
    list.since === Number.NEGATIVE_INFINITY ||
    (attempt.isOlder === undefined
      ? list.since <= listMustReachTo(attempt)
      : (boundaries.get(attempt) ?? 0) < list.rows.length);
  const outcomes = new Map<string, ItemOutcome>();
  const closed = new Set<string>();
  for (const attempt of attempts) {
    const own = byAttempt.get(attempt.id) ?? [];
    const listDecides = attempt.hasClientId !== true;
    for (const { item, order } of own)
      if (order !== null && item.order === null && listDecides) outcomes.set(item.id, { outcome: 'placed', id: order });
    if (!reaches(attempt)) continue;
    const missing = own.filter(({ item, order }) => item.state === 'undecided' && order === null);
    const isLate = list.began > expiresAt(attempt.reqTime, requestLifetime);
    const isShown =
      attempt.answeredIds.every((id) => listed.has(id)) &&
      (attempt.checkedTo !== undefined || own.every(({ order }) => order === null || listed.has(order)));
    const isAnswerExplained = attempt.answeredIds.every((id) => explained.has(id));
    const isDecided =
      listDecides &&
      !missing.some(({ item }) => reserved.has(item.matchKey)) &&
      ((attempt.answer === 'partial' && isShown && isAnswerExplained) ||
        attempt.answer === 'refused' ||
        ((attempt.answer === 'lost' || attempt.answer === 'refusedForTiming') && isLate));
    const absent = attempt.answer === 'partial' || attempt.answer === 'refused' ? 'refused' : 'notSent';
    if (isDecided) for (const { item } of missing) outcomes.set(item.id, { outcome: absent });
    const isTakenFrom = own.some(({ item }) =>
      [...(takers.get(item.matchKey) ?? [])].some((writeId) => writeId !== attempt.writeKey),
    );
    if (isTakenFrom) ambiguous.add(attempt.writeKey);
    if (isLate && isShown && (missing.length === 0 || isDecided) && !ambiguous.has(attempt.writeKey))
      closed.add(attempt.id);
  }
  const waiting = attempts
    .filter(({ id }) => !closed.has(id))
    .map(({ reqTime }) => expiresAt(reqTime, requestLifetime));
  return {
    outcomes,
    duplicates: [...duplicates].map(([{ attempt, item, order }, rows]) => ({
      attempt,
      item: { ...item, order },
      rows,
      isProven: rows.every(({ id }) => newest.get(item.id) === id),
    })),
    closed,
    ambiguous,
    needsLookup,
    retryAt: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}

/** The first place in the list at which there are rows from before the request. */
function boundaryOf({ isOlder }: Attempt, rows: readonly Row[]): number {
  const index = isOlder === undefined ? -1 : rows.findIndex(({ id }) => isOlder(id));
  return index === -1 ? rows.length : index;
}

/** Requests without an answer before refused ones, the earlier before the later. */
function byNeed(one: Candidate, other: Candidate): number {
  const rank = ({ attempt }: Candidate) => (attempt.answer === 'refused' ? 1 : 0);
  const { attempt: left } = one;
  const { attempt: right } = other;
  return (
    rank(one) - rank(other) || left.reqTime - right.reqTime || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
  );
}

/** Whether another identical row would be one too many. Without an order, a client id has to prove that. */
function isSatisfied({ attempt, item, order }: Candidate): boolean {
  return order !== null || (item.state === 'absent' && attempt.hasClientId !== true);
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
