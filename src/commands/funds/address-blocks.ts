import type { ChainAddress } from '../../domain/funds.js';
import type { Screen } from '../../terminal/screen.js';
import { safe, wrapped } from '../../terminal/text.js';

/** An address with its code for a camera: undefined where none is wanted, null where there is no room for it. */
export interface CodedAddress extends ChainAddress {
  readonly code: string | null | undefined;
}

export type Purpose = 'deposit' | 'withdrawal';

/** What has to be known before anything is sent to an address. */
export function dangersOf(place: ChainAddress, purpose: Purpose): string[] {
  const { chain, address, memo, needsMemo, canDeposit, canWithdraw } = place;
  const dangers: string[] = [];
  if (address === null) dangers.push('No address yet: obtain it first in the app or on the website.');
  if (canDeposit === false && purpose === 'deposit') dangers.push('DEPOSITS ARE CLOSED: send nothing here now.');
  if (canWithdraw === false && purpose === 'withdrawal') dangers.push('Withdrawals are closed.');
  if (needsMemo && memo === null) dangers.push('A MEMO IS NEEDED, and the exchange gave none: send nothing here.');
  if (memo !== null) dangers.push(`THE MEMO ${memo} IS NEEDED: without it the coins are lost.`);
  // `<account>_<remark>` is one text where only one is given
  if (chain === null && memo === null && address?.includes('_'))
    dangers.push('If its chain uses memos, this is ACCOUNT_MEMO, and both are needed.');
  return dangers;
}

/** The chain in words, for a title or a warning. */
export function placeOf({ coin, chain }: ChainAddress): string {
  return chain === null ? coin : `${coin} over ${chain}`;
}

/** The addresses for somebody at a terminal: each on a line of its own, whole and with nothing beside it, to be copied. */
export function addressBlocks(screen: Screen, addresses: readonly CodedAddress[], purpose: Purpose): string {
  return addresses.map((address) => block(screen, address, purpose).join('\n')).join('\n\n');
}

function block(screen: Screen, address: CodedAddress, purpose: Purpose): string[] {
  const { paint, width } = screen;
  const lines = (text: string, style: (line: string) => string) => wrapped(safe(text), width).split('\n').map(style);
  const { code, memo } = address;
  return [
    ...lines(placeOf(address), paint.label),
    ...(address.address === null ? [] : [paint.strong(safe(address.address))]),
    ...(memo === null ? [] : [`memo ${paint.strong(safe(memo))}`]),
    ...dangersOf(address, purpose).flatMap((danger) => lines(danger, paint.bad)),
    ...(code === undefined ? [] : [code ?? paint.faint('No room here for a QR code.')]),
    ...(code && memo !== null ? lines('The code holds the address alone: the memo has to be typed.', paint.faint) : []),
  ];
}
