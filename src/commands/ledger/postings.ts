import { createHash } from 'node:crypto';
import type { Decimal } from '../../domain/decimal.js';
import type { WallClock } from '../../domain/zone.js';
import { safe } from '../../terminal/text.js';
import { isoTime } from '../../terminal/time.js';
import { type BalanceChange, negated } from '../../trading/ledger/balance-change.js';
import type { Counterpart, EntryWorth, LedgerEntry } from '../../trading/ledger/entries.js';

/** A line of an entry in a double-entry ledger. */
export interface Posting extends BalanceChange {
  readonly account: string;
  /** What all of it was worth, without a sign: in the trade, or in the coin of `--in`. */
  readonly total?: BalanceChange;
}

const TRADE_FEES = 'Expenses:Fees:Trades';
const TRANSFER_FEES = 'Expenses:Fees:Transfers';
const COUNTERPARTS: Readonly<Record<Exclude<Counterpart, 'other'>, string>> = {
  opening: 'Equity:Opening-Balances',
  deposits: 'Equity:Deposits',
  withdrawals: 'Equity:Withdrawals',
  unexplained: 'Equity:Unexplained',
};

/** The account that holds the coins of a profile. */
export function assetAccount(profile: string): string {
  return `Assets:Exchange:${component(profile)}`;
}

/** The lines of an entry. They are balanced: what each is worth in its trade adds up to zero in each coin. */
export function postingsOf(entry: LedgerEntry, assets: string): readonly Posting[] {
  const { trade, changes, fees, feesOf, worth } = entry;
  const account = counterpartOf(entry);
  const ofFees = feesOf === 'trades' ? TRADE_FEES : TRANSFER_FEES;
  return [
    ...(trade === null ? [] : tradePostings(trade, worth, assets)),
    ...changes.flatMap((change, index) => {
      const total = totalOf(change.coin, worth, worth?.changes[index]);
      return [
        { ...change, account: assets, ...total },
        { ...negated(change), account, ...total },
      ];
    }),
    ...fees.flatMap((fee, index) => {
      const total = totalOf(fee.coin, worth, worth?.fees[index]);
      return [
        { ...negated(fee), account: assets, ...total },
        { ...fee, account: ofFees, ...total },
      ];
    }),
  ].filter(({ amount }) => amount.sign !== 0);
}

/** In the coin of `--in` both coins have the value of the trade; without a value in it, the base coin has that in the quote coin. */
function tradePostings(
  { base, quote }: NonNullable<LedgerEntry['trade']>,
  worth: EntryWorth | null,
  assets: string,
): Posting[] {
  const accountOf = ({ hasBill }: typeof base) => (hasBill ? assets : COUNTERPARTS.unexplained);
  const ofQuote = totalOf(quote.coin, worth, worth?.trade);
  const inQuote = { total: { coin: quote.coin, amount: magnitude(quote.amount) } };
  const isValued = worth !== null && worth.trade !== null;
  const ofBase = isValued ? totalOf(base.coin, worth, worth.trade) : inQuote;
  return [
    { coin: base.coin, amount: base.amount, account: accountOf(base), ...ofBase },
    { coin: quote.coin, amount: quote.amount, account: accountOf(quote), ...ofQuote },
  ];
}

/** None for an amount in the coin of `--in`, and for what has no price in it. */
function totalOf(
  coin: string,
  worth: EntryWorth | null,
  value: Decimal | null | undefined,
): { readonly total?: BalanceChange } {
  if (worth === null || value == null || coin === worth.unit) return {};
  return { total: { coin: worth.unit, amount: magnitude(value) } };
}

function magnitude(amount: Decimal): Decimal {
  return amount.sign < 0 ? amount.negated() : amount;
}

function counterpartOf({ counterpart, type }: LedgerEntry): string {
  return counterpart === 'other' ? `Equity:Other:${component(type ?? '')}` : COUNTERPARTS[counterpart];
}

/**
 * A part of the name of an account, as both programs take it: letters of any script, digits and dashes, the first one a capital or a
 * digit.
 */
function component(text: string): string {
  const name = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return name === '' ? 'Unnamed' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** A coin whose name beancount takes in capitals: not one of its words, and not a name that {@link commodityOf} makes. */
const COMMODITY = /^(?!(?:true|false|null)$|coin-)[a-z][a-z0-9.-]{0,21}[a-z0-9]$/;
const DIGITS_FIRST = /^[a-z0-9]{1,18}$/;
const DIGEST_LENGTH = 12;

/**
 * A coin as both programs name it, in a form that both take: in capitals, after `COIN-` if it is short or begins with a digit, and
 * by a digest after `COIN-` if it has other letters or signs. Two coins never have one name.
 */
export function commodityOf(coin: string): string {
  if (COMMODITY.test(coin)) return coin.toUpperCase();
  if (DIGITS_FIRST.test(coin)) return `COIN-${coin.toUpperCase()}`;
  const digest = createHash('sha256').update(coin).digest('hex').slice(0, DIGEST_LENGTH);
  return `COIN-X-${digest.toUpperCase()}`;
}

/** A commodity in an amount of hledger, which takes letters only without quotes. */
export function hledgerCommodity(coin: string): string {
  const name = commodityOf(coin);
  return /^[A-Z]+$/.test(name) ? name : `"${name}"`;
}

/** The day of an entry by the clock of a zone. */
export function dayOf({ time }: Pick<LedgerEntry, 'time'>, clock: WallClock): string {
  return isoTime(time + clock(time)).slice(0, 10);
}

/** What happened, in a few words. */
export function describe({ kind, trade, type, changes }: LedgerEntry): string {
  switch (kind) {
    case 'buy':
    case 'sell':
      return trade === null ? `Part of a ${kind}` : `${kind === 'buy' ? 'Buy' : 'Sell'} ${plain(trade.market)}`;
    case 'opening':
      return 'Opening balances';
    case 'fee':
      return 'Fee';
    case 'deposit':
      return 'Deposit';
    case 'withdrawal':
      return changes.some(({ amount }) => amount.sign > 0) ? 'Withdrawal returned' : 'Withdrawal';
    case 'other':
      return plain(type ?? '');
    case 'unexplained':
      return type === null ? 'Unexplained bill' : `Unexplained bill: ${plain(type)}`;
  }
}

/** A text with nothing in it that either program reads as its own. */
export function plain(text: string): string {
  return safe(text)
    .replace(/[^\p{L}\p{N}._/+-]+/gu, ' ')
    .trim();
}

/** An id, a hash or an address, in the same way. */
function plainWord(text: string): string {
  return text.replace(/[^A-Za-z0-9._:/+-]+/g, '-');
}

/** What else is known of an entry, by name. */
export function tagsOf(entry: LedgerEntry): readonly (readonly [string, string])[] {
  const { time, bills, order, deposit, withdrawal, isUncertain } = entry;
  const record = deposit ?? withdrawal;
  return [
    ['time', isoTime(time)],
    ['bills', bills.map(plainWord).join(' ')],
    ['order', plainWord(order ?? '')],
    ['record', plainWord(record?.id ?? '')],
    ['hash', plainWord(record?.hash ?? '')],
    ['address', plainWord(record?.address ?? '')],
    ['internal', deposit?.internal === true ? 'yes' : ''],
    ['uncertain', isUncertain ? 'yes' : ''],
  ].filter(([, value]) => value !== '') as [string, string][];
}
