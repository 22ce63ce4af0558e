import type { DepositState } from '../../domain/funds.js';
import { type ChainRules, chainRules } from '../markets/coins.js';
import { coinText } from '../markets/market.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { Codec } from '../store/table.js';
import { addressText, depositAddress, transactionHash } from './addresses.js';
import { FUNDS, type FundsContext, type FundsTask, listOf, taskKey } from './context.js';

type State = Exclude<DepositState, 'other'>;

export interface Deposit {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly chain: string;
  readonly address: string;
  /** Units of the coin. */
  readonly amount: bigint;
  /** From another account of this exchange, without a chain. */
  readonly internal: boolean;
  /** Whether it will fail instead of being credited. */
  readonly fails: boolean;
  readonly hash: string;
  /** ms since the Unix epoch. */
  readonly time: number;
  readonly state: State;
}

/** A deposit as its owner sees it. The amount is decimal text, the time ms since the Unix epoch. */
export interface DepositRecord {
  readonly id: string;
  readonly coin: string;
  readonly address: string;
  readonly amount: string;
  readonly confirmations: number;
  readonly internal: boolean;
  /** Empty for internal ones. */
  readonly hash: string;
  readonly state: State;
  readonly time: number;
}

export const depositCodec: Codec<Deposit> = {
  encode: ({ id, chain, address, amount, internal, fails, hash, time, state }) => [
    ...[String(id), chain, address, String(amount), Number(internal), Number(fails)],
    ...[hash, time, STORED_STATES.indexOf(state)],
  ],
  decode: (row, list) => {
    const [account = '', coin = ''] = list.split('/');
    const [id, chain, address, amount, internal, fails, hash, time, stored] = row as StoredDeposit;
    const marks = { internal: internal === 1, fails: fails === 1 };
    const state = stateStoredAs(stored);
    return { id: BigInt(id), account, coin, chain, address, amount: BigInt(amount), ...marks, hash, time, state };
  },
};

type StoredDeposit = [string, string, string, string, number, number, string, number, number];

/** The store keeps a state as its place here. */
const STORED_STATES: readonly State[] = ['waiting', 'failed', 'success'];

function stateStoredAs(stored: number): State {
  const state = STORED_STATES[stored];
  if (state === undefined) throw new RangeError(`a stored deposit of an unknown state: ${stored}`);
  return state;
}

/** Coins on their way to an account (default: a made-up hash). */
interface Arrival {
  readonly account: string;
  readonly chain: ChainRules;
  readonly amount: bigint;
  readonly fails?: boolean | undefined;
  readonly hash?: string | undefined;
}

/** Deposits wait for their confirmations and are then credited once, or fail. */
export class Deposits {
  constructor(
    private readonly lists: NumberedLists<Deposit>,
    private readonly context: FundsContext,
  ) {}

  /** Records coins that were seen on a chain. Nothing moves yet. */
  announce({ account, chain, amount, fails = false, hash }: Arrival, time: number): Deposit {
    const id = this.context.sequences.order(time);
    const { coin } = chain;
    const [address, name] = [addressText(depositAddress(account, chain)), chain.chain];
    const base = {
      id,
      account,
      coin,
      chain: name,
      address,
      amount,
      internal: false,
      fails,
      time,
      state: 'waiting',
    } as const;
    const deposit = { ...base, hash: hash ?? transactionHash(`deposit ${id}`) };
    const place = this.lists.append(listOf(deposit), deposit);
    this.context.scheduler.add(taskKey({ kind: 'deposit', account, coin, place }), time + confirmedAfter(chain));
    return deposit;
  }

  /** Records coins that another account of the exchange has moved to this one. */
  addInternal({ account, chain, amount }: Arrival, time: number): void {
    const id = this.context.sequences.order(time);
    const address = addressText(depositAddress(account, chain));
    const marks = { internal: true, fails: false, hash: '', state: 'success' } as const;
    const deposit = { id, account, coin: chain.coin, chain: chain.chain, address, amount, time, ...marks };
    this.lists.append(listOf(deposit), deposit);
  }

  /** Credits a deposit after its last confirmation, or lets it fail. */
  complete(task: FundsTask, time: number): void {
    const deposit = this.lists.at(listOf(task), task.place);
    const { id, account, coin, amount, fails } = deposit;
    this.lists.put(listOf(task), task.place, { ...deposit, state: fails ? 'failed' : 'success' });
    if (fails) return;
    this.context.ledger.credit(account, coin, amount);
    this.context.bills.post(account, coin, amount, 'deposit', String(id));
    this.context.bills.write(time);
  }

  /** A page, newest first; pages count from 1. */
  page(
    account: string,
    coin: string,
    page: number,
    size: number,
    now: number,
  ): { list: DepositRecord[]; total: number } {
    const name = listOf({ account, coin });
    const list = this.lists.newest(name, page, size).map((deposit) => depositRecord(deposit, now));
    return { list, total: this.lists.length(name) };
  }
}

function confirmedAfter({ confirmations }: ChainRules): number {
  return confirmations * FUNDS.confirmationEvery;
}

function depositRecord(deposit: Deposit, now: number): DepositRecord {
  const { id, coin, address, amount, internal, hash, state, time } = deposit;
  const confirmations = confirmationsOf(deposit, now);
  return { id: String(id), coin, address, amount: coinText(coin, amount), confirmations, internal, hash, state, time };
}

/** The confirmations of a deposit at `now`. One that failed never got the last. */
function confirmationsOf(deposit: Deposit, now: number): number {
  if (deposit.internal) return 0;
  const needed = chainRules(deposit.coin, deposit.chain).confirmations;
  if (deposit.state === 'success') return needed;
  const seen = Math.floor((now - deposit.time) / FUNDS.confirmationEvery);
  return Math.min(Math.max(seen, 0), needed - 1);
}
