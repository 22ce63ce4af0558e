import { Decimal } from '../../../domain/decimal.js';
import type { Withdrawal } from '../../../domain/funds.js';
import type { AccountHistory, DatedDeposit } from '../account-history.js';
import { type Movement, type MovementKind, movementOf } from './movement.js';
import { signed } from './orders-to-match.js';
import { isOfSecond, RecordBills } from './record-bills.js';
import { type AmountIndex, type Line, magnitude, type Statement } from './statement.js';

/**
 * The bills that a withdrawal may have. Whether its fee is inside its amount, and whether it has a bill of its own, is not
 * documented. The parts of one are booked at one moment.
 */
const BOOKINGS: readonly ((amount: Decimal, fee: Decimal) => readonly Decimal[])[] = [
  (amount, fee) => [amount.minus(fee), fee],
  (amount, fee) => [amount, fee],
  (amount) => [amount],
  (amount, fee) => [amount.plus(fee)],
];

/** What deposits and withdrawals moved. */
interface Transfers {
  readonly movements: readonly Movement[];
  /** The bills that are theirs, or as well may be. */
  readonly doubtful: readonly Line[];
}

/** Finds the bills of deposits and withdrawals among those that are left. */
export function matchTransfers(
  { deposits, withdrawals }: Pick<AccountHistory, 'deposits' | 'withdrawals'>,
  statement: Statement,
  bills: AmountIndex,
): Transfers {
  const credited = deposits.filter(({ state }) => state === 'success');
  const found = new RecordBills<DatedDeposit>(statement);
  found.take(credited, ({ coin, amount, time }) =>
    bills.all(coin, Decimal.of(amount), time === null ? undefined : statement.isSince(time)).map((line) => [line]),
  );
  const ofDeposits = credited.flatMap((deposit) =>
    (found.linesOf(deposit) ?? []).map((line) => ({ line, record: deposit.id, hash: deposit.hash })),
  );
  const before = statement.taken.length;
  const withdrawn = new RecordBills<Withdrawal>(statement);
  const movements = withdrawalMovements(withdrawals, withdrawn, statement, bills);
  const ofWithdrawals = statement.taken.slice(before);
  const lacking = credited.filter((deposit) => found.linesOf(deposit) === undefined);
  const coins = new Set(lacking.map(({ coin }) => coin));
  const others = [...coins].flatMap((coin) =>
    depositsWithoutFee(
      lacking.filter((deposit) => deposit.coin === coin),
      statement,
    ),
  );
  const lines = ofDeposits.map(({ line }) => line);
  const fees = [...feesOf('deposits', lines, statement), ...feesOf('withdrawals', ofWithdrawals, statement)];
  const whole = ofDeposits.map(({ line, record, hash }) => ({ ...movementOf('deposits', line), record, hash }));
  return {
    movements: [...whole, ...others, ...movements, ...fees],
    doubtful: [...found.doubtful(), ...withdrawn.doubtful()],
  };
}

/** Fewer deposits with the same difference to a bill may have it by chance: no record shows the fee of a deposit. */
const ENOUGH_DEPOSITS = 2;

/**
 * The deposits of one coin that have no bill of their amount. If each has a bill with the same amount less, that is the fee of each.
 * Otherwise none has a bill.
 */
function depositsWithoutFee(deposits: readonly DatedDeposit[], statement: Statement): Movement[] {
  const [first] = deposits;
  if (first === undefined) return [];
  const left = statement.lines.filter(
    ({ coin, change, place }) => coin === first.coin && change.sign > 0 && !statement.isTaken(place),
  );
  const fees = new Map(
    left.map(({ change, type }) => {
      const fee = Decimal.of(first.amount).minus(change);
      return [`${fee.trimmed()} ${type}`, { fee, type }];
    }),
  );
  const ways = [...fees.values()].flatMap(({ fee, type }) => {
    if (fee.sign <= 0 || deposits.length < ENOUGH_DEPOSITS) return [];
    const taken = new Set<Line>();
    for (const { amount, time } of deposits) {
      const credited = Decimal.of(amount).minus(fee);
      const line = left.find(
        (one) =>
          !taken.has(one) &&
          one.type === type &&
          one.change.equals(credited) &&
          (time === null || statement.isSince(time)(one)),
      );
      if (line === undefined) return [];
      taken.add(line);
    }
    return [[...taken]];
  });
  const [only, another] = ways;
  if (only === undefined || another !== undefined)
    return deposits.map(({ id, coin, amount, time, hash }) => {
      return {
        ...{ kind: 'deposits', coin, amount: Decimal.of(amount), time, market: null, bills: [] },
        ...{ place: 0, record: id, hash },
      };
    });
  return only.map((line, index) => {
    statement.take(line);
    const { id = null, hash = null } = deposits[index] ?? {};
    return { ...movementOf('deposits', line), record: id, hash };
  });
}

