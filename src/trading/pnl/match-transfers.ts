import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import type { AccountHistory, DatedDeposit } from './account-history.js';
import type { Movement } from './movement.js';
import type { AmountIndex, Line, Statement } from './statement.js';

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

/** Finds the bills of deposits and withdrawals among those that are left. */
export function transferMovements(
  { deposits, withdrawals }: Pick<AccountHistory, 'deposits' | 'withdrawals'>,
  statement: Statement,
  bills: AmountIndex,
): Movement[] {
  return [
    ...deposits.flatMap((deposit) => depositMovements(deposit, bills)),
    ...withdrawalMovements(withdrawals, statement, bills),
  ];
}

function depositMovements({ coin, amount, state, time }: DatedDeposit, bills: AmountIndex): Movement[] {
  if (state !== 'success') return [];
  const credited = Decimal.of(amount);
  const bill = bills.take(coin, credited);
  const hasBill = bill !== undefined;
  return [{ kind: 'deposits', coin, amount: credited, time: bill?.time ?? time ?? 0, market: null, hasBill }];
}

/** The bills of a withdrawal, all of one moment. */
interface Parts {
  readonly lines: readonly Line[];
  readonly time: number;
  readonly sum: Decimal;
}

/** The sums of these amounts of a coin as they left or came back, if each has a bill of one moment. */
function findParts(
  bills: AmountIndex,
  coin: string,
  changes: readonly Decimal[],
  suits: (line: Line) => boolean,
): Parts | undefined {
  const lines: Line[] = [];
  for (const change of changes) {
    const [first] = lines;
    const line = bills.find(
      coin,
      change,
      (one) => suits(one) && !lines.includes(one) && (first === undefined || one.time === first.time),
    );
    if (line === undefined) return undefined;
    lines.push(line);
  }
  const [first] = lines;
  return first && { lines, time: first.time, sum: Decimal.sum(changes) };
}

/**
 * An exchange books all withdrawals in one way, so the way that explains most comes first. Whole withdrawals come before what is
 * left of others: the fees of several may be equal.
 */
function withdrawalMovements(withdrawals: readonly Withdrawal[], statement: Statement, bills: AmountIndex): Movement[] {
  const partsBy = (booking: (typeof BOOKINGS)[number], { coin, amount, fee, time }: Withdrawal) => {
    const changes = booking(Decimal.of(amount), Decimal.of(fee ?? '0')).map((part) => part.negated());
    return findParts(
      bills,
      coin,
      changes.filter(({ sign }) => sign < 0),
      statement.isSince(time),
    );
  };
  const ways = BOOKINGS.map((booking) => ({
    booking,
    count: withdrawals.filter((withdrawal) => partsBy(booking, withdrawal) !== undefined).length,
  })).sort((one, other) => other.count - one.count);
  const found = new Map<Withdrawal, Parts>();
  for (const { booking } of ways)
    for (const withdrawal of withdrawals) {
      const parts = found.has(withdrawal) ? undefined : partsBy(booking, withdrawal);
      if (parts === undefined) continue;
      for (const line of parts.lines) statement.take(line);
      found.set(withdrawal, parts);
    }
  return withdrawals.flatMap((withdrawal) => movementsOf(withdrawal, found.get(withdrawal), statement, bills));
}

const ENDED: ReadonlySet<Withdrawal['state']> = new Set(['failed', 'cancelled']);

function movementsOf(
  { coin, amount, fee, state, time: submitted, processedTime }: Withdrawal,
  parts: Parts | undefined,
  statement: Statement,
  bills: AmountIndex,
): Movement[] {
  const move = (moved: Decimal, time: number, hasBill: boolean): Movement => {
    return { kind: 'withdrawals', coin, amount: moved, time, market: null, hasBill };
  };
  const out = parts?.sum ?? Decimal.of(amount).negated();
  // without the bill of its fee, it is known by the rest of it
  const rest = parts === undefined ? takeRest(coin, amount, fee, statement.isSince(submitted), bills) : undefined;
  const time = (parts ?? rest)?.time ?? submitted;
  const isEnded = ENDED.has(state);
  const returned = isEnded ? takeReturned(coin, out, parts, time, statement, bills) : undefined;
  // one that failed may never have left
  const isBooked = parts !== undefined || rest !== undefined;
  if (!isBooked && isEnded && returned === undefined) return [];
  const left = move(out, time, isBooked);
  if (!isEnded) return [left];
  return [left, move(returned?.sum ?? out.negated(), returned?.time ?? processedTime ?? time, returned !== undefined)];
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

/** What came back of a withdrawal that failed: all of it, in one bill or in its parts, or all but the fee. */
function takeReturned(
  coin: string,
  out: Decimal,
  parts: Parts | undefined,
  time: number,
  statement: Statement,
  bills: AmountIndex,
): Parts | undefined {
  const changes = (parts?.lines ?? []).map(({ change }) => change.negated());
  for (const back of [[out.negated()], changes, changes.slice(0, 1)]) {
    const found = back.length === 0 ? undefined : findParts(bills, coin, back, statement.isSince(time));
    if (found === undefined) continue;
    for (const line of found.lines) statement.take(line);
    return found;
  }
  return undefined;
}
