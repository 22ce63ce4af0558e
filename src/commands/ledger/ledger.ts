import { flag, requiredFlag } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Coin } from '../../domain/account.js';
import { COIN } from '../../domain/coin.js';
import { counted, formatAmount } from '../../domain/decimal.js';
import { quotedName } from '../../domain/quotation.js';
import { wallClock } from '../../domain/zone.js';
import { Failure, suggest, usage } from '../../errors.js';
import { isoTime, localTime } from '../../terminal/time.js';
import type { BalanceChange } from '../../trading/ledger/balance-change.js';
import { type LedgerEntry, ledgerEntries } from '../../trading/ledger/entries.js';
import { ledgerOf, openingBalances } from '../../trading/ledger/ledger.js';
import { unpricedCoins, valuedEntries } from '../../trading/ledger/worth.js';
import type { ReadHistory } from '../../trading/pnl/read-history.js';
import { reconcile, type Window } from '../../trading/pnl/reconciliation.js';
import { coinName, filePath, oneOf, requireRange, zonedMoment, zoneName } from '../inputs/parsers.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import { forceFlag } from '../named-files/force.js';
import { OutputTarget } from '../named-files/output.js';
import { pastPrices, REFRESH, readAccount, requireCoin } from '../pnl/read-account.js';
import { noteDueFees, warnOfRefusedCoins, warnOfUndated } from '../pnl/remarks.js';
import { leftOutFailure, noBillsFailure, unexplainedFailure } from '../pnl/unexplained.js';
import { type Context, define } from '../session/command.js';
import { eventCsv, isEventFile } from './event-rows.js';
import { beancountJournal, hledgerJournal, isJournal, type LedgerPlace } from './journals.js';

const FORMATS = ['hledger', 'beancount', 'csv'] as const;
type Format = (typeof FORMATS)[number];

type Writer = (
  entries: readonly LedgerEntry[],
  place: LedgerPlace,
  earlier: readonly LedgerEntry[],
) => Iterable<string>;

const WRITERS: Readonly<Record<Format, Writer>> = {
  hledger: hledgerJournal,
  beancount: beancountJournal,
  csv: eventCsv,
};

export default define({
  summary: 'Export all bills for hledger, beancount or tax programs',
  flags: {
    from: flag('--from <time>', 'begin with the balances at this time (default: the beginning)', zonedMoment),
    to: flag('--to <time>', 'export what is before this time (default: now)', zonedMoment),
    format: requiredFlag(
      '--format <format>',
      'hledger, beancount, or csv with a row for each event',
      oneOf('--format', ...FORMATS),
    ),
    in: flag('--in <coin>', 'also value everything in this coin, at its time', coinName),
    zone: flag('--zone <zone>', 'where days begin, such as Europe/Zurich (default: UTC)', zoneName),
    out: flag('--out <file>', 'write to this file (default: stdout)', filePath),
    force: forceFlag('--out'),
    refresh: REFRESH,
  },
  examples: [
    'ledger --format hledger',
    'ledger --format beancount --out 2026.beancount --from 2026-01-01 --to 2027-01-01',
    'ledger --format csv --in usdt --out events.csv',
  ],
  output: shape.object({
    file: shape.text('the file that was written'),
    format: shape.enumOf(FORMATS, ''),
    entries: shape.integer('one for each trade, fee, deposit, withdrawal and other bill'),
    from: shape.nullable(shape.time('of the first entry')),
    to: shape.nullable(shape.time('of the last entry')),
  }),
  async run(context, { from, to, format, in: unit, zone, out, force, refresh }) {
    const { profile, settings } = await context.session.connection();
    const dayZone = zone ?? settings.dayZone ?? UTC;
    const clock = wallClock(dayZone === UTC ? '+00:00' : dayZone);
    const [begin, end] = [from?.(clock), to?.(clock)];
    requireRange([begin, end], ['--from', '--to'], context.host.now());
    const target = targetOf(context, format, out, force);
    const { session, output } = context;
    const trading = await session.trading();
    const client = withTimePerPage(context, trading.client);
    const markets = await client.markets.all();
    if (unit !== undefined) requireCoin(unit, markets);
    const before = await client.account();
    const history = await readAccount(context, trading, client, { markets: [], account: before, isWhole: refresh });
    const after = await client.account();
    const now = client.now();
    const window = { from: begin?.(now) ?? Number.NEGATIVE_INFINITY, to: end?.(now) ?? Number.POSITIVE_INFINITY };
    const { matched, transfers } = history;
    const canBeAsked = ({ coin }: Coin) => COIN.isExact(coin);
    const opening = openingBalances(matched.bills, before.coins.filter(canBeAsked), after.coins.filter(canBeAsked));
    const others = after.coins.filter((coin) => !canBeAsked(coin) && /[1-9]/.test(coin.available + coin.frozen));
    const leftOut = [...new Set([...history.leftOut, ...others.map(({ coin }) => coin)])];
    const all = ledgerEntries(matched, transfers);
    const moved = ledgerOf(all, opening.balances, window);
    const entries =
      unit === undefined ? moved : await valuedEntries(moved, unit, await pastPrices(context, client, markets));
    await noteGaps(context, history, entries, window);
    if (opening.unknown.length > 0)
      output.warn(
        `No bill says what the account had of ${opening.unknown.join(', ')} before its first bill: the ledger begins with none.`,
      );
    const earlier = all.filter(({ time }) => time < window.from);
    await target.write(
      WRITERS[format](entries, { profile, zone: dayZone, clock, firstBill: matched.bills[0] }, earlier),
    );
    const { coins } = reconcile(matched, window, history.readAt);
    const ofBills =
      noBillsFailure(matched, after.coins) ??
      missingFailure(opening.missing) ??
      unexplainedFailure({ coins }, matched, markets);
    const failure = leftOutFailure(leftOut, ofBills);
    const timeOf = (entry: LedgerEntry | undefined) => (entry === undefined ? null : isoTime(entry.time));
    const text = `Wrote ${entriesOf(entries.length)} to ${target.isStdout ? 'stdout' : target.name}.`;
    if (!target.isStdout) {
      const data = {
        file: target.name,
        format,
        entries: entries.length,
        from: timeOf(entries[0]),
        to: timeOf(entries.at(-1)),
      };
      return { data, show: () => text, ...(failure === undefined ? {} : { failure }) };
    }
    if (failure !== undefined) throw failure;
    return undefined;
  },
});