/** The bills that take coins at the moment of a deposit or withdrawal, under the name of its bill: its fees, in any coin. */
function feesOf(kind: MovementKind, lines: readonly Line[], statement: Statement): Movement[] {
  const fees: Line[] = [];
  for (const { time, type } of lines)
    for (const line of type === null ? [] : statement.at(time)) {
      if (line.change.sign >= 0 || line.type !== type || statement.isTaken(line.place)) continue;
      statement.take(line);
      fees.push(line);
    }
  return fees.map((line) => ({ ...movementOf(kind, line), fee: line.change }));
}

/** The bills of a withdrawal, all of one moment. */
interface Parts {
  readonly lines: readonly Line[];
  readonly time: number;
  readonly place: number;
  readonly sum: Decimal;
}

/** Bills of one moment with these amounts of a coin: once for each that may be the first of them. */
function partsAt(
  bills: AmountIndex,
  coin: string,
  changes: readonly Decimal[],
  suits: (line: Line) => boolean,
): readonly (readonly Line[])[] {
  const [change, ...others] = changes;
  if (change === undefined) return [];
  return bills.all(coin, change, suits).flatMap((first) => {
    const lines = [first];
    for (const other of others) {
      const line = bills.find(coin, other, (one) => one.time === first.time && !lines.includes(one));
      if (line === undefined) return [];
      lines.push(line);
    }
    return [lines];
  });
}

/** What bills of one moment sum up to; undefined for none. */
function partsOf(lines: readonly Line[] | undefined): Parts | undefined {
  const [first] = lines ?? [];
  if (lines === undefined || first === undefined) return undefined;
  return { lines, time: first.time, place: first.place, sum: Decimal.sum(lines.map(({ change }) => change)) };
}

/**
 * An exchange books all withdrawals in one way, so the way that explains most comes first. Whole withdrawals come before what is
 * left of others: the fees of several may be equal.
 */
function withdrawalMovements(
  withdrawals: readonly Withdrawal[],
  found: RecordBills<Withdrawal>,
  statement: Statement,
  bills: AmountIndex,
): Movement[] {
  const ways = BOOKINGS.map((booking) => {
    const fits = ({ coin, amount, fee, time }: Withdrawal) => {
      const changes = booking(Decimal.of(amount), Decimal.of(fee ?? '0')).map((part) => part.negated());
      const sent = changes.filter(({ sign }) => sign < 0);
      return partsAt(bills, coin, sent, statement.isSince(time));
    };
    return { fits, count: withdrawals.filter((withdrawal) => fits(withdrawal).length > 0).length };
  }).sort((one, other) => other.count - one.count);
  for (const { fits } of ways) found.take(withdrawals, fits);
  return withdrawals.flatMap((withdrawal) => {
    const movements = movementsOf(withdrawal, partsOf(found.linesOf(withdrawal)), statement, bills);
    return [...movements, ...foreignFees(withdrawal, movements, statement)];
  });
}

/**
 * The fee of a withdrawal in another coin: a bill of exactly its amount at the moment at which the amount left, or came back, if no
 * second coin has such a bill.
 */
function foreignFees(
  { id, coin, amount, fee, hash }: Withdrawal,
  movements: readonly Movement[],
  statement: Statement,
): Movement[] {
  const [sent, paid] = [Decimal.of(amount), Decimal.of(fee ?? '0')];
  if (paid.sign === 0) return [];
  return movements.flatMap((moved) => {
    if (moved.bills.length === 0 || !magnitude({ change: moved.amount }).equals(sent)) return [];
    const change = signed(paid, moved.amount.sign);
    const [line, another] = statement
      .at(moved.time ?? Number.NaN)
      .filter((one) => one.coin !== coin && one.change.equals(change) && !statement.isTaken(one.place));
    if (line === undefined || another !== undefined) return [];
    statement.take(line);
    return [{ ...movementOf('withdrawals', line), record: id, hash, fee: line.change }];
  });
}

const WITHDRAWN = { kind: 'withdrawals', market: null } as const;
const ENDED: ReadonlySet<Withdrawal['state']> = new Set(['failed', 'cancelled']);

