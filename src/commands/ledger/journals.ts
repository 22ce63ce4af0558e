import { Decimal } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { WallClock } from '../../domain/zone.js';
import type { LedgerEntry } from '../../trading/ledger/entries.js';
import { firstBillText } from '../pnl/remarks.js';
import {
  assetAccount,
  commodityOf,
  dayOf,
  describe,
  hledgerCommodity,
  type Posting,
  plain,
  postingsOf,
  tagsOf,
} from './postings.js';

/** Begins each file, so that pit knows its own. */
const TITLE = '; Ledger of';

/** The lines around what was before a window. */
const BEFORE =
  '; Before this window. Leave it out, down to the next comment, if the file follows that of the window before.';
const AFTER = '; This window.';

/** Whether a journal was written by pit, by its first bytes as text. */
export function isJournal(head: string): boolean {
  return head.startsWith(TITLE);
}

/** Whose ledger it is, and where its days begin. */
export interface LedgerPlace {
  readonly profile: string;
  /** The name of the zone. */
  readonly zone: string;
  readonly clock: WallClock;
  /** The oldest that is known: what was there before is an opening balance. Undefined if there is none. */
  readonly firstBill?: Pick<Bill, 'id' | 'time'> | undefined;
}

/** An entry with its lines. */
interface Written {
  readonly entry: LedgerEntry;
  readonly postings: readonly Posting[];
}

/** What a journal declares before its entries. */
interface Declarations {
  /** The most decimals of each coin. */
  readonly scales: ReadonlyMap<string, number>;
  readonly accounts: readonly string[];
  /** The first day. */
  readonly day: string;
}

/** A ledger as hledger reads it, in pieces. */
export function* hledgerJournal(entries: readonly LedgerEntry[], place: LedgerPlace): Generator<string> {
  const written = entries.map((entry) => ({ entry, postings: postingsOf(entry, assetAccount(place.profile)) }));
  const { scales, accounts } = declarationsOf(written, place);
  yield header(place, scales);
  for (const [coin, scale] of scales) yield `commodity ${sample(scale)} ${hledgerCommodity(coin)}\n`;
  for (const account of accounts) yield `account ${account}\n`;
  for (const { entry, postings } of written) {
    const tags = tagsOf(entry).map(([name, value]) => `    ; ${name}:${value}\n`);
    const lines = postings.map(({ account, coin, amount, total }) => {
      const price = total === undefined ? '' : ` @@ ${shown(total.amount)} ${hledgerCommodity(total.coin)}`;
      return `    ${account}  ${shown(amount)} ${hledgerCommodity(coin)}${price}\n`;
    });
    yield ['\n', `${dayOf(entry, place.clock)} * ${describe(entry)}\n`, ...tags, ...lines].join('');
  }
}

/**
 * A ledger as beancount reads it, in pieces. It takes each declaration once, so what was before the window stands together, to be left
 * out if the window follows another one.
 *
 * @param earlier the entries before the window
 */
export function* beancountJournal(
  entries: readonly LedgerEntry[],
  place: LedgerPlace,
  earlier: readonly LedgerEntry[] = [],
): Generator<string> {
  const write = (entry: LedgerEntry): Written => ({ entry, postings: postingsOf(entry, assetAccount(place.profile)) });
  const written = entries.map(write);
  const { scales, accounts, day } = declarationsOf(written, place);
  const isOpening = ({ entry }: Written) => earlier.length > 0 && entry.kind === 'opening';
  const before = declarationsOf([...earlier.map(write), ...written.filter(isOpening)], place);
  const unit = entries.find(({ worth }) => worth !== null)?.worth?.unit;
  const known = new Set([...before.scales.keys(), ...(earlier.length > 0 && unit !== undefined ? [unit] : [])]);
  const declare = (coins: readonly string[], names: readonly string[]) => [
    ...coins.map((coin) => `${day} commodity ${commodityOf(coin)}\n  coin: "${plain(coin)}"\n`),
    ...names.map((account) => `${day} open ${account}\n`),
  ];
  yield header(place, scales);
  // beancount turns a total into a price of 28 digits; of whole numbers it would take no difference at all
  yield 'option "inferred_tolerance_default" "*:0.000001"\n';
  if (earlier.length > 0) {
    yield `${BEFORE}\n`;
    yield* declare([...known], before.accounts);
    yield* written.filter(isOpening).map((one) => beancountEntry(one, place.clock));
    yield `${AFTER}\n`;
  }
  yield* declare(
    [...scales.keys()].filter((coin) => !known.has(coin)),
    accounts.filter((account) => !before.accounts.includes(account)),
  );
  for (const one of written) if (!isOpening(one)) yield beancountEntry(one, place.clock);
}

function beancountEntry({ entry, postings }: Written, clock: WallClock): string {
  const { bills, order } = entry;
  const ids = [...bills.map((id) => `bill-${id}`), ...(order === null ? [] : [`order-${order}`])];
  const links = ids.map((id) => ` ^${id.replace(/[^A-Za-z0-9]+/g, '-')}`).join('');
  const tags = tagsOf(entry).map(([name, value]) => `  ${name}: "${value}"\n`);
  const lines = postings.map(({ account, coin, amount, total }) => {
    const price = total === undefined ? '' : ` @@ ${shown(total.amount)} ${commodityOf(total.coin)}`;
    return `  ${account}  ${shown(amount)} ${commodityOf(coin)}${price}\n`;
  });
  return ['\n', `${dayOf(entry, clock)} * "${describe(entry)}"${links}\n`, ...tags, ...lines].join('');
}

function declarationsOf(written: readonly Written[], place: LedgerPlace): Declarations {
  const scales = new Map<string, number>();
  const accounts = new Set<string>();
  for (const { account, coin, amount, total } of written.flatMap(({ postings }) => postings)) {
    accounts.add(account);
    for (const change of [{ coin, amount }, ...(total === undefined ? [] : [total])])
      scales.set(change.coin, Math.max(scales.get(change.coin) ?? 0, change.amount.significantScale));
  }
  const [first] = written;
  return {
    scales: new Map([...scales].sort(([one], [other]) => (one < other ? -1 : 1))),
    accounts: [...accounts].sort(),
    day: first === undefined ? '' : dayOf(first.entry, place.clock),
  };
}

function header({ profile, zone, firstBill }: LedgerPlace, scales: Declarations['scales']): string {
  const renamed = [...scales.keys()].filter((coin) => commodityOf(coin) !== coin.toUpperCase());
  return [
    `${TITLE} ${plain(profile)}, written by pit. Days are in ${zone}.\n`,
    ...(firstBill === undefined ? [] : [`; ${firstBillText(firstBill)}\n`]),
    ...renamed.map(
      (coin) =>
        `; ${plain(coin)} is ${commodityOf(coin)}: a name of beancount has Latin letters, begins with one and has two characters or more.\n`,
    ),
  ].join('');
}

/** An amount of one coin with so many decimals: hledger shows all of that coin in this way. */
function sample(scale: number): string {
  const text = Decimal.of('1000').rescaled(scale, 'down').toString();
  return scale === 0 ? `${text}.` : text;
}

function shown(amount: Decimal): string {
  return amount.trimmed().toString();
}
