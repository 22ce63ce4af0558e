import type { Context } from '../../cli/context.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { localTime } from '../../terminal/time.js';
import type { TradingAccount } from '../../trading/account.js';
import type { EarlierUse } from '../../trading/withdrawals/facts.js';
import type { PreparedWithdrawal } from '../../trading/withdrawals/prepare.js';
import type { Preview } from '../dry-run.js';
import { exchangeText } from '../session/exchange-text.js';
import type { Checked } from './check.js';

/** What a withdrawal will do and where it goes, as the user is asked about it. */
export async function preview(
  context: Context,
  { client }: TradingAccount,
  { prepared, earlier, unfamiliar, warnings }: Checked,
): Promise<(screen: Screen) => string> {
  const where = await exchangeText(context, client);
  return (screen) =>
    record(screen, [
      ...moneyEntries(prepared),
      ['address', inFours(prepared.address), (text, paint) => paint.strong(text)],
      ...(prepared.memo === null ? [] : [memoEntry(prepared.memo)]),
      usedEntry(earlier, unfamiliar),
      ['exchange', where],
      ...warnings.map((warning): Entry => ['warning', warning, (text, paint) => paint.warn(text)]),
    ]);
}

function moneyEntries({ wanted, chain, sums, place, available, left }: PreparedWithdrawal): Entry[] {
  const { coin, internal } = wanted;
  const amount = (text: string) => `${grouped(text)} ${coin}`;
  const side = place === 'inside' ? 'as part of the amount' : 'on top of the amount';
  return [
    ['withdraw', amount(sums.amount)],
    ['chain', `${chain.chain} (not sent: the verified address decides)`],
    ['fee', `${amount(sums.fee)}, ${side} (assumed)`],
    ['arrives', `${amount(sums.receives)} (assumed)`],
    ['available', `${amount(available)}, then ${amount(left)} (assumed)`],
    ...(internal ? [['internal', 'yes, where the address is of this exchange'] as Entry] : []),
  ];
}

function memoEntry(memo: string): Entry {
  return ['memo', memo, (text, paint) => paint.strong(text)];
}

/** As people compare it, with its source beside it. */
function inFours(address: string): string {
  return address.match(/.{1,4}/gu)?.join(' ') ?? address;
}

function usedEntry(earlier: EarlierUse | undefined, unfamiliar: string | null): Entry {
  if (earlier?.last === undefined) return ['used before', unfamiliar, (text, paint) => paint.bad(text)];
  const { time, state, status, amount } = earlier.last;
  const words = `yes, last ${localTime(time)}: ${grouped(amount)}, ${state === 'other' ? `state ${status}` : state}`;
  return ['used before', words];
}

/** A preview as programs read it. */
interface WithdrawPreviewData extends Preview {
  readonly coin: string;
  readonly chain: string;
  readonly receives: string;
  readonly address: string;
  readonly memo: string | null;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  /** Null where it is not known. */
  readonly usedBefore: boolean | null;
}

export function previewData({ prepared, earlier, unfamiliar, warnings: others }: Checked): WithdrawPreviewData {
  const { wanted, chain, sums, address, memo, available, left } = prepared;
  const warnings = unfamiliar === null ? others : [unfamiliar, ...others];
  return {
    ...{ price: null, amount: sums.amount, notional: null, fee: sums.fee, warnings },
    ...{ coin: wanted.coin, chain: chain.chain, receives: sums.receives, address, memo },
    ...{ balanceBefore: available, balanceAfter: left },
    usedBefore: usedBefore(earlier),
  };
}

/** Null where it is not known. */
function usedBefore(earlier: EarlierUse | undefined): boolean | null {
  if (earlier?.last !== undefined) return true;
  return earlier?.isAll === true && !earlier.isAccountKnown ? false : null;
}
