import * as v from 'valibot';
import type { AccountInfo, Coin } from '../../domain/account.js';
import { nameInAnswer } from '../../domain/coin.js';
import type {
  Bill,
  ChainAddress,
  ChainFee,
  Deposit,
  DepositState,
  Withdrawal,
  WithdrawalRequest,
  WithdrawalState,
} from '../../domain/funds.js';
import { parseWallTime } from '../../domain/zone.js';
import { requireBillAmount } from '../lists/bill-amounts.js';
import {
  createdId,
  decimal,
  emptyableUnsigned,
  enveloped,
  flag,
  group,
  id,
  instant,
  integer,
  isEmpty,
  keyed,
  maybe,
  optionalDecimal,
  optionalName,
  optionalText,
  text,
  withDetails,
} from './fields.js';
import {
  address,
  amount,
  amountOrZero,
  choice,
  coin,
  keylessRead,
  optional,
  pageNumber,
  type Remarks,
  required,
  secret,
  signedRead,
  signedWrite,
  unboundedInt,
  WHOLE_LIST_BYTES,
  wallClock,
  wholeNumber,
  withCodec,
} from './operation.js';

export const coinEntry = v.object({
  key: text,
  enName: optionalText,
  cnName: optionalText,
  showName: optionalText,
  unitTag: optionalText,
  unitDecimal: maybe(integer),
  fundstype: maybe(integer),
  available: decimal,
  freez: decimal,
  isCanRecharge: maybe(flag),
  isCanWithdraw: maybe(flag),
  canLoan: maybe(flag),
});

const billEntry = v.object({
  id,
  currencyName: text,
  balance: optionalText,
  changeAmount: text,
  total: optionalText,
  date: instant,
  showDate: optionalText,
  remark: optionalText,
  typeDesc: optionalText,
});

const depositAddress = v.object({
  blockChain: optionalName,
  canDeposit: maybe(flag),
  canWithdraw: maybe(flag),
  isUseMemo: flag,
  address: optionalText,
  account: optionalText,
  memo: optionalText,
});

const withdrawalRecord = v.object({
  id,
  amount: decimal,
  fees: optionalDecimal,
  status: integer,
  submitTime: instant,
  manageTime: maybe(instant),
  toAddress: optionalText,
  merchantOrderNo: optionalText,
  hash: optionalText,
});

const depositRecord = v.object({
  id,
  address: optionalText,
  amount: decimal,
  confirmTimes: maybe(integer),
  currency: optionalText,
  description: optionalText,
  hash: optionalText,
  itransfer: maybe(integer),
  status: integer,
  submit_time: optionalText,
});

/** A withdrawal needs the fee; the list of fees is shown without it. */
const feeEntry = group({
  chainName: optionalName,
  mainChainName: optionalName,
  fee: maybe(emptyableUnsigned),
  canDeposit: maybe(flag),
  canWithdraw: maybe(flag),
});

/** A coin of the account, from an entry of `getAccountInfo` or of a push. */
export function toCoin(entry: v.InferOutput<typeof coinEntry>): Coin {
  const { key, enName, cnName, showName, unitTag, unitDecimal, fundstype } = entry;
  return {
    coin: nameInAnswer(key),
    name: showName ?? enName ?? key,
    available: entry.available,
    frozen: entry.freez,
    canDeposit: entry.isCanRecharge,
    canWithdraw: entry.isCanWithdraw,
    canLoan: entry.canLoan,
    scale: unitDecimal,
    details: { key, enName, cnName, showName, unitTag, unitDecimal, fundstype },
  };
}

/** Nothing shows which of two balances of a coin holds. */
const coinEntries = v.pipe(
  v.array(coinEntry),
  v.check(
    (coins) => new Set(coins.map(({ key }) => key.toLowerCase())).size === coins.length,
    'expected each coin once',
  ),
);

