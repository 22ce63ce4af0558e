import { Failure } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import type { Refused } from '../../exchange/response.js';

/** What helps with a refused withdrawal, by return codes as public clients observed them; the interface documents none. */
const HINTS: Readonly<Record<number, (coin: string) => string>> = {
  1001: (coin) => `Its chains: pit fees ${coin}; its verified addresses: pit address ${coin} --withdraw`,
  1004: () => 'The fund password is locked after wrong ones; it unlocks itself after a while, or on the website.',
  1005: () => 'The fund password is the one for withdrawals, not the one to log in. Several wrong ones lock it.',
  1010: (coin) => `Withdrawals over this chain are closed for now. See which are open: pit fees ${coin}`,
  1012: () =>
    "It takes the permission money; pit account lists what this key may do. The exchange's website makes keys that may do more.",
  3003: () =>
    'The exchange has a smallest and a largest withdrawal; only its website tells them. Choose another amount.',
  3005: (coin) =>
    `The address has to be verified on the exchange's website first, with its memo where the chain has one. Those that are: pit address ${coin} --withdraw. The fee has to be no less than the chain's: pit fees ${coin}`,
};

/** Balance insufficient: the codes name coins, and which one is told is not reliable. */
function isBalance(code: number): boolean {
  return code >= 2001 && code <= 2009;
}

/** A refused withdrawal, as it is told: nothing moved. */
export function refusedWithdrawal(refused: Refused, coin: string, clientId: string): Failure {
  const { kind, message, hint, code } = refusal(refused, 'withdraw');
  const helps = code === null ? undefined : (HINTS[code]?.(coin) ?? (isBalance(code) ? BALANCE : undefined));
  const words = `Nothing was moved. ${helps ?? hint ?? ''}`.trim();
  return new Failure(kind, message, { clientId, hint: words, ...(code === null ? {} : { code }) });
}

const BALANCE = 'pit balance shows what is available, and what open orders hold.';
