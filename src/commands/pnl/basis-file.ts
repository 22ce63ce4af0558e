import { nearest } from '../../config/nearest.js';
import { counted, DECIMAL, Decimal, numberAdvice, plainNumber } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { WallClock } from '../../domain/zone.js';
import { Failure, quoted, usage } from '../../errors.js';
import type { BasisLine } from '../../trading/pnl/basis.js';
import { coinName, zonedMoment } from '../inputs/parsers.js';
import { readNamedFile, shownName } from '../named-files/input.js';
import type { Context } from '../session/command.js';

const FORM = 'Each line is time,coin,amount,cost,coin of the cost, such as 2024-03-01,btc,0.5,21000,usdt.';
const RULES = { max: 32 * 2 ** 20, hint: 'It must be a CSV file that you may read, or - for stdin.' };
const COLUMNS = 5;
/** The most lines that an error names. */
const MAX_NAMED = 3;

/**
 * Reads what the user paid for coins that came in without a trade. Throws Failure `usage` that names the lines which cannot be read.
 * @param clock of the zone of times that have none
 */
export async function readBasis(
  context: Context,
  name: string,
  { clock, markets }: { readonly clock: WallClock; readonly markets: readonly Market[] },
): Promise<readonly BasisLine[]> {
  const text = (await readNamedFile(context, name, RULES)).toString('utf8');
  const coins = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))];
  const wrong: { readonly line: number; readonly failure: Failure }[] = [];
  const rows = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((row, index) => ({ row: row.trim(), line: index + 1 }));
  const filled = rows.filter(({ row }) => row !== '' && !row.startsWith('#'));
  const [first] = filled;
  const isHeader = first !== undefined && /^"?time"?\s*,/i.test(first.row);
  const lines = filled.slice(isHeader ? 1 : 0).flatMap(({ row, line }) => {
    try {
      return [{ line, ...parseRow(row, { clock, coins, now: context.host.now() }) }];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      wrong.push({ line, failure: error });
      return [];
    }
  });
  const [one] = wrong;
  if (one !== undefined) {
    const named = wrong.slice(0, MAX_NAMED).map(({ line, failure }) => `Line ${line}: ${failure.message}`);
    const more = wrong.length - named.length;
    throw usage(`${shownName(name)}: ${named.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`, one.failure.hints);
  }
  if (lines.length === 0) throw usage(`${shownName(name)} has no lines with a cost.`, FORM);
  return lines;
}

interface RowRules {
  readonly clock: WallClock;
  readonly coins: readonly string[];
  readonly now: number;
}

function parseRow(row: string, { clock, coins, now }: RowRules): Omit<BasisLine, 'line'> {
  const cells = cellsOf(row);
  if (cells.length !== COLUMNS)
    throw usage(`${quoted(row)} has ${counted(cells.length, 'column')} instead of ${COLUMNS}.`, FORM);
  const [time = '', coin = '', amount = '', cost = '', costCoin = ''] = cells;
  const bought = zonedMoment(time)(clock)(now);
  const parsed = { amount: decimal('The amount', amount), cost: decimal('The cost', cost) };
  if (parsed.amount.sign === 0) throw usage('The amount is 0.', 'Give the amount that you bought.');
  return { time: bought, coin: known(coin, coins), ...parsed, costCoin: known(costCoin, coins) };
}

/** The cells of a line, without their quotes: a comma inside is a part of the cell, and a quote is written twice. */
function cellsOf(row: string): readonly string[] {
  const cells = `,${row}`.matchAll(/,\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g);
  return [...cells].map(([, quote, plain]) => quote?.replaceAll('""', '"').trim() ?? plain?.trim() ?? '');
}

function decimal(what: string, text: string): Decimal {
  const word = plainNumber(text);
  if (DECIMAL.isExact(word)) return Decimal.of(word);
  throw usage(`${what} must be a number of 0 or more, not ${quoted(text)}.`, numberAdvice(text) ?? FORM);
}

/** @throws Failure `usage` with the nearest names */
function known(word: string, coins: readonly string[]): string {
  const coin = coinName(word);
  if (coins.includes(coin)) return coin;
  const close = nearest(coin, coins);
  const guess = close.length === 0 ? '' : ` Did you mean ${close.join(' or ')}?`;
  throw usage(`There is no coin ${coin} on this exchange.${guess}`, FORM);
}