const getAccountInfo = withCodec(
  signedRead(
    {},
    v.object({
      result: v.object({
        coins: coinEntries,
        base: maybe(
          group({
            username: optionalText,
            trade_password_enabled: maybe(flag),
            auth_google_enabled: maybe(flag),
            auth_mobile_enabled: maybe(flag),
          }),
        ),
      }),
      assetPerm: maybe(flag),
      leverPerm: maybe(flag),
      entrustPerm: maybe(flag),
      moneyPerm: maybe(flag),
    }),
    WHOLE_LIST_BYTES,
  ),
  {
    about: 'The account, the permissions of the key, and every coin with its balance.',
    notShown: 'what the values of `fundstype` mean, and which operation needs which permission',
    encode: (_: object) => ({}),
    decode: ({ result: { base, coins }, ...granted }): AccountInfo => ({
      username: base?.username ?? null,
      tradePassword: base?.trade_password_enabled ?? null,
      googleAuth: base?.auth_google_enabled ?? null,
      mobileAuth: base?.auth_mobile_enabled ?? null,
      permissions: {
        asset: granted.assetPerm,
        lever: granted.leverPerm,
        entrust: granted.entrustPerm,
        money: granted.moneyPerm,
      },
      coins: coins.map(toCoin),
    }),
  },
);

