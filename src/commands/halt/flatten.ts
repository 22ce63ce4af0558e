import { confirm } from '../../cli/consent.js';
import { counted, formatAmount, formatPrice } from '../../domain/decimal.js';
import { Failure, type Hint, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { table } from '../../terminal/table.js';
import { wrapped } from '../../terminal/text.js';
import { type Holding, planFlatten, type Sale, type SaleResult, sell } from '../../trading/flatten/flatten.js';
import { guardLimits } from '../../trading/guards/limits.js';
import type { Context } from '../command.js';
import { orderResult } from '../order/order-result.js';
import { carryOut, exchangeText, openWrite } from '../write.js';

/** What `pit halt --flatten` did. */
export interface Flattened {
  /** One for each order that was placed, or whose outcome is unknown. */
  readonly rows: readonly object[];
  readonly show: (screen: Screen) => string;
  /** What was not sold; undefined if nothing is left. */
  readonly failure: Failure | undefined;
}

export const NOTHING_FLATTENED: Flattened = { rows: [], show: () => '', failure: undefined };

interface Plan {
  /** The preview for programs, which read no table on stderr. */
  readonly warnings: readonly { readonly text: string }[];
  readonly holdings: readonly Holding[];
}

/**
 * Previews the sale of everything that the account holds into a coin, asks, and sells it. The preview is shown with `--yes`, too.
 * Without any failure of its own: what was not sold is in the result, because the halt itself was done.
 */
export async function flatten(context: Context, into: string): Promise<Flattened> {
  try {
    const answer = await sellEverything(context, into);
    return { rows: answer.data as readonly object[], show: answer.show, failure: answer.failure };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `The account is halted, but nothing was sold: ${error.message}`;
    return { ...NOTHING_FLATTENED, failure: new Failure('partial', message, { hint: [...error.hints, again(into)] }) };
  }
}

/** The preview of the sale, for `--dry-run`. Throws Failure as its steps do. */
export async function sellEverything(command: Context, into: string): Promise<Answer> {
  const isRead = command.globals.format !== 'json' || command.host.errors.isTTY === true;
  const context = await openWrite(command, isRead || command.globals.dryRun);
  const { trading, session, budget } = context;
  const limits = guardLimits((await session.profile.connection()).settings);
  let isStopped = false;
  return carryOut<Plan, ReadonlyMap<string, SaleResult>>(context, {
    prepare: async () => {
      const holdings = await planFlatten(trading, into, limits);
      return { warnings: holdings.map((holding) => ({ text: saleText(holding) })), holdings };
    },
    preview: async ({ holdings }) => {
      const where = await exchangeText(context);
      return (screen) => holdingsTable(screen, holdings, into, where);
    },
    dryRun: ({ holdings }) => holdings.flatMap(({ coin, amount }) => ({ coin, amount: amount.toString() })),
    confirm: async ({ holdings }) => {
      const coins = holdings.flatMap(({ coin, sale }) => (typeof sale === 'string' ? [] : [coin]));
      if (coins.length > 0) await confirm(context, `Sell all ${coins.join(', ')} into ${into}?`);
    },
    send: ({ holdings }) =>
      budget.withoutDeadline(async () => {
        const current = guardLimits(await session.profile.currentSettings());
        const results = new Map<string, SaleResult>();
        for (const { coin, sale } of holdings)
          if (typeof sale !== 'string')
            results.set(coin, await sell(trading, { coin, sale }, current, () => !isStopped));
        return results;
      }),
    interrupted: () => {
      isStopped = true;
      return { advice: ['The account is halted. Not everything was sold.', again(into)] };
    },
    result: ({ holdings }, results) => flattenedAnswer(context, holdings, results, into),
  });
}

/** What is about to be done with a coin, as a sentence. */
function saleText({ coin, amount, sale }: Holding): string {
  if (typeof sale === 'string') return `${formatAmount(amount)} ${coin} will not be sold: ${sale}.`;
  const { market, floor } = sale;
  const least = floor === null ? '' : `, not below ${formatPrice(floor, market)}`;
  return `${formatAmount(amount)} ${coin} will be sold in ${market.market}${least}.`;
}

function again(into: string): Hint {
  return suggest('Sell what is left', 'halt', '--cancel', '--flatten', into);
}

function flattenedAnswer(
  context: Parameters<typeof orderResult>[0],
  holdings: readonly Holding[],
  results: ReadonlyMap<string, SaleResult>,
  into: string,
): Answer {
  const orders = holdings.flatMap(({ coin, sale }) =>
    typeof sale === 'string'
      ? []
      : (results.get(coin)?.slices ?? []).flatMap((slice) => resultOf(context, slice, sale)),
  );
  const show = (screen: Screen) =>
    orders.length === 0 ? 'Nothing was sold.' : orders.map((order) => order.show(screen)).join('\n');
  const failure = failureOf(holdings, results, into);
  return { data: orders.map(({ data }) => data), show, ...(failure === undefined ? {} : { failure }) };
}

/** None for an order that was refused or not sent: the failure names it. */
function resultOf(
  context: Parameters<typeof orderResult>[0],
  { id, terms, placement }: SaleResult['slices'][number],
  { market }: Sale,
): Answer[] {
  if (placement.outcome === 'refused' || placement.outcome === 'notSent') return [];
  return [orderResult(context, { id, clientId: id, terms }, placement, market)];
}

/** Any unknown 6; anything left that an order could sell 9. */
function failureOf(
  holdings: readonly Holding[],
  results: ReadonlyMap<string, SaleResult>,
  into: string,
): Failure | undefined {
  const left = holdings.flatMap(({ coin, sale }) => {
    const why = typeof sale === 'string' ? null : (results.get(coin)?.left ?? null);
    return why === null ? [] : [`${coin}: ${why}`];
  });
  if (left.length === 0) return undefined;
  const unknown = [...results.values()].flatMap((result) => result.unknown ?? []);
  const message = `The account is halted, but ${counted(left.length, 'coin')} could not be sold: ${left.join('; ').replace(/\.$/, '')}.`;
  const settle = unknown.map((id) => suggest('Find out', 'resolve', id));
  return new Failure(unknown.length > 0 ? 'unknown' : 'partial', message, { hint: [...settle, again(into)] });
}

function holdingsTable(screen: Screen, holdings: readonly Holding[], into: string, where: string): string {
  if (holdings.length === 0) return `The account holds nothing but ${into}.`;
  const saleOf = ({ sale }: Holding) => (typeof sale === 'string' ? null : sale);
  const text = table(
    screen,
    [
      { title: 'coin', value: ({ coin }) => coin, importance: 9 },
      { title: 'amount', value: ({ amount }) => formatAmount(amount), align: 'decimal', importance: 8 },
      {
        title: 'best bid',
        value: (row) => (saleOf(row) === null ? null : priceText(row)),
        align: 'decimal',
        importance: 6,
      },
      { title: 'not below', value: (row) => floorText(row), align: 'decimal', importance: 7 },
      {
        title: `worth in ${into}`,
        value: (row) => worthText(row),
        align: 'decimal',
        importance: 5,
      },
      { title: 'not sold', value: ({ sale }) => (typeof sale === 'string' ? sale : null), importance: 4 },
    ],
    holdings,
  );
  const how =
    'Each coin is sold with orders that fill at once or are cancelled, each no larger than order-notional allows. day-notional does not count here.';
  return `${text}\n${wrapped(`${how} Exchange: ${where}.`, screen.width)}`;
}

function priceText({ sale }: Holding): string | null {
  return typeof sale === 'string' ? null : formatPrice(sale.bid, sale.market);
}

function floorText({ sale }: Holding): string | null {
  return typeof sale === 'string' || sale.floor === null ? null : formatPrice(sale.floor, sale.market);
}

/** At the best bid: a large amount gets less. */
function worthText({ amount, sale }: Holding): string | null {
  if (typeof sale === 'string') return null;
  return formatPrice(amount.times(sale.bid).rescaled(sale.market.priceScale, 'down'), sale.market);
}
