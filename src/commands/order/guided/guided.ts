import type { Context } from '../../../cli/context.js';
import type { Globals } from '../../../cli/definition.js';
import type { Market } from '../../../domain/market.js';
import type { OrderType, Side } from '../../../domain/order.js';
import { Failure, suggest } from '../../../errors.js';
import type { Answer } from '../../../terminal/answer.js';
import type { TradingAccount } from '../../../trading/account.js';
import { type AmountExpression, type PriceExpression, resolveOrder } from '../../../trading/expressions.js';
import { guardLimits } from '../../../trading/guards/limits.js';
import { checkAmount, checkOrder } from '../../../trading/orders/terms.js';
import { MarketSnapshot, spentCoin } from '../../../trading/preview/market-snapshot.js';
import { checkGiven, type GivenOrder, type OrderRequest, sendOrder } from '../order.js';
import { requestWords } from '../order-words.js';
import { type Holdings, LiveBook, LiveFunds, readHoldings } from './live-data.js';
import { askMarket } from './market-choice.js';
import { askAmount, askPrice, complaint } from './questions.js';

/** Asks on the terminal for the missing parts of an order, then places it as if the command line had given them. */
export async function sendGuided(context: Context, account: TradingAccount, given: GivenOrder): Promise<Answer> {
  const { output, globals } = context;
  output.note(`${whenSent(globals)} Press Escape to leave.`);
  const request = await askMissing(context, account, given);
  let { overridden } = request;
  const showCommand = () =>
    output.note(suggest('The same in one line', ...requestWords({ ...request, overridden }, globals)));
  try {
    const answer = await sendOrder(context, account, request, {
      alwaysPreview: true,
      onConfirmed: (lifted) => {
        overridden = lifted;
      },
    });
    if (answer.failure === undefined) showCommand();
    return answer;
  } catch (error) {
    if (error instanceof Failure && !isOutcomeUnknown(error)) showCommand();
    throw error;
  }
}

/** Whether this order, or an identical one, may be live: then nothing may invite the user to place it again. */
function isOutcomeUnknown({ kind, clientId }: Failure): boolean {
  return kind === 'unknown' || (kind === 'usage' && clientId !== null);
}

function whenSent({ yes, dryRun }: Globals): string {
  if (dryRun) return 'This is a dry run: nothing is sent.';
  return yes
    ? 'With --yes the order is sent after the last question, without confirmation.'
    : 'Nothing is sent before you confirm.';
}

async function askMissing(context: Context, account: TradingAccount, given: GivenOrder): Promise<OrderRequest> {
  const { session } = context;
  const holdings = readHoldings(account);
  const market =
    given.market === undefined
      ? await askMarket(context, account, holdings)
      : await (await session.markets()).find(given.market);
  const book = new LiveBook(context.host, session, market);
  const reading = book.refresh();
  const side = given.side ?? (await askSide(context, market));
  await reading;
  const terms = await askTerms(context, account, { ...given, side }, market, book, holdings);
  const type = given.type ?? (await askType(context));
  return { ...given, ...terms, side, market: market.market, type };
}

/** Asks for amount and price until they make an order that the market accepts: the minimum value depends on both. */
async function askTerms(
  context: Context,
  account: TradingAccount,
  given: GivenOrder & { readonly side: Side },
  market: Market,
  book: LiveBook,
  holdings: Holdings,
): Promise<{ readonly amount: AmountExpression; readonly at: PriceExpression }> {
  const { side } = given;
  // balances are reported for spot alone
  const funds =
    given.account === 'spot'
      ? new LiveFunds(spentCoin(market, side), holdings, () => readHoldings(account))
      : undefined;
  await funds?.arrive(context.host);
  const limits = guardLimits((await context.session.connection()).settings);
  if (given.amount?.kind === 'base') checkAmount(market, given.amount.amount);
  for (;;) {
    const amount = given.amount ?? (await askAmount(context, { market, side }, book, funds));
    checkGiven({ ...given, amount });
    const draft = { market, side, available: funds?.available, amount, limits };
    const at = given.at ?? (await askPrice(context, draft, book));
    try {
      const snapshot = new MarketSnapshot(account.client, { market: market.market, side }, 1);
      const order = await resolveOrder(snapshot, market, { side, at, amount });
      checkOrder(market, order.price, order.amount);
      return { amount, at };
    } catch (error) {
      if (!canAskAgain(error, given)) throw error;
      context.output.warn(complaint(error));
    }
  }
}

/** Whether other answers to the same questions may be accepted. */
function canAskAgain(error: unknown, { amount, at }: GivenOrder): boolean {
  if (!(error instanceof Failure)) return false;
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