interface BillPageRequest {
  readonly coin: string | undefined;
  /** "0 = data within 48 h, 1 = older than 48 h" */
  readonly age: 'recent' | 'older';
  /** As the exchange writes dates: only bills from then on. */
  readonly since?: string | undefined;
  /** As the exchange writes dates: only bills up to then. */
  readonly until?: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** A bill whose amounts are read when they are needed: one that cannot be read matters only if it was asked for. */
export interface ListedBill {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** The same moment as the exchange writes it, without a zone. */
  readonly shownTime: string | null;
  /** Everything in it, as text. */
  readonly content: string;
  /** Throws Failure `internal` for an amount that cannot be read. */
  readonly read: () => Bill;
}

function toBill(entry: v.InferOutput<typeof billEntry>): Bill {
  const { id, currencyName, changeAmount, balance, total, date, showDate, typeDesc, remark } = entry;
  const amountOf = (text: string | null) => (isEmpty(text) ? null : requireBillAmount(text ?? '', currencyName, id));
  return {
    id,
    time: date,
    timeRaw: showDate,
    coin: nameInAnswer(currencyName),
    type: typeDesc,
    change: requireBillAmount(changeAmount, currencyName, id),
    balance: amountOf(balance),
    total: amountOf(total),
    remark,
  };
}

const getSpotBills = withCodec(
  signedRead(
    {
      currency: optional(coin),
      startDate: optional(wallClock),
      endDate: optional(wallClock),
      dataType: optional(choice('0', '1')),
      pageIndex: optional(unboundedInt),
      pageSize: optional(wholeNumber(10n, 50n)),
    },
    enveloped({ result: v.array(billEntry) }),
  ),
  {
    about: 'Changes of the spot balance. `dataType` is 0 for the last 48 hours, and 1 for what is older.',
    notShown: 'the time zone of the dates, and the default of `dataType`',
    read: 'billPage',
    // observed in place of an empty page
    ifNotFound: [],
    encode: ({ coin, age, since, until, page, size }: BillPageRequest) => ({
      currency: coin,
      startDate: since,
      endDate: until,
      dataType: age === 'recent' ? '0' : '1',
      pageIndex: String(page),
      pageSize: String(size),
    }),
    decode: ({ result }) =>
      result.map((entry): ListedBill => {
        const { id, date, showDate } = entry;
        return { id, time: date, shownTime: showDate, content: JSON.stringify(entry), read: () => toBill(entry) };
      }),
  },
);

const ofCoin = { encode: ({ coin }: { readonly coin: string }) => ({ currency: coin }) };

/** One address of a coin; null if there is none. */
function oneAddress<const Name extends string>(read: Name, remarks: Remarks) {
  return withCodec(
    signedRead({ currency: required(coin) }, withDetails(v.nullish(group({ key: optionalText }), { key: null }))),
    { ...remarks, read, ...ofCoin, decode: ({ message }) => message.datas.key },
  );
}

/** "When true, the deposit information is `account` plus `memo`. When false it is `address`." */
function toChainAddress(coin: string, entry: v.InferOutput<typeof depositAddress>): ChainAddress {
  const { blockChain, isUseMemo, address, account, memo, canDeposit, canWithdraw } = entry;
  const place = isUseMemo ? account || address : address || account;
  return {
    coin,
    chain: blockChain,
    address: place || null,
    memo: isUseMemo ? memo || null : null,
    needsMemo: isUseMemo,
    canDeposit,
    canWithdraw,
  };
}

const getPayinAddress = withCodec(
  signedRead({ currency: required(coin) }, withDetails(v.nullish(v.array(depositAddress), []))),
  {
    about: 'The deposit addresses of a coin on all its chains.',
    notShown: 'the answer if there is none',
    read: 'listedAddresses',
    ...ofCoin,
    decode: ({ message }, { coin }) => message.datas.map((entry) => toChainAddress(coin, entry)),
  },
);

interface RecordPageRequest {
  readonly coin: string;
  /** Counts from 1. */
  readonly page: number;
  readonly size: number;
}

const recordPage = {
  encode: ({ coin, page, size }: RecordPageRequest) => ({
    currency: coin,
    pageIndex: String(page),
    pageSize: String(size),
  }),
};

/** A refusal was observed in place of an empty page. */
const NO_RECORDS = { records: [], rowCount: 0, pageCount: null, size: null };

const WITHDRAWAL_STATE: Readonly<Record<number, WithdrawalState>> = {
  0: 'submitted',
  1: 'failed',
  2: 'success',
  3: 'cancelled',
  5: 'confirmed',
};

/** The record does not carry its coin. */
function toWithdrawal(coin: string, record: v.InferOutput<typeof withdrawalRecord>): Withdrawal {
  return {
    id: record.id,
    time: record.submitTime,
    processedTime: record.manageTime || null,
    coin,
    amount: record.amount,
    fee: record.fees,
    address: record.toAddress,
    hash: record.hash || null,
    merchantOrderNo: record.merchantOrderNo || null,
    state: WITHDRAWAL_STATE[record.status] ?? 'other',
    status: record.status,
  };
}

const getWithdrawRecord = withCodec(
  signedRead(
    { currency: required(coin), pageIndex: required(pageNumber), pageSize: required(unboundedInt) },
    withDetails(
      v.object({
        list: v.array(withdrawalRecord),
        pageIndex: maybe(integer),
        pageSize: maybe(integer),
        totalCount: maybe(integer),
        totalPage: maybe(integer),
      }),
    ),
  ),
  {
    about: 'Withdrawals of a coin, in pages.',
    notShown: 'the largest page, and the order of records',
    ifNotFound: NO_RECORDS,
    ...recordPage,
    decode: ({ message: { datas } }, { coin }) => ({
      records: datas.list.map((record) => toWithdrawal(coin, record)),
      rowCount: datas.totalCount,
      pageCount: datas.totalPage,
      size: datas.pageSize,
    }),
    pages: {
      read: 'withdrawals',
      // its state, when it was processed, and its hash may change
      identity: ({ id, time, amount, address }) => JSON.stringify([id, time, amount, address]),
      time: ({ time }) => time,
    },
  },
);

const DEPOSIT_STATE: Readonly<Record<number, DepositState>> = { 0: 'waiting', 1: 'failed', 2: 'success' };

/** The record has no moment: its date lacks a time zone. */
function toDeposit(coin: string, record: v.InferOutput<typeof depositRecord>): Omit<Deposit, 'time'> {
  return {
    id: record.id,
    timeRaw: record.submit_time,
    coin: record.currency === null ? coin : nameInAnswer(record.currency),
    amount: record.amount,
    address: record.address,
    hash: record.hash || null,
    confirmations: record.confirmTimes,
    internal: record.itransfer === null ? null : record.itransfer === 1,
    description: record.description,
    state: DEPOSIT_STATE[record.status] ?? 'other',
    status: record.status,
  };
}

const getChargeRecord = withCodec(
  signedRead(
    { currency: required(coin), pageIndex: required(unboundedInt), pageSize: required(unboundedInt) },
    withDetails(
      v.object({
        list: v.array(depositRecord),
        pageIndex: maybe(integer),
        pageSize: maybe(integer),
        total: maybe(integer),
      }),
    ),
  ),
  {
    about: 'Deposits of a coin, in pages.',
    notShown: 'the largest page, the order of records, and the time zone of `submit_time`',
    ifNotFound: NO_RECORDS,
    ...recordPage,
    decode: ({ message: { datas } }, { coin }) => ({
      records: datas.list.map((record) => toDeposit(coin, record)),
      rowCount: datas.total,
      pageCount: null,
      size: datas.pageSize,
    }),
    pages: {
      read: 'undatedDeposits',
      // its state, its confirmations and its hash may change
      identity: ({ id, timeRaw, amount, address }) => JSON.stringify([id, timeRaw, amount, address]),
      time: ({ timeRaw }) => parseWallTime(timeRaw ?? '') ?? Number.NaN,
    },
  },
);

/** Without a coin it gives all of them, as observed. */
const getFeeInfo = withCodec(
  keylessRead({ currency: optional(coin) }, enveloped({ result: keyed(v.array(feeEntry)) }), WHOLE_LIST_BYTES),
  {
    about: 'Withdrawal fees by chain.',
    notShown: 'whether it can be called without a coin',
    read: 'fees',
    // observed in place of an empty answer
    ifNotFound: [],
    encode: ({ coin }: { readonly coin?: string | undefined }) => ({ currency: coin }),
    decode: ({ result }) =>
      Object.entries(result).flatMap(([name, entries]) =>
        entries.map(
          ({ chainName, mainChainName, fee, canDeposit, canWithdraw }): ChainFee => ({
            coin: nameInAnswer(name),
            chain: chainName,
            mainChain: mainChainName,
            fee,
            canDeposit,
            canWithdraw,
          }),
        ),
      ),
  },
);

const withdraw = withCodec(
  signedWrite(
    {
      amount: required(amount),
      currency: required(coin),
      fees: required(amountOrZero),
      itransfer: optional(choice('0', '1')),
      receiveAddr: required(address),
      safePwd: required(secret),
    },
    enveloped({ id: createdId }),
  ),
  {
    about: 'Withdraws to a verified address; on a chain with memos, to `<account>_<remark>`.',
    notShown: 'whether the fee is part of the amount, and which chain is used',
    encode: ({ withdrawal, password }: { readonly withdrawal: WithdrawalRequest; readonly password: string }) => ({
      amount: withdrawal.amount,
      currency: withdrawal.coin,
      fees: withdrawal.fee,
      itransfer: withdrawal.internal ? '1' : undefined,
      receiveAddr: withdrawal.address,
      safePwd: password,
    }),
    decode: ({ id }) => ({ id }),
  },
);

/** Each by its name in the interface. */
export const fundsOperations = {
  getAccountInfo,
  getSpotBills,
  getUserAddress: oneAddress('depositAddressText', {
    about: 'A deposit address, which was obtained in the app or on the website before.',
    notShown: 'the answer if there is none',
  }),
  getPayinAddress,
  getWithdrawAddress: oneAddress('verifiedAddressText', {
    about: 'The verified withdrawal address of a coin.',
    notShown: 'the answer if there are several',
  }),
  getWithdrawRecord,
  getChargeRecord,
  getFeeInfo,
  withdraw,
};
