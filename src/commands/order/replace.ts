import { requireConsent } from '../../cli/consent.js';
import { define, flag, optional, required, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { AccountType } from '../../domain/words.js';
import { suggest, usage } from '../../errors.js';
import { readAmount } from '../../trading/expressions/amount-expression.js';
import { readPrice } from '../../trading/expressions/price-expression.js';
import { planReplacement, type Wishes } from '../../trading/replace/plan.js';
import { CANCELLED } from '../cancel/rows.js';
import { dryRunShape } from '../dry-run.js';
import { overriddenBy, overrideFlag } from '../guarding.js';
import { marketName } from '../inputs/names.js';
import { knownClientId, oneOf, orderId } from '../inputs/numbers.js';
import { onMarket } from '../known-market.js';
import { isLookedAt, LEVELS } from './prepare.js';
import { sendReplacement } from './replace-send.js';
import { DRY_ORDER, PLACED } from './shapes.js';

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
  dry: shape.list(shape.either(dryRunShape(), DRY_ORDER), 'the cancellation and the order'),
  async run(context, { market, order, id, at, amount, override, ...flags }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Exactly one of the order id and --id is needed.', suggest('List the ids', 'orders'));
    if (at === undefined && amount === undefined)
      throw usage('Nothing would change.', 'Give the new price with --at, the new amount with --amount, or both.');
    requireMargin(flags.account, flags.borrow || flags.repay);
    requireConsent(context);
    const trading = await context.session.trading();
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const wishes: Wishes = { at, amount, account: flags.account, borrow: flags.borrow, repay: flags.repay };
    const catalog = await context.session.markets();
    const levels = isLookedAt(context) ? LEVELS.looking : undefined;
    const plan = await onMarket(context, market, async () =>
      planReplacement(trading, await catalog.find(market), reference, wishes, levels),
    );
    return sendReplacement(context, trading, plan, overriddenBy(override));
  },
});

/** Who asks for a loan says where; what an order has of them is known with its account. */
function requireMargin(account: AccountType | undefined, needsIt: boolean): void {
  if ((account ?? 'spot') === 'spot' && needsIt)
    throw usage('--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.');
}
