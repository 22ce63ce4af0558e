import type { Context } from '../../cli/context.js';
import { Failure } from '../../errors.js';
import type { PreparedWithdrawal, WithdrawRequest } from '../../trading/withdrawals/prepare.js';
import { isConfirmed } from './request.js';

/** So many last characters of the address are typed to confirm it. */
const TYPED = 6;

/**
 * Has the address confirmed: a script has given it twice, a person types its end, which only somebody who looks at it can.
 * Throws Failure `usage` where the two differ, `declined` for anything else that was typed.
 */
export async function confirmAddress(
  { prompts, budget }: Context,
  { address, memo }: PreparedWithdrawal,
  { to }: WithdrawRequest,
  given: string | undefined,
): Promise<void> {
  if (given !== undefined) {
    if (given === to || isConfirmed(address, memo ?? undefined, given)) return;
    throw new Failure('usage', 'The address of --confirm-address is not the one that was typed; nothing was sent.', {
      hint: 'Give the whole address again, copied from where it came.',
    });
  }
  const question = `Type the last ${TYPED} characters of the address, without blanks, to send it:`;
  const end = address.slice(-TYPED);
  if (await budget.outside(() => prompts.confirmTyping(question, end))) return;
  throw new Failure('declined', 'The end of the address was not typed; nothing was sent.', {
    hint: 'It is compared as it is, capitals and all.',
  });
}
