import { type Advice, Failure, partsOf, suggest } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import type { Refused } from '../../exchange/response.js';

/** What helps with a refused withdrawal, by return codes as public clients observed them; the interface documents none. */
const HINTS: Readonly<Record<number, (coin: string) => Advice>> = {
  1001: (coin) => [
    suggest('See its chains', 'fees', coin),
    suggest('See its verified addresses', 'address', coin, '--withdraw'),
  ],
  1004: () => 'The fund password is locked after wrong ones; it unlocks itself after a while, or on the website.',
  1005: () => 'The fund password is the one for withdrawals, not the one to log in. Several wrong ones lock it.',
  1010: (coin) => ['Withdrawals over this chain are closed for now.', suggest('See which are open', 'fees', coin)],
  1012: () => [
    'It takes the permission money.',
    suggest('See what this key may do', 'account'),
    "The exchange's website makes keys that may do more.",
  ],
  3003: () =>
    'The exchange has a smallest and a largest withdrawal; only its website tells them. Choose another amount.',
  3005: (coin) => [
    "The address has to be verified on the exchange's website first, with its memo where the chain has one.",
    suggest('See those that are', 'address', coin, '--withdraw'),
    "The fee has to be no less than the chain's.",
    suggest('See the fees', 'fees', coin),
  ],
};

/** Balance insufficient: the codes name coins, and which one is told is not reliable. */
function isBalance(code: number): boolean {
  return code >= 2001 && code <= 2009;
}

/** A refused withdrawal, as it is told: nothing moved. */
export function refusedWithdrawal(refused: Refused, coin: string, clientId: string): Failure {
  const { kind, message, hints, code } = refusal(refused, 'withdraw');
  const helps = code === null ? undefined : (HINTS[code]?.(coin) ?? (isBalance(code) ? BALANCE : undefined));
  const hint = ['Nothing was moved.', ...partsOf(helps ?? hints)];
  return new Failure(kind, message, { clientId, hint, ...(code === null ? {} : { code }) });
}

const BALANCE = suggest('See what is available, and what open orders hold', 'balance');
