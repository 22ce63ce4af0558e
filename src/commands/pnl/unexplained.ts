import { type Coin, isHeld } from '../../domain/account.js';
import { COIN } from '../../domain/coin.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Market } from '../../domain/market.js';
import { quotation, quotedName } from '../../domain/quotation.js';
import { Failure, suggest } from '../../errors.js';
import type { MatchedHistory } from '../../trading/pnl/matching/match-bills.js';
import type { Movement } from '../../trading/pnl/matching/movement.js';
import type { AccountPnl } from '../../trading/pnl/profit-and-loss.js';

/** The failure of figures without some coins, beside any other failure of theirs; the other one if no coin is left out. */
export function leftOutFailure(coins: readonly string[], other: Failure | undefined): Failure | undefined {
  if (coins.length === 0) return other;
  const names = coins.map(quotation).join(', ');
  const text = `Coins with these names cannot be asked for, so they are left out: ${names}.`;
  if (other === undefined) return new Failure('partial', text, { hint: suggest('See their bills', 'bills', '--all') });
  return other.hinting([...other.hints, text]);
}

/** The failure of books without any bill although the account has coins: an exchange may list no bills of long ago. */
export function noBillsFailure({ bills }: MatchedHistory, coins: readonly Coin[] = []): Failure | undefined {
  const held = coins.filter(isHeld);
  if (bills.length > 0 || held.length === 0) return undefined;
  const amounts = held.map(({ coin, available, frozen }) => {
    const amount = Decimal.of(available).plus(Decimal.of(frozen));
    return `${formatAmount(amount.trimmed())} ${quotedName(coin)}`;
  });
  return new Failure('partial', `The exchange lists no bills, although the account has ${amounts.join(', ')}.`, {
    hint: 'What happened before is not here: the exchange may no longer list old bills.',
  });
}

/** The failure of bills that do not add up, with the reasons that show. */
export function unexplainedFailure(
  { coins }: Pick<AccountPnl, 'coins'>,
  { movements, unmatched }: MatchedHistory,
  listed: readonly Market[],
): Failure | undefined {
  const wrong = coins.filter(({ unexplained }) => unexplained.sign !== 0);
  const [first] = wrong;
  if (first === undefined) return undefined;
  const names = new Set(wrong.map(({ coin }) => coin));
  const amounts = wrong.map(({ coin, unexplained }) => `${formatAmount(unexplained)} ${quotedName(coin)}`).join(', ');
  const unlisted = unlistedMarkets(unmatched, names, listed);
  const lacking = movements.filter(({ coin, bills }) => bills.length === 0 && names.has(coin));
  const left = unmatched.filter(({ coin }) => names.has(coin));
  return new Failure(
    'partial',
    `The bills do not add up with orders, deposits and withdrawals. Unexplained: ${amounts}.`,
    {
      hint: [
        suggest('See the bills', 'bills', ...(COIN.isExact(first.coin) ? [first.coin] : []), '--all'),
        ...(unlisted.length === 0
          ? []
          : [
              `${unlisted.map(quotedName).join(' and ')} is no longer listed, so the exchange shows pit no orders of it.`,
            ]),
        ...feesWithoutBills(lacking, left),
        ...depositsWithoutBills(lacking, left),
        ...(lacking.some(({ kind }) => kind === 'fills')
          ? ['Orders of a margin account have no bills here, so they are unexplained too.']
          : []),
      ],
    },
  );
}

function feesWithoutBills(lacking: readonly Movement[], left: readonly Bill[]): string[] {
  const paid = lacking.filter(({ kind }) => kind === 'fees').map(({ coin }) => coin);
  const coins = new Set(left.map(({ coin }) => coin).filter((coin) => paid.includes(coin)));
  if (coins.size === 0) return [];
  return [
    `Fees in ${[...coins].map(quotedName).join(', ')} have no bill. One that sums several fees is recognized only if it is exactly the sum of those since the last one.`,
  ];
}

/** A single bill that is smaller than the deposit may be that of its rest. No record shows the fee, so this proves nothing. */
function depositsWithoutBills(lacking: readonly Movement[], left: readonly Bill[]): string[] {
  const deposits = lacking.filter(({ kind }) => kind === 'deposits');
  return deposits.flatMap(({ coin, amount }) => {
    const smaller = left.filter((bill) => {
      const change = Decimal.of(bill.change);
      return bill.coin === coin && change.sign > 0 && change.compare(amount) < 0;
    });
    const [bill, another] = smaller;
    if (bill === undefined || another !== undefined) return [];
    const name = bill.type === null ? '' : ` (${quotedName(bill.type)})`;
    const shown = quotedName(coin);
    const fee = formatAmount(amount.minus(Decimal.of(bill.change)));
    return [
      `A deposit of ${formatAmount(amount)} ${shown} has no bill, and a bill of ${formatAmount(bill.change)} ${shown}${name} has no record: a fee of ${fee} ${shown} inside would explain both, but no record shows one.`,
    ];
  });
}

/** The markets, as far as the bills without a record show trades in such, that the exchange does not list. */
function unlistedMarkets(unmatched: readonly Bill[], wrong: ReadonlySet<string>, listed: readonly Market[]): string[] {
  const names = new Set(listed.map(({ market }) => market));
  const quotes = new Set(listed.map(({ quote }) => quote));
  const found = new Set<string>();
  const left = unmatched.filter(({ coin }) => wrong.has(coin));
  for (const [index, one] of left.entries())
    for (let next = index + 1; left[next]?.time === one.time; next += 1) {
      const other = left[next] as Bill;
      const isTrade = one.coin !== other.coin && one.change.startsWith('-') !== other.change.startsWith('-');
      const [base, quote] = quotes.has(other.coin) ? [one.coin, other.coin] : [other.coin, one.coin];
      if (isTrade && !names.has(`${base}_${quote}`) && !names.has(`${quote}_${base}`)) found.add(`${base}_${quote}`);
    }
  return [...found];
}
