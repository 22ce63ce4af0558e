import type { Globals } from '../../../cli/context.js';
import type { Market } from '../../../domain/market.js';
import type { OrderType, Side } from '../../../domain/order.js';
import { Failure } from '../../../errors.js';
import { PromptCancelled } from '../../../terminal/asking/prompt-cancelled.js';
import { evaluateOrder } from '../../../trading/expressions.js';
import { guardLimits } from '../../../trading/guards/limits.js';
import { checkAmount, validateOrder } from '../../../trading/orders/terms.js';
import { MarketSnapshot, spentCoin } from '../../../trading/preview/market-snapshot.js';
import type { TradingContext } from '../../../trading/trading-context.js';
import type { Context } from '../../session/command.js';
import { checkGiven, type GivenOrder, type OrderDraft } from '../order-args.js';
import { type Holdings, LiveBook, LiveFunds, readHoldings } from './live-data.js';
import { askMarket } from './market-choice.js';
import { askAmount, askPrice, problemText } from './questions.js';

function whenSent({ dryRun }: Globals): string {
  return dryRun ? 'This is a dry run: nothing is sent.' : 'Nothing is sent before you confirm.';
}

/**
 * Asks on the terminal for each missing part of an order. Escape goes back to the question before; at the first one it leaves.
 */
export async function askMissing(context: Context, trading: TradingContext, given: GivenOrder): Promise<OrderDraft> {
  const { session, output, globals } = context;
  output.note(`${whenSent(globals)} Press Escape to go back a question, or at the first one to leave.`);
  let held: Holdings | undefined;
  // nothing is asked of the exchange before the first question is on the screen
  const holdings = () => {
    held ??= readHoldings(trading);
    return held;
  };
  const chosen = given.market === undefined ? undefined : await (await session.markets()).find(given.market);
  return inTurn(chosen ?? (() => askMarket(context, trading, holdings)), async (market) => {
    const book = new LiveBook(context.host, session, market);
    const reading = book.refresh();
    void holdings();
    return inTurn(given.side ?? (() => askSide(context, market)), async (side) => {
      await reading;
      return askTerms(context, trading, { ...given, side }, { market, book, holdings: holdings() });
    });
  });
}

/**
 * Asks a question and passes its answer to the next one; asks it again if the user goes back.
 * @param first the answer if it is known already; then going back leads to the question before
 */
async function inTurn<Value extends object | string, Result>(
  first: Value | (() => Promise<Value>),
  next: (value: Value) => Promise<Result>,
): Promise<Result> {
  if (typeof first !== 'function') return next(first);
  for (;;) {
    const value = await first();
    try {
      return await next(value);
    } catch (error) {
      if (!(error instanceof PromptCancelled && error.isBack)) throw error;
    }
  }
}

/** Asks for amount, price and type until they make an order that the market accepts: the minimum value depends on the first two. */
async function askTerms(
  context: Context,
  trading: TradingContext,
  given: GivenOrder & { readonly side: Side },
  { market, book, holdings }: { readonly market: Market; readonly book: LiveBook; readonly holdings: Holdings },
): Promise<OrderDraft> {
  const { side } = given;
  // balances are reported for spot alone
  const funds =
    given.account === 'spot'
      ? new LiveFunds(spentCoin(market, side), holdings, () => readHoldings(trading))
      : undefined;
  await funds?.arrive(context.host);
  const limits = guardLimits((await context.session.connection()).settings);
  if (given.amount?.kind === 'base') checkAmount(market, given.amount.amount);
  for (;;) {
    try {
      return await inTurn(given.amount ?? (() => askAmount(context, { market, side }, book, funds)), (amount) => {
        checkGiven({ ...given, amount });
        const draft = { market, side, available: funds?.available, amount, limits };
        return inTurn(given.at ?? (() => askPrice(context, draft, book)), async (at) => {
          const snapshot = new MarketSnapshot(trading.client, { market: market.market, side }, 1);
          const order = await evaluateOrder(snapshot, market, { side, at, amount });
          validateOrder(market, order.price, order.amount, amount);
          const type = given.type ?? (await askType(context));
          return { ...given, side, market: market.market, amount, at, type };
        });
      });
    } catch (error) {
      if (!canAskAgain(error, given)) throw error;
      context.output.warn(problemText(error));
    }
  }
}

/** Whether other answers to the same questions may be accepted. */
function canAskAgain(error: unknown, { amount, at }: GivenOrder): boolean {
  if (!(error instanceof Failure) || error instanceof PromptCancelled) return false;
  return error.kind === 'usage' ? amount === undefined : error.kind === 'refused' && at === undefined;
}

function askSide({ prompts, budget }: Context, { base, quote }: Market): Promise<Side> {
  return budget.pausedDuring(() =>
    prompts.select(`Buy or sell ${base}?`, [
      { name: `buy   spends ${quote}`, value: 'buy', short: 'buy' },
      { name: `sell  brings ${quote}`, value: 'sell', short: 'sell' },
    ]),
  );
}

function askType({ prompts, budget }: Context): Promise<OrderType> {
  return budget.pausedDuring(() =>
    prompts.select<OrderType>('Type:', [
      { name: 'limit     fills what it can, the rest waits in the book', value: 'limit', short: 'limit' },
      { name: 'PostOnly  only waits in the book', value: 'postOnly', short: 'PostOnly' },
      { name: 'IOC       fills what it can, the rest is cancelled', value: 'ioc', short: 'IOC' },
    ]),
  );
}
