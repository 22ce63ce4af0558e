import { flag, optional, required, toggle, withCompletion } from '../../cli/definition.js';
import type * as shape from '../../cli/shapes.js';
import { ACCOUNT_TYPES, type OrderReference } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import type { GuardName } from '../../trading/guards/limits.js';
import { newClientId, termsText } from '../../trading/orders/terms.js';
import { planReplacement, type ReplaceChanges, type ReplacePlan } from '../../trading/replace/plan.js';
import { replaceOrder } from '../../trading/replace/replace.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import { knownClientId, marketName, oneOf, orderReference, PRICE_WORDS } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import type { DryRequest, DryRun } from '../writes/dry-run.js';
import { overriddenBy, overrideFlag } from '../writes/guard-overrides.js';
import { warnOfUnknownIn } from '../writes/unknown-writes.js';
import { mayBeDone, openWithConsent, runWrite, type WriteContext } from '../writes/write.js';
import { replacementForAgent } from './for-agent.js';
import { guardedOrders, PREVIEW_LEVELS } from './guarded-orders.js';
import { checkGiven, namedOrder } from './order-args.js';
import {
  DRY_REPLACEMENT,
  dryReplacement,
  type PlannedReplacement,
  REPLACED,
  REPLACEMENT_FACTS,
  replacedAnswer,
} from './replace-view.js';

export default define({
  summary: 'Change the price or amount of an open order',
  arguments: {
    market: required('the market', marketName),
    order: optional('the order id, or your own id of it', orderReference),
  },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    at: flag(
      '--at <price>',
      'the new price: a number, or bid, ask or mid with an offset',
      withCompletion(PRICE_WORDS, parsePrice),
    ),
    amount: flag(
      '--amount <amount>',
      'the new total, including what has filled: in the base coin (0.5) or a value (100usdt); a share (50%) is of the balance with the order cancelled, on top of what has filled',
      parseAmount,
    ),
    account: flag(
      '--account <name>',
      "the order's account, which the exchange does not report: spot, isolated or cross (default: as pit placed it, otherwise spot)",
      oneOf('--account', ...ACCOUNT_TYPES),
    ),
    borrow: toggle('--borrow', 'borrow the shortfall (margin); kept for an order that pit placed'),
    repay: toggle('--repay', 'repay loans with the proceeds (margin); kept likewise'),
    override: overrideFlag,
  },
  oneOf: ['order', '--id'],
  needs: [['--at', '--amount']],
  examples: [
    'order replace btc_usdt 202611210000000001 --at bid+1tick',
    'order replace btc_usdt --id myorder1 --amount 0.5 --yes --json',
    'order replace btc_usdt 202611210000000001 --at 28000 --amount 100% --dry-run',
  ],
  output: REPLACED,
  dryRunOutput: DRY_REPLACEMENT,
  async run(context, { market, order, id, at, amount, override, ...flags }) {
    const reference = namedOrder(order, id);
    const { account = 'spot', borrow, repay } = flags;
    checkGiven({ account, borrow, repay, amount: undefined });
    const changes = { at, amount, account: flags.account, borrow, repay };
    const request = { market, reference, changes, overridden: overriddenBy(override) };
    return sendReplacement(await openWithConsent(context), request);
  },
});

interface ReplaceRequest {
  readonly market: string;
  readonly reference: OrderReference;
  readonly changes: ReplaceChanges;
  readonly overridden: readonly GuardName[];
}

/** Previews a replacement, asks, and does it; for `--dry-run` only the preview. */
export function sendReplacement(
  context: WriteContext,
  request: ReplaceRequest,
): Promise<Answer<shape.Infer<typeof REPLACED> | readonly DryRun[]>> {
  return runWrite(context, replacing(context, request));
}

function replacing(context: WriteContext, request: ReplaceRequest) {
  const { overridden, changes } = request;
  return guardedOrders<PlannedReplacement, shape.Infer<typeof REPLACED>, DryRequest[]>(context, {
    overridden,
    plan: (confirmed) => planReplace(context, request, confirmed),
    question: ({ terms, replaces }) => `Cancel order ${replaces.order.id} and ${termsText(terms)} instead?`,
    facts: REPLACEMENT_FACTS,
    dryRun: (replacement) => dryReplacement(context, replacement),
    forAgent: ({ replaces }) => replacementForAgent(replaces, changes),
    run: async ({ id, replaces }, options) => {
      const done = await replaceOrder(context.trading, replaces, id, options);
      return replacedAnswer(context, replaces, id, done);
    },
    left: ({ id }) => mayBeDone('The order may be cancelled, and its replacement may have been sent.', id),
  });
}

/**
 * Works out a replacement and checks it.
 * @param earlier what this returned before, to be read again
 * @throws Failure as {@link planReplacement}
 */
async function planReplace(
  context: WriteContext,
  { market: name, reference, changes }: Omit<ReplaceRequest, 'overridden'>,
  earlier?: PlannedReplacement,
): Promise<PlannedReplacement> {
  const { trading, session, host, isPreviewed } = context;
  const market = await (await session.markets()).find(name);
  const levels = isPreviewed ? PREVIEW_LEVELS : undefined;
  // by its id, as a client id names the newest order that has it
  const order = earlier === undefined ? reference : earlier.replaces.terms.order;
  const replaces = await explainUnknownMarket(context, name, () =>
    planReplacement(trading, market, order, changes, { levels, earlier: earlier?.snapshot }),
  ).catch(async (error: unknown) => {
    // an earlier replacement may have cancelled it, and its new order may be open
    if (error instanceof Failure && error.kind === 'refused') await warnOfUnknownIn(context, name);
    throw error;
  });
  const { placed: terms, snapshot } = replaces;
  const { side, type, account, borrow } = terms;
  const id = context.agent?.id ?? earlier?.id ?? newClientId(host);
  return {
    id,
    clientId: id,
    terms,
    replaces,
    plan: { market, side, type, account, borrow, orders: [terms] },
    snapshot,
    notices: accountNotices(replaces),
  };
}

/** A wrong account would move the order, for instance from margin to spot. */
function accountNotices({ order, accountSource }: ReplacePlan) {
  if (accountSource !== 'assumed') return [];
  const text = `The account of order ${order.id} is unknown, because the exchange does not report it. The new order will be on spot; for another account, use pit order replace with --account.`;
  return [{ about: 'account', text }] as const;
}
