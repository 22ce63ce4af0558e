import { usage } from '../../errors.js';
import type { AccountType } from '../../protocol/words.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { safe, wrapped } from '../../terminal/text.js';
import type { TradingAccount } from '../../trading/account.js';
import type { Extra } from '../../trading/duplicates/extra-orders.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { type Guarded, needMarket } from '../../trading/guards/guards.js';
import { guardLimits } from '../../trading/guards/limits.js';
import type { GuardName } from '../../trading/guards/names.js';
import { newClientId } from '../../trading/order/client-id.js';
import { referenceValues } from '../../trading/order/reference.js';
import { orderValues } from '../../trading/order/terms.js';
import { guardOrder } from '../../trading/preview/preview.js';
import { planReplacement, type ReplacePlan, type Wishes } from '../../trading/replace/plan.js';
import { type Replacement, replaceOrder } from '../../trading/replace/replace.js';
import { readAmount } from '../../trading/words/amount-word.js';
import { readPrice } from '../../trading/words/price-word.js';
import { CANCELLED } from '../cancel/rows.js';
import { requireConsent } from '../frame/consent.js';
import type { Context } from '../frame/context.js';
import { define, flag, optional, required, toggle } from '../frame/definition.js';
import { dryRun, dryRunShape, NO_PREVIEW } from '../frame/dry-run.js';
import { exchangeText } from '../frame/exchange-text.js';
import { breachText, confirmGuarded, dayRecheck, overriddenBy, overrideFlag } from '../frame/guards.js';
import { onMarket } from '../frame/known-market.js';
import * as shape from '../frame/shapes.js';
import { marketName } from '../inputs/names.js';
import { knownClientId, oneOf, orderId } from '../inputs/numbers.js';
import { conclude } from './replace-conclusion.js';
import { notionalOf, showReplacement } from './replace-preview.js';
import { PLACED } from './shapes.js';

export default define({
  summary: 'Give an open order another price or amount: cancel it, then place what remains',
  arguments: { market: required('the market', marketName), order: optional('the order id', orderId) },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    at: flag('--at <price>', 'the new price: a number, or bid, ask or mid with an offset', readPrice),
    amount: flag(
      '--amount <amount>',
      'the new total, what has filled included: in the base coin (0.5) or a value (100usdt); a share (50%) is of what will be available, and comes on top of what has filled',
      readAmount,
    ),
    account: flag(
      '--account <name>',
      'spot, isolated or cross: the account that the order belongs to, which the exchange does not tell (default: as pit placed it, spot where it placed none on margin)',
      oneOf('--account', 'spot', 'isolated', 'cross'),
    ),
    borrow: toggle('--borrow', 'borrow what is missing (margin); taken over from an order that pit placed'),
    repay: toggle('--repay', 'repay with what comes in (margin); taken over likewise'),
    override: overrideFlag,
  },
  examples: [
    'order replace btc_usdt 202611210000000001 --at bid+1tick',
    'order replace btc_usdt --id myorder1 --amount 0.5 --yes --json',
    'order replace btc_usdt 202611210000000001 --at 28000 --amount 100% --dry-run',
  ],
  output: shape.record({ ...PLACED, replaced: shape.record(CANCELLED, 'the row of the cancellation') }),
  dry: shape.list(dryRunShape(), 'the cancellation and the order'),
  async run(context, { market, order, id, at, amount, override, ...flags }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Exactly one of the order id and --id is needed.', 'pit orders lists the ids.');
    if (at === undefined && amount === undefined)
      throw usage('Nothing would change.', 'Give the new price with --at, the new amount with --amount, or both.');
    requireMargin(flags.account, flags.borrow || flags.repay);
    requireConsent(context);
    const trading = await context.session.trading();
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const wishes: Wishes = { at, amount, account: flags.account, borrow: flags.borrow, repay: flags.repay };
    const catalog = await context.session.markets();
    const plan = await onMarket(context, market, async () =>
      planReplacement(trading, await catalog.find(market), reference, wishes),
    );
    return act(context, trading, plan, overriddenBy(override));
  },
});

/** Who asks for a loan says where; what an order has of them is known with its account. */
function requireMargin(account: AccountType | undefined, needsIt: boolean): void {
  if ((account ?? 'spot') === 'spot' && needsIt)
    throw usage('--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.');
}

async function act(
  context: Context,
  account: TradingAccount,
  plan: ReplacePlan,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const id = newClientId(context.host);
  const exchange = await exchangeText(context, account.client);
  const show = (screen: Screen) => showReplacement(screen, plan, id, exchange);
  const { breaches, warnings } = await guarded(context, account, plan, overridden);
  const held = [...warnings, ...breaches.map((breach) => breachText(breach, overridden))];
  if (context.globals.dryRun) return dry(context, account, plan, id, held, show);
  if (!context.globals.yes) context.output.preview(show);
  for (const warning of warnings) context.output.warn(warning);
  await confirmGuarded(context, 'Cancel and place this one?', breaches, overridden);
  const recheck = await dayRecheck(context, account, plan.market.quote, breaches);
  const forget = context.host.onInterrupt(() => {
    const note = `The order may be cancelled, and the one in its place may have left. Find out: pit resolve ${id}`;
    context.output.warn(note);
  });
  const done = await replaceOrder(account, plan, id, recheck);
  forget();
  const found = await watchMarket(account, plan.terms.market);
  return conclude(plan.terms, id, withCopies(done, found));
}

/** The look at the order itself may not have come through, and the one after it. */
function withCopies(done: Replacement, found: readonly Extra[]): Replacement {
  if (done.kind !== 'sent' || done.placement.outcome !== 'placed') return done;
  return { ...done, placement: { ...done.placement, extras: [...(done.placement.extras ?? []), ...found] } };
}

/** The order that is to be placed is held against the guards as any other is. */
async function guarded(
  { session }: Context,
  account: TradingAccount,
  { market, placed: terms, outlook }: ReplacePlan,
  overridden: readonly GuardName[],
): Promise<Guarded> {
  const limits = guardLimits((await session.connection()).settings);
  const seen = needMarket(terms.type, limits, overridden) ? await outlook.market() : undefined;
  return guardOrder(account, { market, terms }, seen, limits);
}

/** Both requests, the second as it would be if nothing more filled meanwhile. */
function dry(
  context: Context,
  { client }: TradingAccount,
  { terms, placed }: ReplacePlan,
  id: string,
  warnings: readonly string[],
  show: (screen: Screen) => string,
): Answer {
  const { price, amount } = placed;
  const values = { currency: terms.market, ...referenceValues(terms.order) };
  const cancel = dryRun(context, client, 'cancelOrder', values, NO_PREVIEW, () => '');
  const preview = { ...NO_PREVIEW, price, amount, notional: notionalOf(placed), warnings };
  const place = dryRun(context, client, 'order', orderValues(placed, id), preview, show);
  const shown = (screen: Screen) =>
    [place.show(screen), ...warnings.flatMap((warning) => warningLines(screen, warning))].join('\n');
  return { data: [cancel.data, place.data], show: shown };
}

function warningLines({ width, paint }: Screen, warning: string): string[] {
  return wrapped(safe(warning), width).split('\n').map(paint.warn);
}
