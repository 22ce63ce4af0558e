import { addressText } from '../../funds/addresses.js';
import type { DepositRecord } from '../../funds/deposits.js';
import type { WithdrawalRecord } from '../../funds/withdrawals.js';
import { type ChainRules, chainsOf } from '../../markets/coins.js';
import { type Json, number, successWith } from '../bodies.js';
import { DEPOSIT_WORDS, SUCCESS, shownChain } from '../interface-details.js';
import { coinOf, type Served, serveOpen, serveSigned, showWallClock } from '../served-operation.js';

/**
 * "The address must first be obtained in the application or website." Observed: of a coin with several chains, it is the one on
 * the main chain. With a memo it is `<account>_<remark>`.
 */
const getUserAddress = serveSigned('getUserAddress', 'money', ({ currency }, { exchange, account }) => {
  const address = exchange.funds.depositAddress(account, coinOf(exchange, currency).coin);
  return successWith({ key: addressText(address) });
});

/** Also for a coin with one chain. */
const getPayinAddress = serveSigned('getPayinAddress', 'money', ({ currency }, { exchange, account }) => {
  const addresses = exchange.funds.depositAddresses(account, coinOf(exchange, currency).coin);
  return successWith(
    addresses.map(({ chain, address, memo }): Json => {
      const { canDeposit, canWithdraw } = chain;
      const base = { blockChain: shownChain(chain.chain), canDeposit, canWithdraw, isUseMemo: memo !== null };
      return memo === null ? { ...base, address } : { ...base, account: address, memo };
    }),
  );
});

const getWithdrawAddress = serveSigned('getWithdrawAddress', 'money', ({ currency }, { exchange, account }) =>
  successWith({ key: exchange.funds.withdrawalAddress(account, coinOf(exchange, currency).coin) }),
);

/** "Grouped by upper-case coin name". Without a coin it gives all of them, as observed. */
const getFeeInfo = serveOpen('getFeeInfo', ({ currency }, { exchange }) => {
  const coins = currency === undefined ? [...exchange.coins.keys()] : [coinOf(exchange, currency).coin];
  const entries = coins.map((coin) => [coin.toUpperCase(), chainsOf(coin).map(feeEntry)] as const);
  return { ...SUCCESS, result: Object.fromEntries(entries) };
});

function feeEntry({ chain, mainChain, fee, canDeposit, canWithdraw }: ChainRules): Json {
  return {
    chainName: shownChain(chain),
    mainChainName: shownChain(mainChain),
    fee: number(fee),
    canDeposit,
    canWithdraw,
  };
}

interface PageValues {
  readonly pageIndex: string;
  readonly pageSize: string;
}

function pageOf({ pageIndex, pageSize }: PageValues): { pageIndex: number; pageSize: number } {
  return { pageIndex: Number(pageIndex), pageSize: Number(pageSize) };
}

const withdraw = serveSigned('withdraw', 'money', (values, { exchange, account }) => {
  const { amount, fees: fee, receiveAddr: address, safePwd, itransfer = '0' } = values;
  const { coin } = coinOf(exchange, values.currency);
  const internal = itransfer === '1';
  const id = exchange.funds.withdraw(account, { coin, amount, fee, address, safePwd, internal });
  return { ...SUCCESS, id };
});

const getWithdrawRecord = serveSigned('getWithdrawRecord', 'money', (values, { exchange, account }) => {
  const { pageIndex, pageSize } = pageOf(values);
  const { coin } = coinOf(exchange, values.currency);
  const { list, total } = exchange.funds.withdrawals(account, coin, pageIndex, pageSize);
  const totalPage = Math.ceil(total / pageSize);
  return successWith({ list: list.map(withdrawalEntry), pageIndex, pageSize, totalCount: total, totalPage });
});

const getChargeRecord = serveSigned('getChargeRecord', 'money', (values, { exchange, account, zone }) => {
  const { pageIndex, pageSize } = pageOf(values);
  const { coin } = coinOf(exchange, values.currency);
  const { list, total } = exchange.funds.deposits(account, coin, pageIndex, pageSize);
  return successWith({ list: list.map((record) => depositEntry(record, zone)), pageIndex, pageSize, total });
});

/** The interface's codes. */
const WITHDRAWAL_STATUS = { submitted: 0, failed: 1, success: 2, cancelled: 3, confirmed: 5 } as const;
const DEPOSIT_STATUS = { waiting: 0, failed: 1, success: 2 } as const;

function withdrawalEntry(record: WithdrawalRecord): Json {
  return {
    id: number(record.id),
    amount: number(record.amount),
    fees: number(record.fee),
    status: WITHDRAWAL_STATUS[record.state],
    submitTime: record.submitted,
    manageTime: record.managed,
    toAddress: record.address,
    merchantOrderNo: record.orderNumber,
    hash: record.hash,
  };
}

function depositEntry(record: DepositRecord, zone: number): Json {
  return {
    id: number(record.id),
    address: record.address,
    amount: record.amount,
    confirmTimes: record.confirmations,
    currency: record.coin.toUpperCase(),
    description: DEPOSIT_WORDS[record.state],
    hash: record.hash,
    itransfer: record.internal ? 1 : 0,
    status: DEPOSIT_STATUS[record.state],
    submit_time: showWallClock(record.time, zone),
  };
}

export const FUNDS: readonly Served[] = [
  getUserAddress,
  getPayinAddress,
  getWithdrawAddress,
  getWithdrawRecord,
  getChargeRecord,
  getFeeInfo,
  withdraw,
];