function entriesOf(count: number): string {
  return counted(count, 'entry').replace(/entrys$/, 'entries');
}

const STDOUT = '-';
/** Where days begin unless the profile says otherwise. */
const UTC = 'UTC';

function targetOf(context: Context, format: Format, out: string | undefined, isForced: boolean): OutputTarget {
  const { format: asked, fields } = context.globals;
  if (out === undefined && (asked !== 'table' || fields !== undefined))
    throw usage(
      `--${fields === undefined ? asked : 'fields'} needs --out.`,
      'Without --out, the ledger itself is printed, in the format of --format.',
    );
  const isOurs = format === 'csv' ? isEventFile : isJournal;
  return new OutputTarget(context, out ?? STDOUT, { isForced, isOurs, secrecy: 'private' });
}

/** Says what is left out, and what is uncertain. */
async function noteGaps(
  context: Context,
  history: ReadHistory,
  entries: readonly LedgerEntry[],
  { from, to }: Window,
): Promise<void> {
  const { output } = context;
  const { matched, refusedCoins } = history;
  const isShown = ({ time }: { readonly time: number | null }) => time !== null && time >= from && time < to;
  warnOfRefusedCoins(context, refusedCoins);
  const uncertain = entries.filter(({ isUncertain }) => isUncertain);
  const [first] = uncertain;
  if (first !== undefined)
    output.warn(
      `${entriesOf(uncertain.length)}, the first at ${localTime(first.time)}, may have other bills. They have the tag uncertain.`,
    );
  noteDueFees(context, matched.due.filter(isShown));
  const undated = matched.movements.filter(({ kind, time }) => kind === 'deposits' && time === null);
  if (undated.length > 0) await warnOfUndated(context, undated);
  const unpriced = unpricedCoins(entries);
  if (unpriced.length > 0)
    output.warn(
      `No price in ${entries[0]?.worth?.unit} at some time, so some of it has no value: ${unpriced.join(', ')}.`,
    );
}

/** The failure of a ledger that does not lead to the balances of now. */
function missingFailure(missing: readonly BalanceChange[]): Failure | undefined {
  const [first] = missing;
  if (first === undefined) return undefined;
  const amounts = missing.map(({ coin, amount }) => `${formatAmount(amount)} ${quotedName(coin)}`).join(', ');
  return new Failure('partial', `The account has more or less than its bills add up to. The ledger lacks ${amounts}.`, {
    hint: ['The exchange may no longer list old bills.', suggest('See the bills', 'bills', first.coin, '--all')],
  });
}
