import type { WithdrawalState } from '../../domain/funds.js';
import { FEES, OUTSIDE } from '../accounts/ledger.js';
import type { ChainRules } from '../markets/coins.js';
import { coinText } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { Codec } from '../store/table.js';
import { transactionHash } from './addresses.js';
import { FUNDS, type FundsContext, type FundsTask, listOf, taskKey } from './context.js';

type State = Exclude<WithdrawalState, 'other'>;

export interface Withdrawal {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly chain: string;
  /** Units of the coin, the fee included. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly address: string;
  /** ms since the Unix epoch. */
  readonly submitted: number;
  /** When the state last changed. */
  readonly managed: number;
  readonly state: State;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

/** A withdrawal as its owner sees it. The amounts are decimal text, the times ms since the Unix epoch. */
export interface WithdrawalRecord {
  readonly id: string;
  /** Includes the fee. */
  readonly amount: string;
  readonly fee: string;
  readonly state: State;
  readonly submitted: number;
  /** When the state last changed. */
  readonly managed: number;
  readonly address: string;
  readonly orderNumber: string;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

function withdrawalRecord(withdrawal: Withdrawal): WithdrawalRecord {
  const { id, coin, amount, fee, state, submitted, managed, address, hash } = withdrawal;
  const texts = { amount: coinText(coin, amount), fee: coinText(coin, fee) };
  return { id: String(id), ...texts, state, submitted, managed, address, orderNumber: `W${id}`, hash };
}

export const withdrawalCodec: Codec<Withdrawal> = {
  encode: ({ id, chain, amount, fee, address, submitted, managed, state, hash }) => [
    ...[String(id), chain, String(amount), String(fee), address],
    ...[submitted, managed, STORED_STATES[state], hash],
  ],
  decode: (row, list) => {
    const [account = '', coin = ''] = list.split('/');
    const [id, chain, amount, fee, address, submitted, managed, stored, hash] = row as StoredWithdrawal;
    const units = { amount: BigInt(amount), fee: BigInt(fee) };
    const state = stateStoredAs(stored);
    return { id: BigInt(id), account, coin, chain, ...units, address, submitted, managed, state, hash };
  },
};

type StoredWithdrawal = [string, string, string, string, string, number, number, number, string];

/** The numbers that the store keeps for states. */
const STORED_STATES: Readonly<Record<State, number>> = {
  submitted: 0,
  failed: 1,
  success: 2,
  cancelled: 3,
  confirmed: 5,
};

function stateStoredAs(stored: number): State {
  const state = (Object.keys(STORED_STATES) as State[]).find((name) => STORED_STATES[name] === stored);
  if (state === undefined) throw new RangeError(`a stored withdrawal of an unknown state: ${stored}`);
  return state;
}

/** A withdrawal request that passed all checks. */
export interface CheckedWithdrawal {
  readonly account: string;
  readonly chain: ChainRules;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly address: string;
}

/** The ledger account that holds the coins of pending withdrawals, shown as frozen. */
export function withdrawing(account: string): string {
  return `leaving-${account}`;
}

/** Withdrawals over a chain, step by step. Coins are billed when they are taken, and again if they come back. */
export class Withdrawals {
  constructor(
    private readonly lists: NumberedLists<Withdrawal>,
    private readonly context: FundsContext,
  ) {}

  /** Takes the amount from the available balance. Throws {@link Refusal}, with nothing changed, if that is too small. */
  submit(checked: CheckedWithdrawal, time: number): Withdrawal {
    const { account, chain, amount, fee } = checked;
    const { coin } = chain;
    this.requireBalance(checked);
    const withdrawal = this.note(checked, 'submitted', time);
    this.context.ledger.move(coin, amount, available(account), available(withdrawing(account)));
    this.context.bills.post(account, coin, fee - amount, 'withdrawal', String(withdrawal.id));
    this.context.bills.post(account, coin, -fee, 'withdrawalFee', String(withdrawal.id));
    this.context.bills.write(time);
    const place = this.lists.length(listOf(withdrawal));
    this.context.scheduler.add(
      taskKey({ kind: 'withdrawal', account, coin, place }),
      time + FUNDS.withdrawalConfirmedAfter,
    );
    return withdrawal;
  }

