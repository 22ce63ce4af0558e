import { Failure, type FailureKind, usage } from '../errors.js';
import type { Answer } from '../terminal/answer.js';
import { grouped } from '../terminal/numbers.js';
import type { Paint } from '../terminal/screen.js';
import { type CancelAttempt, type Cancellation, cancelOrder } from '../trading/cancel/cancel.js';
import { type OrderReference, referenceValues } from '../trading/order/reference.js';
import { listing } from './frame/answers.js';
import type { Context } from './frame/context.js';
import { define, flag, required, several } from './frame/definition.js';
import { dryRun } from './frame/dry-run.js';
import { watchMarket } from './frame/extras.js';
import { onMarket } from './frame/known-market.js';
import { sameProfile } from './frame/same-profile.js';
import { marketName } from './inputs/names.js';
import { clientId, idNumber } from './inputs/numbers.js';

export default define({
  summary: 'Cancel orders by id; asks nothing',
  arguments: { market: required('the market', marketName), ids: several('the order ids', idNumber('The order id')) },
  flags: { id: flag('--id <client-id>', 'your own id of the order', clientId) },
  examples: ['cancel btc_usdt 202611210000000001', 'cancel btc_usdt --id myorder1 --json'],
  async run(context, { market, ids, id }) {
    if (ids.length > 0 === (id !== undefined))
      throw usage('Either order ids or --id is needed.', 'pit orders lists the ids.');
    const references: OrderReference[] =
      id === undefined ? [...new Set(ids)].map((one) => ({ id: one })) : [{ clientId: id }];
    const account = await context.session.trading();
    if (context.globals.dryRun) return preview(context, market, references);
    const attempts: CancelAttempt[] = [];
    const forget = context.host.onInterrupt(() =>
      context.output.warn(sameProfile(interruptedNote(market, attempts, references), context.host.arguments)),
    );
    for (const reference of references) attempts.push(await cancelOrder(account, market, reference));
    forget();
    await watchMarket(context, account, market);
    return onMarket(context, market, () => conclude(market, attempts));
  },
});

async function preview(context: Context, market: string, references: readonly OrderReference[]): Promise<Answer> {
  const client = await context.session.signedClient();
  const nothing = { price: null, amount: null, notional: null, fee: null, warnings: [] };
  const runs = references.map((reference) => {
    const words = 'id' in reference ? reference.id : reference.clientId;
    return dryRun(
      context,
      client,
      'cancelOrder',
      { currency: market, ...referenceValues(reference) },
      nothing,
      () => `Would cancel ${words} in ${market}.`,
    );
  });
  return { data: runs.map(({ data }) => data), show: (screen) => runs.map((run) => run.show(screen)).join('\n') };
}

async function conclude(market: string, attempts: readonly CancelAttempt[]): Promise<Answer> {
  const failure = failureOf(market, attempts);
  if (failure !== null && failure.kind !== 'unknown' && failure.kind !== 'partial') throw failure;
  const answer = listing({
    rows: attempts.map(({ result }) => result),
    fields: ['outcome', 'id', 'clientId', 'market', 'price', 'amount', 'filled', 'filledValue', 'code', 'message'],
    columns: [
      { title: 'outcome', value: ({ outcome }) => outcome, importance: 9, paint: paintOutcome },
      { title: 'order', value: ({ id, clientId: own }) => id ?? own, importance: 8 },
      { title: 'price', value: ({ price }) => shown(price), align: 'decimal', importance: 5 },
      { title: 'amount', value: ({ amount }) => shown(amount), align: 'decimal', importance: 5 },
      { title: 'filled', value: ({ filled }) => shown(filled), align: 'decimal', importance: 6 },
      { title: 'message', value: ({ message }) => message, importance: 3 },
    ],
    empty: 'No orders.',
  });
  return failure === null ? answer : { ...answer, failure };
}

function shown(value: string | null): string | null {
  return value === null ? null : grouped(value);
}

function paintOutcome(text: string, { outcome }: Cancellation, paint: Paint): string {
  if (outcome === 'cancelled') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}

function interruptedNote(market: string, done: readonly unknown[], all: readonly unknown[]): string {
  return `${done.length} of ${all.length} answers had come. See what became of the others: pit orders ${market}`;
}

/** All done 0; any unknown 6; none done 3 (5 and 7 where that is why); mixed 9. */
function failureOf(market: string, attempts: readonly CancelAttempt[]): Failure | null {
  const failed = attempts.filter(({ failure }) => failure !== null);
  const first = failed.find(({ failure }) => failure === 'unknown') ?? failed[0];
  if (first === undefined) return null;
  const { id, clientId: own, code, message } = first.result;
  const done = attempts.length - failed.length;
  const kind = first.failure === 'unknown' || done === 0 ? (first.failure ?? 'refused') : 'partial';
  const words = `${done} of ${attempts.length} cancelled${message === null ? '' : `; ${message}`}.`;
  return new Failure(kind, `${LEADS[kind] ?? 'Nothing was cancelled: '}${words}`, {
    hint: `See what became of it: pit order show ${market} ${own === null ? id : `--id ${own}`}`,
    ...(code === null ? {} : { code }),
    ...(own === null ? {} : { clientId: own }),
  });
}

const LEADS: Partial<Readonly<Record<FailureKind, string>>> = {
  unknown: 'It is not known whether every order was cancelled: ',
  partial: '',
};
