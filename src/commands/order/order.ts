import { requireConsent } from '../../cli/consent.js';
import { define, flag, optional, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { readAmount } from '../../trading/expressions/amount-expression.js';
import { readPrice } from '../../trading/expressions/price-expression.js';
import { overriddenBy, overrideFlag } from '../guarding.js';
import { marketName } from '../inputs/names.js';
import { clientId, oneOf } from '../inputs/numbers.js';
import { checkGiven, firstMissing, type GivenOrder, typeOf, wholeRequest } from './request.js';
import { send } from './send.js';
import { DRY_ORDER, PLACED } from './shapes.js';

export default define({
  summary: 'Place an order; what is left out is asked for on a terminal',
  arguments: {
    side: optional('buy or sell', oneOf('The side', 'buy', 'sell')),
    market: optional('the market', marketName),
    amount: optional('in the base coin (0.5), a share (50%) or a value (100usdt)', readAmount),
  },
  flags: {
    at: flag('--at <price>', 'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%', readPrice),
    postOnly: toggle('--post-only', 'only rest in the book; refused where it would fill at once'),
    ioc: toggle('--ioc', 'fill at once what can be filled, cancel the rest'),
    account: flag('--account <name>', 'spot, isolated or cross', oneOf('--account', 'spot', 'isolated', 'cross')),
    borrow: toggle('--borrow', 'borrow what is missing (margin)'),
    repay: toggle('--repay', 'repay with what comes in (margin)'),
    id: flag('--id <client-id>', 'your own id for it, 4 to 36 letters or digits', clientId),
    override: overrideFlag,
  },
  examples: [
    'order',
    'order buy btc_usdt 0.01 --at ask',
    'order sell btc_usdt 0.01 --at ask+10 --post-only',
    'order buy eth_usdt 50% --at mid-0.5% --dry-run',
    'order sell btc_usdt 2 --at bid-15% --override price-band --yes',
  ],
  output: shape.record(PLACED),
  dry: DRY_ORDER,
  async run(context, { side, market, amount, at, account = 'spot', borrow, repay, id, override, ...flags }) {
    const parts = { side, market, amount, at, type: typeOf(flags) };
    const given: GivenOrder = { ...parts, account, borrow, repay, id, overridden: overriddenBy(override) };
    checkGiven(given);
    const request = wholeRequest(given);
    if (request === undefined && !context.prompts.available) throw firstMissing(given);
    requireConsent(context);
    const trading = await context.session.trading();
    if (request !== undefined) return send(context, trading, request);
    const { sendGuided } = await import('./guided/guided.js');
    return sendGuided(context, trading, given);
  },
});