  /**
   * Moves the amount to another account of the exchange at once. Throws {@link Refusal}, with nothing changed, if the balance
   * is too small.
   */
  transfer(checked: CheckedWithdrawal, recipient: string, time: number): Withdrawal {
    const { account, chain, amount, fee } = checked;
    const { ledger, bills } = this.context;
    this.requireBalance(checked);
    const withdrawal = this.note(checked, 'success', time);
    const remark = String(withdrawal.id);
    ledger.move(chain.coin, fee, available(account), available(FEES));
    bills.post(account, chain.coin, -fee, 'withdrawalFee', remark);
    ledger.move(chain.coin, amount - fee, available(account), available(recipient));
    bills.post(account, chain.coin, fee - amount, 'transferOut', remark);
    bills.post(recipient, chain.coin, amount - fee, 'transferIn', remark);
    bills.write(time);
    return withdrawal;
  }

  /** Submitted becomes confirmed, confirmed becomes success. */
  proceed(task: FundsTask, time: number): Withdrawal {
    const withdrawal = this.lists.at(listOf(task), task.place);
    return withdrawal.state === 'submitted'
      ? this.confirm(task, withdrawal, time)
      : this.succeed(task, withdrawal, time);
  }

  /**
   * Ends a withdrawal before its success and gives the coins back. Throws {@link Refusal} if there is none, if it is final, and
   * if it is confirmed and was to be cancelled.
   */
  end(account: string, coin: string, id: bigint, state: 'failed' | 'cancelled', time: number): void {
    const list = listOf({ account, coin });
    const place = this.lists.firstNot(list, (other) => other.id < id);
    const withdrawal = place > this.lists.length(list) ? undefined : this.lists.at(list, place);
    if (withdrawal?.id !== id) throw new Refusal('noRecord', String(id));
    const mayEnd = withdrawal.state === 'submitted' || (withdrawal.state === 'confirmed' && state === 'failed');
    if (!mayEnd) throw new Refusal('general', 'too late');
    this.context.scheduler.remove(taskKey({ kind: 'withdrawal', account, coin, place }));
    this.change(place, withdrawal, { state }, time);
    this.context.ledger.move(coin, withdrawal.amount, available(withdrawing(account)), available(account));
    this.context.bills.post(account, coin, withdrawal.amount, 'withdrawalReturned', String(id));
    this.context.bills.write(time);
  }

  /** A page, newest first; pages count from 1. */
  page(account: string, coin: string, page: number, size: number): { list: WithdrawalRecord[]; total: number } {
    const name = listOf({ account, coin });
    return { list: this.lists.newest(name, page, size).map(withdrawalRecord), total: this.lists.length(name) };
  }

  private confirm(task: FundsTask, withdrawal: Withdrawal, time: number): Withdrawal {
    this.context.scheduler.add(taskKey(task), time + FUNDS.withdrawalDoneAfter);
    const hash = transactionHash(`withdrawal ${withdrawal.id}`);
    return this.change(task.place, withdrawal, { state: 'confirmed', hash }, time);
  }

  private succeed({ place }: FundsTask, withdrawal: Withdrawal, time: number): Withdrawal {
    const { account, coin, amount, fee } = withdrawal;
    this.context.ledger.move(coin, amount - fee, available(withdrawing(account)), available(OUTSIDE));
    this.context.ledger.move(coin, fee, available(withdrawing(account)), available(FEES));
    return this.change(place, withdrawal, { state: 'success' }, time);
  }

  private requireBalance({ account, chain: { coin }, amount }: CheckedWithdrawal): void {
    if (this.context.ledger.available(account, coin) < amount) throw new Refusal('insufficientBalance', coin);
  }

  private note(checked: CheckedWithdrawal, state: State, time: number): Withdrawal {
    const { account, chain, amount, fee, address } = checked;
    const names = { id: this.context.sequences.order(time), account, coin: chain.coin, chain: chain.chain };
    const withdrawal = { ...names, amount, fee, address, submitted: time, managed: time, state, hash: '' };
    this.lists.append(listOf(withdrawal), withdrawal);
    return withdrawal;
  }

  private change(place: number, old: Withdrawal, changes: Partial<Withdrawal>, time: number): Withdrawal {
    const withdrawal = { ...old, ...changes, managed: time };
    this.lists.put(listOf(old), place, withdrawal);
    return withdrawal;
  }
}

function available(account: string) {
  return { account, part: 'available' } as const;
}
