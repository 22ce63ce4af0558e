import type { Context } from '../../cli/context.js';
import { withdrawRequest } from '../../exchange/write-requests.js';
import type { Answer } from '../../terminal/answer.js';
import type { TradingAccount } from '../../trading/account.js';
import { newClientId } from '../../trading/orders/client-id.js';
import { SendGate } from '../../trading/send-gate.js';
import { withdrawLimits } from '../../trading/withdrawals/limits.js';
import type { WithdrawRequest } from '../../trading/withdrawals/prepare.js';
import { sendWithdrawal } from '../../trading/withdrawals/send.js';
import { dryRun } from '../dry-run.js';
import { type Checked, check } from './check.js';
import { conclude, interruptedNote } from './conclusion.js';
import { confirmAddress } from './confirm.js';
import { type PasswordSource, readFundPassword } from './fund-password.js';
import { preview, previewData } from './preview.js';

/** What is not about the withdrawal itself: how it is confirmed, and where the fund password comes from. */
interface Manner {
  /** The whole address again, as a script gives it. */
  readonly confirmAddress: string | undefined;
  readonly source: PasswordSource;
}

/** Shows what a withdrawal would do, has it confirmed, and sends it; or shows it alone for `--dry-run`. */
export async function send(
  context: Context,
  account: TradingAccount,
  request: WithdrawRequest,
  manner: Manner,
): Promise<Answer> {
  const { output, globals, prompts } = context;
  const checked = await check(context, account, request);
  const show = await preview(context, account, checked);
  if (globals.dryRun) {
    const write = withdrawRequest(checked.prepared.wanted, 'the fund password');
    return dryRun(context, account.client, write, previewData(checked), show);
  }
  if (prompts.available) output.preview(show);
  else for (const warning of [checked.unfamiliar ?? [], ...checked.warnings].flat()) output.warn(warning);
  await confirmAddress(context, checked.prepared, request, manner.confirmAddress);
  return dispatch(context, account, checked, manner.source);
}

async function dispatch(context: Context, account: TradingAccount, { prepared }: Checked, source: PasswordSource) {
  const { output, host, session } = context;
  const limits = withdrawLimits((await session.connection()).settings);
  const password = await readFundPassword(context, source);
  const id = newClientId(host);
  const gate = new SendGate();
  const forget = host.onInterrupt(() => {
    if (gate.cancel()) output.note('The withdrawal was not sent.');
    else output.warn(interruptedNote(id));
  });
  const withdrawal = await sendWithdrawal(account, prepared.wanted, { id, limits, password, gate });
  forget();
  return conclude(context, { ...prepared, id }, withdrawal);
}
