import { formatAmount } from '../../domain/decimal.js';
import { suggest } from '../../errors.js';
import type { Choice } from '../../terminal/asking/prompts.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { feePlace, parseWithdrawAmount } from '../../trading/withdrawals/amounts.js';
import type { CoinFacts } from '../../trading/withdrawals/coin-facts.js';
import { addressDoubt, checkMemo, chooseChain, destinationOf } from '../../trading/withdrawals/destination.js';
import { prepareWithdrawal, type WithdrawalDraft } from '../../trading/withdrawals/prepare.js';
import { validated } from '../order/guided/questions.js';
import type { Context } from '../session/command.js';
import { coinFacts, type GivenWithdrawal } from './given.js';

/** Asks on the terminal for the missing parts of a withdrawal. */
export async function askRequest(
  context: Context,
  trading: TradingContext,
  given: GivenWithdrawal,
): Promise<WithdrawalDraft> {
  context.output.note('Nothing is sent before you confirm. Press Escape to leave.');
  const coin = given.coin ?? (await askCoin(context, trading));
  const facts = await coinFacts(context, trading, coin);
  const to = given.to ?? (await askAddress(context, coin, facts));
  const chain = given.chain ?? (await askChain(context, facts, to, given.memo));
  const memo = given.memo ?? (await askMemo(context, coin, facts, to, chain));
  const request = { ...given, coin, to, chain, memo };
  const amount = given.amount ?? (await askAmount(context, facts, request));
  context.output.note(suggest('The same in one line', ...withdrawWords({ ...request, amount }, context)));
  return { ...request, amount };
}

async function askCoin({ prompts, budget }: Context, { client }: TradingContext): Promise<string> {
  const { coins } = await client.account();
  const owned = coins.filter(({ canWithdraw, available }) => canWithdraw !== false && /[1-9]/.test(available));
  const choices = owned.map(
    ({ coin, name, available }): Choice<string> => ({
      name: `${coin.padEnd(6)} ${formatAmount(available)} available  ${name}`,
      value: coin,
      short: coin,
    }),
  );
  const fits = (typed: string) => choices.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  return budget.pausedDuring(() => prompts.search('Which coin?', async (typed) => fits(typed)));
}

function askAddress({ prompts, budget, output }: Context, coin: string, { verified }: CoinFacts): Promise<string> {
  if (verified !== null) output.note(`The exchange lists this verified address: ${verified}`);
  return budget.pausedDuring(() => prompts.text(`Withdraw ${coin} to which address?`));
}

/** Asked only if the address fits several open chains. */
async function askChain(
  { prompts, budget }: Context,
  { chains }: CoinFacts,
  to: string,
  memo: string | undefined,
): Promise<string | undefined> {
  const { address } = destinationOf(to, memo, chains);
  const open = chains.filter(({ canWithdraw }) => canWithdraw !== false);
  const fitting = open.filter((one) => addressDoubt(address, one) === undefined);
  const possible = fitting.length === 0 ? open : fitting;
  if (possible.length < 2) return undefined;
  const choices = possible.map(({ chain, fee }) => ({
    name: `${chain}  fee ${fee ?? 'unknown'}`,
    value: chain,
    short: chain,
  }));
  return budget.pausedDuring(() => prompts.select('Which chain does the receiver expect?', choices));
}

/** Asked only if the chain needs one. */
async function askMemo(
  { prompts, budget }: Context,
  coin: string,
  { chains, verified }: CoinFacts,
  to: string,
  name: string | undefined,
): Promise<string | undefined> {
  if (to === verified) return undefined;
  const destination = destinationOf(to, undefined, chains);
  const { chain } = chooseChain(coin, chains, destination.address, name);
  if (chain.usesMemo !== true || destination.memo !== null) return undefined;
  const validate = (typed: string) =>
    validated(() => checkMemo(coin, chain, { ...destination, memo: typed.trim() === '' ? null : typed.trim() }));
  return budget.pausedDuring(() => prompts.text('Memo (without it the coins are lost):', { validate }));
}

async function askAmount(
  { prompts, budget, session }: Context,
  facts: CoinFacts,
  request: Omit<WithdrawalDraft, 'amount'>,
): Promise<WithdrawalDraft['amount']> {
  const place = feePlace((await session.connection()).settings);
  const validate = (typed: string) =>
    validated(() => prepareWithdrawal({ ...request, amount: parseWithdrawAmount(typed.trim()) }, facts, place));
  const question = `How much ${request.coin}, of ${formatAmount(facts.entry?.available ?? '0')}?`;
  return parseWithdrawAmount(await budget.pausedDuring(() => prompts.text(question, { validate })));
}

/** The command for the same withdrawal. */
function withdrawWords(
  { coin, amount, to, memo, chain, fee, internal }: WithdrawalDraft,
  { globals: { dryRun } }: Context,
): string[] {
  return [
    ...['withdraw', coin, 'amount' in amount ? amount.amount : `${amount.percent}%`, '--to', to],
    ...(memo === undefined ? [] : ['--memo', memo]),
    ...(chain === undefined ? [] : ['--chain', chain]),
    ...(fee === undefined ? [] : ['--fee', fee]),
    ...(internal ? ['--internal'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ];
}
