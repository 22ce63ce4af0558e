import { Failure, type FailureKind, usage } from '../errors.js';
import type { Answer } from '../terminal/answer.js';
import { grouped } from '../terminal/numbers.js';
import type { Paint } from '../terminal/screen.js';
import { type Cancellation, cancelOrder } from '../trading/cancel-order.js';
import { type OrderReference, referenceValues } from '../trading/find-order.js';
import { listing } from './frame/answers.js';
import type { Context } from './frame/context.js';
import { define, flag, required, several } from './frame/definition.js';
import { dryRun } from './frame/dry-run.js';
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
    const client = await context.session.signedClient();
    await (await context.session.markets()).find(market);
    if (context.globals.dryRun) return preview(context, market, references);
    const results: Cancellation[] = [];
    for (const reference of references) results.push(await cancelOrder(client, market, reference));
    return conclude(context, market, results);
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

async function conclude(
  { output }: Context,
  market: string,
  results: readonly Cancellation[],
): Promise<Answer | undefined> {
  const failure = failureOf(market, results);
  if (failure !== null && failure.kind !== 'unknown' && failure.kind !== 'partial') throw failure;
  const answer = listing({
    rows: results,
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
  if (failure === null) return answer;
  await output.answer(answer);
  throw failure;
}

function shown(value: string | null): string | null {
  return value === null ? null : grouped(value);
}

function paintOutcome(text: string, { outcome }: Cancellation, paint: Paint): string {
  if (outcome === 'cancelled') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}

/** All done 0; any unknown 6; none done 3; mixed 9. */
function failureOf(market: string, results: readonly Cancellation[]): Failure | null {
  const of = (outcome: Cancellation['outcome']) => results.filter((result) => result.outcome === outcome);
  const [done, refused, unknown] = [of('cancelled'), of('refused'), of('unknown')];
  if (done.length === results.length) return null;
  const first = unknown[0] ?? refused[0];
  const reference = first?.clientId === null || first === undefined ? (first?.id ?? 'ID') : `--id ${first.clientId}`;
  const hint = `See what became of it: pit order show ${market} ${reference}`;
  const words = `${done.length} of ${results.length} cancelled${first?.message == null ? '' : `; ${first.message}`}.`;
  const { kind, message } = verdict(unknown.length, done.length, words);
  return new Failure(kind, message, { hint, ...(first?.code == null ? {} : { code: first.code }) });
}

function verdict(unknown: number, done: number, words: string): { kind: FailureKind; message: string } {
  if (unknown > 0) return { kind: 'unknown', message: `It is not known whether every order was cancelled: ${words}` };
  return done > 0
    ? { kind: 'partial', message: words }
    : { kind: 'refused', message: `Nothing was cancelled: ${words}` };
}