function movementsOf(
  { id, coin, amount, fee, hash, state, time: submitted, processedTime }: Withdrawal,
  parts: Parts | undefined,
  statement: Statement,
  bills: AmountIndex,
): Movement[] {
  const move = (moved: Decimal, time: number, own: Parts | undefined): Movement => {
    const cost = own && costOf(own, amount, fee);
    const booked = { bills: own?.lines ?? [], place: own?.place ?? 0, ...(cost === undefined ? {} : { fee: cost }) };
    return { ...WITHDRAWN, coin, amount: moved, time, record: id, hash, ...booked };
  };
  const out = parts?.sum ?? Decimal.of(amount).negated();
  // without the bill of its fee, it is known by the rest of it
  const rest = parts === undefined ? takeRest(coin, amount, fee, statement.isSince(submitted), bills) : undefined;
  const time = (parts ?? rest)?.time ?? submitted;
  const isEnded = ENDED.has(state);
  const sent = { coin, amount, fee, out, parts, time, processedTime };
  const returned = isEnded ? takeReturned(sent, statement, bills) : undefined;
  // one that failed may never have left
  const booked = parts ?? rest;
  if (booked === undefined && isEnded && returned === undefined) return [];
  const left =
    parts === undefined && rest !== undefined
      ? { ...movementOf('withdrawals', rest), amount: out, record: id, hash }
      : move(out, time, parts);
  if (!isEnded) return [left];
  return [left, move(returned?.sum ?? out.negated(), returned?.time ?? processedTime ?? time, returned)];
}

/** Takes one of the two bills of a withdrawal whose other bill is missing. Returns that of what was sent. */
function takeRest(
  coin: string,
  amount: string,
  fee: string | null,
  suits: (line: Line) => boolean,
  bills: AmountIndex,
): Line | undefined {
  if (fee === null) return undefined;
  const sent = bills.take(coin, Decimal.of(fee).minus(Decimal.of(amount)), suits);
  if (sent === undefined) bills.take(coin, Decimal.of(fee).negated(), suits);
  return sent;
}

/** The fee in the bills of a withdrawal, with their sign: whether a single bill of the whole amount has it inside is not documented. */
function costOf({ lines, sum }: Parts, amount: string, fee: string | null): Decimal | undefined {
  const paid = Decimal.of(fee ?? '0');
  const isOnTop = magnitude({ change: sum }).equals(Decimal.of(amount).plus(paid));
  return paid.sign === 0 || (lines.length === 1 && !isOnTop) ? undefined : signed(paid, sum.sign);
}

/** A withdrawal that failed, as it left. */
interface Sent extends Pick<Withdrawal, 'coin' | 'amount' | 'fee' | 'processedTime'> {
  /** Below zero. */
  readonly out: Decimal;
  readonly parts: Parts | undefined;
  readonly time: number;
}

/**
 * What came back of a withdrawal that failed: all of it, in one bill or in its parts; all but the fee; or a smaller part, if only one
 * bill may be that.
 */
function takeReturned(sent: Sent, statement: Statement, bills: AmountIndex): Parts | undefined {
  const { coin, amount, fee, out, parts, time } = sent;
  const changes = (parts?.lines ?? []).map(({ change }) => change.negated());
  const paid = Decimal.of(fee ?? '0');
  const withoutFee = [Decimal.of(amount), out.negated().minus(paid)].filter((change) => change.sign > 0);
  const ways = [[out.negated()], changes, changes.slice(0, 1), ...withoutFee.map((change) => [change])];
  for (const back of ways) {
    const [found] = partsAt(bills, coin, back, statement.isSince(time));
    if (found === undefined) continue;
    for (const line of found) statement.take(line);
    return partsOf(found);
  }
  const kept = parts === undefined ? undefined : partReturned({ ...sent, parts }, statement);
  if (kept !== undefined) statement.take(kept);
  return kept && partsOf([kept]);
}

/** The only bill of a part that came back: of the second in which the exchange gave up, or of the kind of those that left. */
function partReturned(
  { coin, out, parts: { lines }, time, processedTime }: Sent & { readonly parts: Parts },
  statement: Statement,
): Line | undefined {
  const kinds = new Set(lines.flatMap(({ type }) => type ?? []));
  const suits = statement.isSince(time);
  const found = statement.lines.filter(
    (line) =>
      line.coin === coin &&
      line.change.sign > 0 &&
      line.change.compare(out.negated()) < 0 &&
      suits(line) &&
      !statement.isTaken(line.place) &&
      (isOfSecond(line.time, processedTime) || (line.type !== null && kinds.has(line.type))),
  );
  const [only, another] = found;
  return another === undefined ? only : undefined;
}
