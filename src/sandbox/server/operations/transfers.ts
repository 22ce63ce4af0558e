import type { DepositRecord, WithdrawalRecord } from '../../funds/funds.js';
import { DEPOSIT_WORDS, SUCCESS } from '../choices.js';
import { described } from '../described.js';
import { type Json, number } from '../json.js';
import { coinOf, signedly } from '../serving.js';
import { showWallClock } from '../wall-clock.js';

interface PageValues {
  readonly pageIndex: string;
  readonly pageSize: string;
}

function pageOf({ pageIndex, pageSize }: PageValues): { pageIndex: number; pageSize: number } {
  return { pageIndex: Number(pageIndex), pageSize: Number(pageSize) };
}

export const withdraw = signedly('withdraw', (values, { exchange, account }) => {
  const { amount, fees: fee, receiveAddr: address, safePwd, itransfer = '0' } = values;
  const { coin } = coinOf(exchange, values.currency);
  const internal = itransfer === '1';
  const id = exchange.funds.withdraw(account, { coin, amount, fee, address, safePwd, internal });
  return { ...SUCCESS, id };
});

export const getWithdrawRecord = signedly('getWithdrawRecord', (values, { exchange, account }) => {
  const { pageIndex, pageSize } = pageOf(values);
  const { coin } = coinOf(exchange, values.currency);
  const { list, total } = exchange.funds.withdrawals(account, coin, pageIndex, pageSize);
  const totalPage = Math.ceil(total / pageSize);
  return described({ list: list.map(withdrawalEntry), pageIndex, pageSize, totalCount: total, totalPage });
});

export const getChargeRecord = signedly('getChargeRecord', (values, { exchange, account, zone }) => {
  const { pageIndex, pageSize } = pageOf(values);
  const { coin } = coinOf(exchange, values.currency);
  const { list, total } = exchange.funds.deposits(account, coin, pageIndex, pageSize);
  return described({ list: list.map((record) => depositEntry(record, zone)), pageIndex, pageSize, total });
});

function withdrawalEntry(record: WithdrawalRecord): Json {
  return {
    id: number(record.id),
    amount: number(record.amount),
    fees: number(record.fee),
    status: record.status,
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
    description: DEPOSIT_WORDS[record.status],
    hash: record.hash,
    itransfer: record.internal ? 1 : 0,
    status: record.status,
    submit_time: showWallClock(record.time, zone),
  };
}
