import type { Context } from '../../cli/context.js';
import { suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingAccount } from '../../trading/account.js';
import type { Extra } from '../../trading/duplicates/extra-orders.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { needMarket } from '../../trading/guards/guards.js';
import { guardLimits } from '../../trading/guards/limits.js';
import type { GuardName } from '../../trading/guards/names.js';
import { newClientId } from '../../trading/orders/client-id.js';
import type { Guarding } from '../../trading/orders/place.js';
import { referenceValues } from '../../trading/orders/reference.js';
import { notionalText, orderValues } from '../../trading/orders/terms.js';
import type { ReplacePlan } from '../../trading/replace/plan.js';
import { type Replacement, replaceOrder } from '../../trading/replace/replace.js';
import { dryRun, NO_PREVIEW, type Preview } from '../dry-run.js';
import { confirmGuarded, guardingOf } from '../guarding.js';
import { UNCHECKED } from '../session/extras.js';
import { foreseen, isLookedAt, type Prepared } from './prepare.js';
import { previewData } from './preview-data.js';
import { conclude } from './replace-conclusion.js';
import { showReplacement } from './replace-preview.js';
import { besideOf } from './send.js';

/** Shows what a replacement would do, asks, and does it; or shows it alone for `--dry-run`. */
export async function sendReplacement(
  context: Context,
  account: TradingAccount,
  plan: ReplacePlan,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const { output, globals } = context;
  const prepared = await prepare(context, account, plan, overridden);
  const { order, facts, breaches, warnings } = prepared;
  if (facts === null) {
    for (const warning of warnings) output.warn(warning);
  } else {
    const beside = await besideOf(context, account, breaches, overridden);
    const show = (screen: Screen) => showReplacement(screen, plan, prepared, facts, beside);
    if (globals.dryRun)
      return dry(context, account, plan, order.clientId, previewData(prepared, facts, overridden), show);
    output.preview(show);
  }
  await confirmGuarded(context, 'Cancel and place this one?', breaches, overridden);
  const guarding = await guardingOf(context, account, plan.market.quote, prepared, overridden);
  return replace(context, account, plan, order.clientId, guarding);
}

/** The order that is to be placed, as any other before it is sent. */
async function prepare(
  context: Context,
  account: TradingAccount,
  { market, placed: terms, outlook }: ReplacePlan,
  overridden: readonly GuardName[],
): Promise<Prepared> {
  const limits = guardLimits((await context.session.connection()).settings);
  const needsMarket = needMarket({ ...terms, quote: market.quote }, limits, overridden);
  const order = { ...terms, clientId: newClientId(context.host), notional: notionalText(terms) };
  const around = { outlook, limits, needsMarket, isSeen: isLookedAt(context) };
  const told = await foreseen(context, account, { market, terms }, around);
  return { market, order, ...told };
}

async function replace(
  { host, output }: Context,
  account: TradingAccount,
  plan: ReplacePlan,
  id: string,
  guarding: Guarding,
): Promise<Answer> {
  const forget = host.onInterrupt(() => {
    output.warn([
      'The order may be cancelled, and the one in its place may have left.',
      suggest('Find out', 'resolve', id),
    ]);
  });
  const replaced = await replaceOrder(account, plan, id, guarding);
  const found = await watchMarket(account, plan.terms.market);
  const copies = found.filter(({ intent }) => intent === id);
  // that look may take seconds, and until it is over nothing of what was done is told
  forget();
  const done = withCopies(replaced, copies);
  if (isUnchecked(done)) output.note(UNCHECKED);
  return conclude(plan.terms, id, done);
}

/**
 * With what the look after the one at the order itself has found. Where that one failed only a copy says that this one did
 * not: it keeps quiet about its own failure.
 */
function withCopies(done: Replacement, copies: readonly Extra[]): Replacement {
  if (done.kind !== 'sent' || done.placement.outcome !== 'placed' || copies.length === 0) return done;
  return { ...done, placement: { ...done.placement, extras: [...(done.placement.extras ?? []), ...copies] } };
}

/** Whether nobody could see if something on the way repeated the order. */
function isUnchecked(done: Replacement): boolean {
  return done.kind === 'sent' && done.placement.outcome === 'placed' && done.placement.extras === null;
}

/** Both requests, the second as it would be if nothing more filled meanwhile. */
function dry(
  context: Context,
  { client }: TradingAccount,
  { terms, placed }: ReplacePlan,
  id: string,
  preview: Preview,
  show: (screen: Screen) => string,
): Answer {
  const values = { currency: terms.market, ...referenceValues(terms.order) };
  const cancel = dryRun(context, client, 'cancelOrder', values, NO_PREVIEW, () => '');
  const place = dryRun(context, client, 'order', orderValues(placed, id), preview, show);
  return { data: [cancel.data, place.data], show: place.show };
}
