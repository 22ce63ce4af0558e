import * as v from 'valibot';
import { described, enveloped } from './envelope.js';
import { decimal, flag, id, instant, integer, madeId, maybe, optionalDecimal, optionalText, text } from './fields.js';
import { openRead, signedRead, signedWrite } from './operation.js';
import {
  address,
  amount,
  amountOrZero,
  choice,
  coin,
  optional,
  pageNumber,
  required,
  secret,
  wallClock,
  wholeNumber,
} from './parameters.js';

const coinEntry = v.object({
  key: text,
  enName: text,
  cnName: text,
  showName: text,
  unitTag: text,
  unitDecimal: integer,
  fundstype: integer,
  available: decimal,
  freez: decimal,
  isCanRecharge: flag,
  isCanWithdraw: flag,
  canLoan: flag,
});

/** Deployments may leave out what is only told: what an entry cannot be understood without is required here. */
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
  blockChain: optionalText,
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

const feeEntry = v.object({
  chainName: text,
  mainChainName: text,
  fee: decimal,
  canDeposit: flag,
  canWithdraw: flag,
});

/** The interface says "items per page" without a range; 50 is the largest that it states anywhere. */
const paging = { pageIndex: required(pageNumber), pageSize: required(wholeNumber(1n, 50n)) };

export const getAccountInfo = signedRead(
  {},
  v.object({
    result: v.object({
      coins: v.array(coinEntry),
      base: v.object({
        username: text,
        trade_password_enabled: flag,
        auth_google_enabled: flag,
        auth_mobile_enabled: flag,
      }),
    }),
    assetPerm: flag,
    leverPerm: flag,
    entrustPerm: flag,
    moneyPerm: flag,
  }),
);

export const getSpotBills = signedRead(
  {
    currency: optional(coin),
    startDate: optional(wallClock),
    endDate: optional(wallClock),
    dataType: optional(choice('0', '1')),
    pageIndex: optional(pageNumber),
    pageSize: optional(wholeNumber(10n, 50n)),
  },
  enveloped({ result: v.array(billEntry) }),
);

export const getUserAddress = signedRead(
  { currency: required(coin) },
  described(v.nullish(v.object({ key: optionalText }), { key: null })),
);

export const getPayinAddress = signedRead(
  { currency: required(coin) },
  described(v.nullish(v.array(depositAddress), [])),
);

export const getWithdrawAddress = signedRead(
  { currency: required(coin) },
  described(v.nullish(v.object({ key: optionalText }), { key: null })),
);

export const getWithdrawRecord = signedRead(
  { currency: required(coin), ...paging },
  described(
    v.object({
      list: v.array(withdrawalRecord),
      pageIndex: maybe(integer),
      pageSize: maybe(integer),
      totalCount: maybe(integer),
      totalPage: maybe(integer),
    }),
  ),
);

export const getChargeRecord = signedRead(
  { currency: required(coin), ...paging },
  described(
    v.object({
      list: v.array(depositRecord),
      pageIndex: maybe(integer),
      pageSize: maybe(integer),
      total: maybe(integer),
    }),
  ),
);

/** Without a coin it gives all of them, as observed. */
export const getFeeInfo = openRead(
  { currency: optional(coin) },
  enveloped({ result: v.record(v.string(), v.array(feeEntry)) }),
);

export const withdraw = signedWrite(
  {
    amount: required(amount),
    currency: required(coin),
    fees: required(amountOrZero),
    itransfer: optional(choice('0', '1')),
    receiveAddr: required(address),
    safePwd: required(secret),
  },
  enveloped({ id: madeId }),
);
