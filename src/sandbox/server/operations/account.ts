import { Decimal } from '../../../domain/decimal.js';
import type { BillRecord } from '../../accounts/bills.js';
import type { CoinRules } from '../../markets/coins.js';
import { RequestRefused } from '../../refusals.js';
import { type Json, number } from '../bodies.js';
import { BILL_WORDS, BILLS, coinNames, SUCCESS } from '../interface-details.js';
import {
  coinOf,
  readWallClock,
  type Served,
  type SignedCall,
  serveSigned,
  showWallClock,
} from '../served-operation.js';

const getAccountInfo = serveSigned('getAccountInfo', 'asset', (_values, call) => {
  const { username, permissions } = call.account;
  return {
    result: {
      coins: [...coinEntries(call).values()],
      base: {
        username,
        trade_password_enabled: true,
        auth_google_enabled: false,
        auth_mobile_enabled: false,
      },
    },
    assetPerm: permissions.asset,
    leverPerm: permissions.lever,
    entrustPerm: permissions.entrust,
    moneyPerm: permissions.money,
  };
});

/** Every coin has an entry, with zeros if the account has none. */
export function coinEntries({ exchange, account }: Pick<SignedCall, 'exchange' | 'account'>): Map<string, Json> {
  const held = new Map(exchange.funds.balances(account).map((balance) => [balance.coin, balance]));
  return new Map(
    [...exchange.coins.values()].map((coin) => [
      coin.coin,
      coinEntry(coin, held.get(coin.coin)?.available ?? '0', held.get(coin.coin)?.frozen ?? '0'),
    ]),
  );
}

export function coinEntry(coin: CoinRules, available: string, frozen: string): { readonly [name: string]: Json } {
  return {
    key: coin.coin,
    ...coinNames(coin.coin),
    unitDecimal: coin.unitDecimal,
    fundstype: coin.fundsType,
    available,
    freez: frozen,
    isCanRecharge: coin.canDeposit,
    isCanWithdraw: coin.canWithdraw,
    canLoan: coin.canLoan,
  };
}

/** Newest first. */
const getSpotBills = serveSigned('getSpotBills', 'asset', (values, call) => {
  const { exchange, account, zone } = call;
  const coin = values.currency === undefined ? undefined : coinOf(exchange, values.currency).coin;
  const page = { page: Number(values.pageIndex ?? '1'), pageSize: Number(values.pageSize ?? '10') };
  const bills = exchange.funds.bills(account, { coin, ...timeRange(values, call), ...page });
  return { ...SUCCESS, result: bills.map((bill) => billEntry(bill, zone)) };
});

interface TimeRange {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

interface TimeValues {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly dataType?: string | undefined;
}

/** The intersection of the dates and the 48-hour split. */
function timeRange({ startDate, endDate, dataType = BILLS.dataType }: TimeValues, call: SignedCall): TimeRange {
  const { exchange, zone } = call;
  const split = exchange.status().time - BILLS.recent;
  const start = startDate === undefined ? undefined : readWallClock('startDate', startDate, zone);
  const end = endDate === undefined ? undefined : readWallClock('endDate', endDate, zone) + 1_000;
  if (start !== undefined && end !== undefined && start >= end)
    throw new RequestRefused('badParameter', 'endDate is before startDate');
  if (dataType === '0') return { from: Math.max(start ?? split, split), until: end };
  return { from: start, until: Math.min(end ?? split, split) };
}

function billEntry({ id, coin, change, balance, time, kind, remark }: BillRecord, zone: number): Json {
  const name = coin.toUpperCase();
  const total = short(balance);
  const sign = change.startsWith('-') ? '' : '+';
  return {
    id: number(id),
    currencyName: name,
    balance: `${total}${name}`,
    changeAmount: `${sign}${short(change)}${name}`,
    total,
    date: time,
    showDate: showWallClock(time, zone),
    remark,
    typeDesc: BILL_WORDS[kind],
  };
}

function short(amount: string): string {
  return Decimal.of(amount).trimmed().toString();
}

export const ACCOUNT: readonly Served[] = [getAccountInfo, getSpotBills];
