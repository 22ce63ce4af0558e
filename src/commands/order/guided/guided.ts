import type { Context } from '../../../cli/context.js';
import type { Globals } from '../../../cli/globals.js';
import type { Market } from '../../../domain/market.js';
import type { OrderType, Side } from '../../../domain/words.js';
import { Failure, suggest } from '../../../errors.js';
import type { Answer } from '../../../terminal/answer.js';
import type { TradingAccount } from '../../../trading/account.js';
import type { AmountWord } from '../../../trading/expressions/amount-expression.js';
import type { PriceWord } from '../../../trading/expressions/price-expression.js';
import { resolveOrder } from '../../../trading/expressions/resolve-order.js';
import { guardLimits } from '../../../trading/guards/limits.js';
import { checkAmount, checkOrder } from '../../../trading/orders/rules.js';
import { spentCoin } from '../../../trading/preview/facts.js';
import { Outlook } from '../../../trading/preview/outlook.js';
import { checkGiven, type GivenOrder, type OrderRequest } from '../request.js';
import { send } from '../send.js';
import { askAmount } from './amount.js';
import { orderWords } from './command-line.js';
import { askMarket } from './market.js';
import { complaint } from './meaning.js';
import { askPrice } from './price.js';
import { type Holdings, LiveBook, LiveFunds, readHoldings } from './surroundings.js';

/** Asks on the terminal for what the command line leaves out, and goes on as if it had said it. */
export async function sendGuided(context: Context, account: TradingAccount, given: GivenOrder): Promise<Answer> {
  const { output, globals } = context;
  output.note(`${whenSent(globals)} Escape leaves.`);
  const request = await complete(context, account, given);
  let { overridden } = request;
  const same = () => output.note(suggest('The same in one line', ...orderWords({ ...request, overridden }, globals)));
  try {
    const answer = await send(context, account, request, (lifted) => {
      overridden = lifted;
    });
    if (answer.failure === undefined) same();
    return answer;
  } catch (error) {
    if (error instanceof Failure && !isInDoubt(error)) same();
    throw error;
  }
}

/** Where this order, or one just like it, may be on its way, nothing invites to place it again. */
function isInDoubt({ kind, clientId }: Failure): boolean {
  return kind === 'unknown' || (kind === 'usage' && clientId !== null);
}

function whenSent({ yes, dryRun }: Globals): string {
  if (dryRun) return 'Nothing is sent: this is a dry run.';
  return yes
    ? 'With --yes the order is sent after the last question, without a confirmation.'
    : 'Nothing is sent before you confirm it.';
}

async function complete(context: Context, account: TradingAccount, given: GivenOrder): Promise<OrderRequest> {
  const { session } = context;
  const holdings = readHoldings(account);
  const market =
    given.market === undefined
      ? await askMarket(context, account, holdings)
      : await (await session.markets()).find(given.market);
  const book = new LiveBook(context.host, session, market);
  const looking = book.refresh();
  const side = given.side ?? (await askSide(context, market));
  await looking;
  const words = await askWords(context, account, { ...given, side }, market, book, holdings);
  const type = given.type ?? (await askType(context));
  return { ...given, ...words, side, market: market.market, type };
}

interface Words {
  readonly amount: AmountWord;
  readonly at: PriceWord;
}

/** Asks for amount and price until they make an order that the market takes: how much is too little hangs on both. */
async function askWords(
  context: Context,
  account: TradingAccount,
  given: GivenOrder & { readonly side: Side },
  market: Market,
  book: LiveBook,
  holdings: Holdings,
): Promise<Words> {
  const { side } = given;
  // the account's coins are those of spot
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
      const outlook = new Outlook(account.client, { market: market.market, side }, 1);
      const order = await resolveOrder(outlook, market, { side, at, amount });
      checkOrder(market, order.price, order.amount);
      return { amount, at };
    } catch (error) {
      if (!canBeMended(error, given)) throw error;
      context.output.warn(complaint(error));
    }
  }
}

/** Whether other answers to the same questions may do. */
function canBeMended(error: unknown, { amount, at }: GivenOrder): boolean {
  if (!(error instanceof Failure)) return false;
  return error.kind === 'usage' ? amount === undefined : error.kind === 'refused' && at === undefined;
}

function askSide({ prompts, budget }: Context, { base, quote }: Market): Promise<Side> {
  return budget.outside(() =>
    prompts.select(`Buy or sell ${base}?`, [
      { name: `buy   spends ${quote}`, value: 'buy', short: 'buy' },
      { name: `sell  brings ${quote}`, value: 'sell', short: 'sell' },
    ]),
  );
}

function askType({ prompts, budget }: Context): Promise<OrderType> {
  return budget.outside(() =>
    prompts.select<OrderType>('Type:', [
      { name: 'limit     fills what it can, the rest waits in the book', value: 'limit', short: 'limit' },
      { name: 'PostOnly  only waits in the book', value: 'postOnly', short: 'PostOnly' },
      { name: 'IOC       fills what it can, the rest is cancelled', value: 'ioc', short: 'IOC' },
    ]),
  );
}
