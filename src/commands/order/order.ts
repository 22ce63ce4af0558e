import type { ExchangeClient } from '../../client/exchange-client.js';
import type { Market } from '../../client/market-catalog.js';
import { usage } from '../../errors.js';
import { Decimal } from '../../protocol/decimal.js';
import type { OrderType, Side } from '../../protocol/words.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingAccount } from '../../trading/account.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/order/client-id.js';
import { placeOrder } from '../../trading/order/place.js';
import { findOrder } from '../../trading/order/reference.js';
import { checkOrder } from '../../trading/order/rules.js';
import { orderValues } from '../../trading/order/terms.js';
import { type AmountWord, readAmount, resolveAmount } from '../../trading/words/amount-word.js';
import { bestPrices } from '../../trading/words/best-prices.js';
import { type PriceWord, readPrice, resolvePrice } from '../../trading/words/price-word.js';
import { confirm, requireConsent } from '../frame/consent.js';
import type { Context } from '../frame/context.js';
import { define, flag, required, toggle } from '../frame/definition.js';
import { dryRun } from '../frame/dry-run.js';
import { UNCHECKED } from '../frame/extras.js';
import { sameProfile } from '../frame/same-profile.js';
import { marketName } from '../inputs/names.js';
import { clientId, oneOf } from '../inputs/numbers.js';
import { conclude, interruptedNote, type SentOrder } from './conclusion.js';
import { preview } from './preview.js';

export default define({
  summary: 'Place an order',
  arguments: {
    side: required('buy or sell', oneOf('The side', 'buy', 'sell')),
    market: required('the market', marketName),
    amount: required('in the base coin (0.5), a share (50%) or a value (100usdt)', readAmount),
  },
  flags: {
    at: flag('--at <price>', 'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%', readPrice),
    postOnly: toggle('--post-only', 'only rest in the book; refused where it would fill at once'),
    ioc: toggle('--ioc', 'fill at once what can be filled, cancel the rest'),
    account: flag('--account <name>', 'spot, isolated or cross', oneOf('--account', 'spot', 'isolated', 'cross')),
    borrow: toggle('--borrow', 'borrow what is missing (margin)'),
    repay: toggle('--repay', 'repay with what comes in (margin)'),
    id: flag('--id <client-id>', 'your own id for it, 4 to 36 letters or digits', clientId),
  },
  examples: [
    'order buy btc_usdt 0.01 --at ask',
    'order sell btc_usdt 0.01 --at ask+10 --post-only',
    'order buy eth_usdt 50% --at mid-0.5% --dry-run',
  ],
  async run(context, { side, market: name, amount, at, id, ...flags }) {
    const terms = {
      side,
      account: flags.account ?? 'spot',
      type: typeOf(flags),
      borrow: flags.borrow,
      repay: flags.repay,
    } as const;
    if (at === undefined)
      throw usage('The price is missing.', 'Give it with --at, for instance --at 31000.5 or --at bid.');
    if (terms.account === 'spot' && (terms.borrow || terms.repay)) {
      throw usage('--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.');
    }
    if (terms.account !== 'spot' && amount.kind === 'share') {
      throw usage(
        'A share of a margin balance is not known.',
        'No operation shows margin balances: give the amount itself.',
      );
    }
    requireConsent(context);
    const account = await context.session.trading();
    const { client } = account;
    if (id !== undefined) await requireNewId(client, name, id);
    const market = await (await context.session.markets()).find(name);
    const { price, amount: size } = await resolve(client, market, side, at, amount);
    checkOrder(market, price, size);
    const order = { ...terms, market: name, price: price.toString(), amount: size.toString() };
    return act(context, account, market, order, id);
  },
});

/**
 * The exchange takes a client id twice and then shows only the newest order with it: what became of this one could not be
 * told from the earlier one. Throws Failure `usage`.
 */
async function requireNewId(client: ExchangeClient, market: string, clientId: string): Promise<void> {
  const earlier = await findOrder(client, market, { clientId });
  if (earlier === undefined) return;
  throw usage(
    `There is an order with the client id ${clientId} already: ${earlier.id}.`,
    `Choose another --id; pit order show ${market} ${earlier.id} shows that one.`,
  );
}

function typeOf({ postOnly, ioc }: { postOnly: boolean; ioc: boolean }): OrderType {
  if (postOnly && ioc)
    throw usage('--post-only and --ioc exclude each other.', 'Give one of them, or neither for a limit order.');
  if (postOnly) return 'postOnly';
  return ioc ? 'ioc' : 'limit';
}

async function resolve(client: ExchangeClient, market: Market, side: Side, at: PriceWord, word: AmountWord) {
  const price =
    at.kind === 'number'
      ? at.price
      : resolvePrice(at, await bestPrices(client, market.market), side, market.priceScale);
  const { base, quote, amountScale: scale } = market;
  const spent = side === 'buy' ? quote : base;
  const available = () => availableOf(client, spent);
  if (price.sign <= 0) throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
  return { price, amount: await resolveAmount(word, { side, base, quote, price, scale, available }) };
}

async function availableOf(client: ExchangeClient, coin: string): Promise<Decimal> {
  const { result } = await client.read('getAccountInfo', {});
  return Decimal.of(result.coins.find(({ key }) => key.toLowerCase() === coin)?.available ?? '0');
}

async function act(
  context: Context,
  account: TradingAccount,
  market: Market,
  terms: OrderTerms,
  chosenId: string | undefined,
) {
  const { price, amount } = terms;
  const notional = Decimal.of(price).times(Decimal.of(amount)).trimmed().toString();
  const order: SentOrder = { ...terms, clientId: chosenId ?? newClientId(context.host), notional };
  const { profile } = await context.session.connection();
  const where = `${account.client.hosts.tradeUrl} (profile ${profile})`;
  const show = (screen: Screen) => preview(screen, market, order, where);
  if (context.globals.dryRun) {
    const values = orderValues(terms, order.clientId);
    return dryRun(context, account.client, 'order', values, { price, amount, notional, fee: null, warnings: [] }, show);
  }
  if (!context.globals.yes) context.output.preview(show);
  await confirm(context, 'Place this order?');
  const forget = context.host.onInterrupt(() =>
    context.output.warn(sameProfile(interruptedNote(order), context.host.arguments)),
  );
  const placement = await placeOrder(account, terms, { id: order.clientId, chosen: chosenId !== undefined });
  forget();
  if (placement.outcome === 'placed' && placement.extras === null) context.output.note(UNCHECKED);
  return conclude(order, placement);
}
