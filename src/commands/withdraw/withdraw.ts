import { define, flag, optional, toggle } from '../../cli/definition.js';
import { readWithdrawAmount } from '../../trading/withdrawals/plan.js';
import { coinName, positiveDecimal, wholeNumber, word } from '../inputs.js';
import { passwordSource } from './fund-password.js';
import { checkGiven, firstMissing, requireSomebody, wholeRequest } from './request.js';
import { send } from './send.js';
import { DRY_WITHDRAWAL, WITHDRAWN } from './shapes.js';

export default define({
  summary: 'Withdraw a coin to a verified address; what is left out is asked for on a terminal',
  arguments: {
    coin: optional('the coin', coinName),
    amount: optional('in the coin (0.5), or a share of what is available (50%)', readWithdrawAmount),
  },
  flags: {
    to: flag('--to <address>', 'the address; it has to be verified with the exchange', word),
    memo: flag('--memo <text>', 'the memo, on chains that have them', word),
    chain: flag('--chain <name>', 'whose fee and form of address count; it is not sent', word),
    fee: flag('--fee <amount>', 'the network fee; what the exchange asks for unless told', positiveDecimal('--fee')),
    internal: toggle('--internal', 'consent to a transfer within the exchange'),
    confirmAddress: flag('--confirm-address <address>', 'confirms it in a script: the whole address again', word),
    safePwdStdin: toggle('--safe-pwd-stdin', 'read the fund password from stdin'),
    safePwdFd: flag(
      '--safe-pwd-fd <n>',
      'read the fund password from a file descriptor',
      wholeNumber('--safe-pwd-fd', 3, 1023),
    ),
  },
  examples: [
    'withdraw',
    'withdraw btc 0.01 --to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    'withdraw xrp 50% --to rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH --memo 1234 --dry-run',
    'withdraw btc 0.01 --to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT --confirm-address 1BoatSLRHtKNngkdXEeobR76b53LETtpyT --safe-pwd-stdin < password.txt',
  ],
  output: WITHDRAWN,
  dry: DRY_WITHDRAWAL,
  async run(context, { coin, amount, to, memo, chain, fee, internal, confirmAddress, safePwdStdin, safePwdFd }) {
    const given = { coin, amount, to, memo, chain, fee, internal };
    const source = passwordSource(context, { stdin: safePwdStdin, fd: safePwdFd });
    checkGiven(given, confirmAddress);
    const request = wholeRequest(given);
    if (request === undefined && !context.prompts.available) throw firstMissing(given);
    requireSomebody(context, { confirmed: confirmAddress !== undefined, source });
    const account = await context.trading.account();
    const how = { confirmAddress, source };
    if (request !== undefined) return send(context, account, request, how);
    const { askRequest } = await import('./guided.js');
    return send(context, account, await askRequest(context, account, given), how);
  },
});
