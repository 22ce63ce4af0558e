import { factsOf, shownOf } from '../../cli/fact-list.js';
import { nearest } from '../../config/nearest.js';
import { Failure, suggest, usage } from '../../errors.js';
import { likelyOrders, operations, readRawWithdrawal, readRawWrite } from '../../exchange/description.js';
import { refusalFailure } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { type CallOutcome, refuseIdenticalCall, sendCall } from '../../trading/call/call.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import { type GuardReport, guardOrders } from '../../trading/guards/guards.js';
import { type GuardName, guardLimits } from '../../trading/guards/limits.js';
import { SendGate } from '../../trading/journal/entry.js';
import type { BatchLine, CallTerms } from '../../trading/journal/write.js';
import { newClientId } from '../../trading/orders/terms.js';
import { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import type { OrderDraft } from '../order/order-args.js';
import type { Context } from '../session/command.js';
import { dryRequest } from '../writes/dry-run.js';
import { confirmGuarded } from '../writes/guard-overrides.js';
import { previewJson } from '../writes/preview-facts.js';
import { openWithConsent, openWrite, runWrite, type WriteContext } from '../writes/write.js';
import { bodyAnswer } from './answer.js';

type Values = Readonly<Record<string, string>>;

/** Executes a described write as its own command does, so that journal, guards and confirmation cannot be bypassed. */
export async function executeWrite(
  context: Context,
  operation: string,
  values: Values,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const write = readRawWrite(operation, values);
  switch (write.kind) {
    case 'order': {
      const { sendOrder } = await import('../order/order.js');
      const { checkGiven } = await import('../order/order-args.js');
      const { price, amount, ...terms } = write.terms;
      const expressions = { amount: parseAmount(amount), at: parsePrice(price) };
      const typed = { parameters: values, hasClientId: write.clientId !== undefined };
      const draft: OrderDraft = { ...terms, ...expressions, id: write.clientId, overridden, typed };
      checkGiven(draft);
      return sendOrder(await openWithConsent(context), draft);
    }
    case 'batch': {
      const { sendBatch } = await import('../order/batch.js');
      const { orders, ...where } = write.batch;
      const lines = orders.map(({ price, amount }, index): BatchLine => [index + 1, price, amount]);
      return sendBatch(await openWithConsent(context), where, { kind: 'lines', lines, grouped: [] }, overridden);
    }
    case 'cancel': {
      const { cancelNamed } = await import('../cancel/cancel.js');
      return cancelNamed(await openWrite(context), write.market, [write.order]);
    }
    default: {
      const { cancelAfter } = await import('../cancel/cancel-after.js');
      return cancelAfter(await openWithConsent(context), write.market);
    }
  }
}

/** A withdrawal has to be confirmed by its address and takes the fund password, which only its command asks for. */
export function onlyByCommand(values: Values): Failure {
  const { coin = 'COIN', amount = 'AMOUNT', address = 'ADDRESS', fee } = readRawWithdrawal(values);
  return usage(
    'Only pit withdraw can withdraw: it checks the address, and asks for it and for the fund password.',
    suggest('Write it as', 'withdraw', coin, amount, '--to', address, ...(fee === undefined ? [] : ['--fee', fee])),
  );
}

/** What is known of a call before it is sent. */
const CALL_FACTS = {
  call: factsOf<CallTerms>()({
    entries: ({ method, parameters }) => [['operation', method], ...Object.entries(parameters), ['effect', 'unknown']],
  }),
};

/** Calls an operation that the interface does not describe: as a write, since it may be one. */
export async function callUndescribed(
  command: Context,
  terms: CallTerms,
  { raw, overridden }: { readonly raw: boolean; readonly overridden: readonly GuardName[] },
): Promise<Answer> {
  const { method, parameters } = terms;
  if (movesCoins(terms)) throw onlyByCommand(parameters);
  const [close] = nearest(method, Object.keys(operations));
  const guess = close === undefined ? '' : ` Did you mean ${close}?`;
  command.output.warn(
    `The interface does not describe ${method}, so it counts as a write: it is signed and sent once.${guess}`,
  );
  const context = await openWithConsent(command);
  const { trading } = context;
  const id = newClientId(context.host);
  const hint = [
    'No operation reports its outcome. Check the exchange, then record what you found, done or notSent.',
    suggest('Record it', 'resolve', id, '--as', 'done'),
  ];
  const gate = new SendGate();
  return runWrite(context, {
    plan: async () => {
      refuseIdenticalCall(trading, terms);
      return { ...(await guardLikelyOrders(context, parameters)), overridden };
    },
    preview: () => shownOf(CALL_FACTS, terms),
    dryRun: (plan) =>
      dryRequest(context, { kind: 'call', operation: method, values: parameters }, previewJson({}, plan)),
    ask: ({ breaches }) => {
      const words = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
      return confirmGuarded(context, `Send ${[method, ...words].join(' ')}?`, breaches, overridden);
    },
    compare: async ({ breaches }, plan) => {
      const isNew = plan.breaches.some(({ guard }) => !breaches.some((shown) => shown.guard === guard));
      return isNew ? { plan, reason: 'The market or your limits have changed.' } : { plan };
    },
    left: () => (gate.cancel() ? null : { advice: [`${method} may have been sent.`, ...hint], clientId: id }),
    run: async () => {
      const call = await sendCall(trading, terms, id, gate);
      if (call.outcome !== 'unknown') return answerOf(method, call, raw);
      return {
        data: { operation: method, clientId: id, outcome: call.outcome },
        failure: new Failure('unknown', `The outcome of ${method} is unknown: ${call.reason}.`, { clientId: id, hint }),
        show: ({ paint }) => `${paint.warn('Unknown')}  ${method}  ${id}`,
      };
    },
  });
}

/** The answer to a call, as it came. Throws Failure if the exchange rejected it, or it was not sent. */
function answerOf(method: string, call: Exclude<CallOutcome, { readonly outcome: 'unknown' }>, raw: boolean): Answer {
  if (call.outcome === 'done') return bodyAnswer(call.body, raw);
  if (call.outcome === 'refused') throw refusalFailure(call.refusal, method);
  throw new Failure(call.failure, `${method} was not sent: ${call.reason}.`, { hint: call.hint });
}

/** Whether a call may be a withdrawal under another name: it has a destination for coins. */
function movesCoins({ method, parameters }: CallTerms): boolean {
  return /withdraw/i.test(method) || Object.keys(parameters).some((name) => /addr/i.test(name));
}

/**
 * Checks an undescribed call against the guards as if it placed orders: it may, if it has a market with a price and an amount,
 * or with pairs of them.
 */
async function guardLikelyOrders(
  { session, trading }: WriteContext,
  values: Values,
): Promise<Omit<GuardReport, 'bestBid'>> {
  const nothing = { breaches: [], warnings: [] };
  const { orders, sides, market: name } = likelyOrders(values);
  if (orders.length === 0 || name === undefined) return nothing;
  const market = await (await session.markets()).find(name).catch((error: unknown) => {
    // the call may mean something else by it than a market
    if (error instanceof Failure && error.kind === 'usage') return undefined;
    throw error;
  });
  if (market === undefined) return nothing;
  const limits = guardLimits(await session.currentSettings());
  const book = await new MarketSnapshot(trading.client, { market: market.market, side: 'buy' }, 1).book();
  const guarded = sides.map((side) => guardOrders(trading, { market, side, type: 'limit', orders }, book, limits));
  const breaches = guarded.flatMap((one) => one.breaches);
  const warnings = guarded.flatMap((one) => one.warnings);
  // both sides may break the same guard, and raise the same warning
  return {
    breaches: breaches.filter(({ guard }, index) => breaches.findIndex((one) => one.guard === guard) === index),
    warnings: warnings.filter(({ text }, index) => warnings.findIndex((one) => one.text === text) === index),
  };
}
