import type { Account, Customers } from '../accounts/accounts.js';
import { type BillBook, type BillQuery, type BillRecord, billRecord } from '../accounts/bills.js';
import { FEES, type Ledger, OUTSIDE } from '../accounts/ledger.js';
import type { Clock } from '../exchange/clock.js';
import { type ChainRules, type CoinRules, chainNamed, chainsOf, coinRules, UNIT_DECIMALS } from '../markets/coins.js';
import { coinText, coinUnits, unitsOf } from '../markets/market.js';
import type { Sequences } from '../orders/sequences.js';
import { RequestRefused } from '../refusals.js';
import { Scheduler, type Task } from '../scheduler.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { ServiceStore } from '../store/store.js';
import {
  AddressBook,
  type AddressState,
  addressText,
  type DepositAddress,
  depositAddress,
  transactionHash,
} from './addresses.js';
import { type AccountDeposit, CONFIRMATION_EVERY, type DepositRecord, depositRecord } from './deposits.js';
import { type AccountWithdrawal, type WithdrawalRecord, withdrawalRecord, withdrawing } from './withdrawals.js';

/**
 * How withdrawals move, by the exchange's clock, in ms: fast enough to watch, slow enough that a client sees every state on the
 * way. The interface states none of this. A withdrawal is confirmed (5), gets its hash and later succeeds (2).
 *
 * The other decisions, each the simplest that a client can rely on:
 * - The fee is part of the amount. It is charged as offered if it is at least the chain's, also for an internal transfer, so
 *   what arrives is always the amount less the fee.
 * - itransfer 1 is a consent: the coins move at once if the address belongs to another account of the exchange, and over the
 *   chain if not. Without consent such an address is reached over the chain, as a deposit.
 * - No parameter names a chain: the verified address knows its own. Codes: 3005 for the address and the fee, 3003 for the
 *   amount, 1010 for a closed chain, 1001 for a coin.
 * - What a withdrawal takes is shown as frozen and billed when it is taken, and billed again when it comes back. The balance
 *   and total of a bill do not include it.
 * - manageTime is when the status last changed, so it is always a number. hash is empty until the transaction is on the
 *   chain, and for internal transfers. merchantOrderNo is made from the id, because a client cannot send one.
 * - getPayinAddress also shows closed chains; getUserAddress joins account and memo as `receiveAddr` does.
 */
const CONFIRMED_AFTER = 20_000;
const DONE_AFTER = 40_000;

/** After this many wrong fund passwords in a row, all are refused for a while (1004), even the right one. */
const WRONG_PASSWORDS = 5;
const PASSWORD_LOCK = 3_600_000;

export interface Page<Entry> {
  /** Newest first. */
  readonly list: readonly Entry[];
  /** On all pages together. */
  readonly total: number;
}

/** The account whose funds they are. */
type Owner = Pick<Account, 'id'>;

/** Coins from outside. The amount is decimal text. */
interface DepositRequest {
  readonly coin: string;
  readonly amount: string;
  /** Default: the coin's first chain that is open for deposits. */
  readonly chain?: string | undefined;
  /** Makes it fail instead of being credited. */
  readonly fail?: boolean | undefined;
}

/** The amounts are decimal text; the fee is part of the amount. */
export interface WithdrawRequest {
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  /** Whether it may move within the exchange. */
  readonly internal: boolean;
  readonly address: string;
  readonly safePwd: string;
}

/** A withdrawal request that passed all checks. */
interface CheckedWithdrawal {
  readonly account: string;
  readonly chain: ChainRules;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly address: string;
}

/** A pending deposit or withdrawal: its place in the list of its account and coin. */
interface FundsTask {
  readonly kind: 'deposit' | 'withdrawal';
  readonly account: string;
  readonly coin: string;
  readonly place: number;
}

/** Wrong fund passwords in a row, and until when all are refused. */
interface PasswordAttempts {
  readonly wrong: number;
  /** ms since the Unix epoch. */
  readonly lockedUntil: number;
}

/** A part of the exchange's state. */
export interface FundsState extends AddressState {
  /** By account. */
  readonly attempts: Map<string, PasswordAttempts>;
  readonly fundsTasks: Task<FundsTask>[];
}

/** What deposits and withdrawals are kept in and change, made by the exchange. */
interface FundsServiceParts {
  readonly state: FundsState;
  readonly store: ServiceStore;
  readonly ledger: Ledger;
  readonly bills: BillBook;
  readonly sequences: Sequences;
  readonly customers: Customers;
  /** All coins by name: a tape may bring further ones. */
  readonly coins: () => ReadonlyMap<string, CoinRules>;
  readonly clock: Clock;
}

/**
 * The coins of accounts: balances, bills, addresses, deposits and withdrawals. Each call leaves ledger, bills, records and
 * scheduler consistent. Coins must exist; amounts are decimal text, pages count from 1.
 */
export class FundsService {
  readonly #addresses: AddressBook;
  readonly #scheduler: Scheduler<FundsTask>;
  readonly #attempts: FundsState['attempts'];
  readonly #store: ServiceStore;
  readonly #deposits: NumberedLists<AccountDeposit>;
  readonly #withdrawals: NumberedLists<AccountWithdrawal>;
  readonly #ledger: Ledger;
  readonly #bills: BillBook;
  readonly #sequences: Sequences;
  readonly #customers: Customers;
  readonly #coins: () => ReadonlyMap<string, CoinRules>;
  readonly #clock: Clock;

  constructor({ state, store, ledger, bills, sequences, customers, coins, clock }: FundsServiceParts) {
    this.#addresses = new AddressBook(state);
    this.#scheduler = new Scheduler(state.fundsTasks);
    this.#attempts = state.attempts;
    this.#store = store;
    this.#deposits = store.lists('deposits');
    this.#withdrawals = store.lists('withdrawals');
    this.#ledger = ledger;
    this.#bills = bills;
    this.#sequences = sequences;
    this.#customers = customers;
    this.#coins = coins;
    this.#clock = clock;
  }

  /** What a new account needs and gets: a deposit address for each coin, a verified address on each chain, and coins. */
  seed(account: string, amounts: Readonly<Record<string, string>> = {}): void {
    this.#addresses.seed(account, this.#coins().keys());
    for (const [coin, amount] of Object.entries(amounts)) {
      this.#ledger.credit(account, coin, this.#units(coin, amount));
      this.#bills.post(account, coin, this.#units(coin, amount), 'opening');
    }
    this.#bills.write(this.#clock.now());
  }

  /** When the next deposit or withdrawal changes its state: ms since the Unix epoch, infinity if none is pending. */
  get next(): number {
    return this.#scheduler.next;
  }

  /** Lets everything happen that is due by `time`. */
  advance(time: number): void {
    for (let due = this.#scheduler.take(time); due !== undefined; due = this.#scheduler.take(time)) {
      if (due.subject.kind === 'deposit') this.#completeDeposit(due.subject, due.time);
      else this.#proceed(due.subject, due.time);
    }
  }

  /** Every coin of the spot wallet, also those that the account does not have. */
  balances({ id }: Owner): { coin: string; available: string; frozen: string }[] {
    return [...this.#coins().keys()].map((coin) => ({
      coin,
      available: coinText(coin, this.#ledger.available(id, coin)),
      frozen: coinText(coin, this.#ledger.frozen(id, coin) + this.#ledger.available(withdrawing(id), coin)),
    }));
  }

  /** Moves coins between the spot wallets of two accounts. Throws {@link RequestRefused}. */
  transfer(from: Account, to: Account, coin: string, amount: string): void {
    if (from.id === to.id) throw new RequestRefused('badParameter', 'both accounts are the same');
    const units = this.#units(coin, amount);
    if (this.#ledger.available(from.id, coin) < units) throw new RequestRefused('insufficientBalance', coin);
    this.#ledger.move(coin, units, available(from.id), available(to.id));
    this.#bills.post(from.id, coin, -units, 'transferOut', to.username);
    this.#bills.post(to.id, coin, units, 'transferIn', from.username);
    this.#bills.write(this.#clock.now());
    this.#store.commitSoon();
  }

  /** Newest first. */
  bills({ id }: Owner, query: BillQuery): BillRecord[] {
    return this.#bills.page(id, query).map(billRecord);
  }

  /** The address on the coin's main chain. Throws {@link RequestRefused} if it was not obtained. */
  depositAddress({ id }: Owner, coin: string): DepositAddress {
    return this.#addresses.single(id, coin);
  }

  /** One for each chain, closed ones included. */
  depositAddresses({ id }: Owner, coin: string): DepositAddress[] {
    return chainsOf(coin).map((chain) => depositAddress(id, chain));
  }

  /** The default one, as `receiveAddr` takes it. Throws {@link RequestRefused} if none is verified. */
  withdrawalAddress({ id }: Owner, coin: string): string {
    return this.#addresses.default(id, coin);
  }

  /** Allows withdrawals to an address. Throws {@link RequestRefused}. */
  verifyAddress({ id }: Owner, address: Parameters<AddressBook['verify']>[1]): void {
    this.#addresses.verify(id, address);
    this.#store.commitSoon();
  }

  /** What a user does on the exchange's website before getUserAddress gives an address. */
  obtainAddress({ id }: Owner, coin: string): void {
    this.#addresses.obtain(id, coin);
    this.#store.commitSoon();
  }

  deposits({ id }: Owner, coin: string, page: number, size: number): Page<DepositRecord> {
    const list = this.#deposits
      .newest(`${id}/${coin}`, page, size)
      .map((deposit) => depositRecord(deposit, this.#clock.now()));
    return { list, total: this.#deposits.length(`${id}/${coin}`) };
  }

  withdrawals({ id }: Owner, coin: string, page: number, size: number): Page<WithdrawalRecord> {
    const list = this.#withdrawals.newest(`${id}/${coin}`, page, size).map(withdrawalRecord);
    return { list, total: this.#withdrawals.length(`${id}/${coin}`) };
  }

  /** Announces coins from outside. The record's id. Throws {@link RequestRefused} for a bad amount or an unknown or closed chain. */
  deposit({ id: account }: Owner, { coin, amount, chain: name, fail = false }: DepositRequest): string {
    const chain = depositChain(coin, name);
    const units = this.#units(coin, amount);
    if (units === 0n) throw new RequestRefused('badAmount', amount);
    const { id } = this.#announce({ account, chain, amount: units, fails: fail }, this.#clock.now());
    this.#store.commitSoon();
    return String(id);
  }

  /** The record's id. Throws {@link RequestRefused} with nothing moved; a wrong password counts all the same. */
  withdraw({ accessKey }: Pick<Account, 'accessKey'>, request: WithdrawRequest): string {
    const owner = this.#customers.byAccessKey(accessKey);
    if (owner === undefined) throw new RequestRefused('noUser');
    const time = this.#clock.now();
    try {
      this.#checkPassword(owner.id, owner.safePwd, request.safePwd, time);
      const checked = this.#checked(owner.id, request);
      const recipient = request.internal ? this.#ownerOf(checked.chain, checked.address) : undefined;
      const { id } = recipient === undefined ? this.#submit(checked, time) : this.#moveWithin(checked, recipient, time);
      return String(id);
    } finally {
      this.#store.commitSoon();
    }
  }

  /**
   * Ends a withdrawal before its success and gives the coins back. A confirmed one can fail but not be cancelled. Throws
   * {@link RequestRefused} if there is none, and if it is too late.
   */
  endWithdrawal({ id: account }: Owner, coin: string, text: string, state: 'failed' | 'cancelled'): void {
    if (!/^\d{1,19}$/.test(text)) throw new RequestRefused('noRecord', text.slice(0, 40));
    const [id, list] = [BigInt(text), `${account}/${coin}`];
    const place = this.#withdrawals.firstNot(list, (other) => other.id < id);
    const withdrawal = place > this.#withdrawals.length(list) ? undefined : this.#withdrawals.at(list, place);
    if (withdrawal?.id !== id) throw new RequestRefused('noRecord', text);
    const mayEnd = withdrawal.state === 'submitted' || (withdrawal.state === 'confirmed' && state === 'failed');
    if (!mayEnd) throw new RequestRefused('general', 'too late');
    this.#scheduler.remove(
      (task) => task.kind === 'withdrawal' && task.account === account && task.coin === coin && task.place === place,
    );
    this.#change(place, withdrawal, { state }, this.#clock.now());
    this.#ledger.move(coin, withdrawal.amount, available(withdrawing(account)), available(account));
    this.#bills.post(account, coin, withdrawal.amount, 'withdrawalReturned', text);
    this.#bills.write(this.#clock.now());
    this.#store.commitSoon();
  }

  /** Records coins that were seen on a chain (default: with a made-up hash). Nothing moves yet. */
  #announce(
    arrival: Pick<AccountDeposit, 'account' | 'amount' | 'fails'> & { chain: ChainRules; hash?: string },
    time: number,
  ): AccountDeposit {
    const { account, chain, amount, fails } = arrival;
    const { coin, confirmations } = chain;
    const id = this.#sequences.order(time);
    const address = addressText(depositAddress(account, chain));
    const hash = arrival.hash ?? transactionHash(`deposit ${id}`);
    const names = { id, account, coin, chain: chain.chain, address, amount } as const;
    const deposit = { ...names, internal: false, fails, hash, time, state: 'waiting' } as const;
    const place = this.#deposits.append(`${account}/${coin}`, deposit);
    this.#scheduler.add({ kind: 'deposit', account, coin, place }, time + confirmations * CONFIRMATION_EVERY);
    return deposit;
  }

  /** Credits a deposit after its last confirmation, or lets it fail. */
  #completeDeposit({ account, coin, place }: FundsTask, time: number): void {
    const deposit = this.#deposits.at(`${account}/${coin}`, place);
    const { id, amount, fails } = deposit;
    this.#deposits.put(`${account}/${coin}`, place, { ...deposit, state: fails ? 'failed' : 'success' });
    if (fails) return;
    this.#ledger.credit(account, coin, amount);
    this.#bills.post(account, coin, amount, 'deposit', String(id));
    this.#bills.write(time);
  }

  /** Throws {@link RequestRefused} if the text is not an amount of the coin. */
  #units(coin: string, amount: string): bigint {
    return coinUnits(this.#coins().get(coin) ?? coinRules(coin), amount);
  }

  #checked(account: string, request: WithdrawRequest): CheckedWithdrawal {
    const { coin } = request;
    const { text, chain } = this.#addresses.find(account, coin, request.address);
    const [amount, fee] = [this.#units(coin, request.amount), this.#units(coin, request.fee)];
    const limit = (value: string) => unitsOf(value, UNIT_DECIMALS);
    if (fee < limit(chain.fee)) throw new RequestRefused('feeTooLow', chain.fee);
    if (amount <= fee) throw new RequestRefused('withinFee', request.fee);
    if (amount < limit(chain.minWithdrawal)) throw new RequestRefused('belowMinWithdrawal', chain.minWithdrawal);
    if (amount > limit(chain.maxWithdrawal)) throw new RequestRefused('aboveMaxWithdrawal', chain.maxWithdrawal);
    return { account, chain, amount, fee, address: text };
  }

  /** Over a chain, step by step: the coins are billed when they are taken, and again if they come back. */
  #submit(checked: CheckedWithdrawal, time: number): AccountWithdrawal {
    const { account, chain, amount, fee } = checked;
    const { coin } = chain;
    if (!chain.canWithdraw) throw new RequestRefused('notOpen', `withdrawals on ${chain.chain}`);
    const withdrawal = this.#record(checked, 'submitted', time);
    this.#ledger.move(coin, amount, available(account), available(withdrawing(account)));
    this.#bills.post(account, coin, fee - amount, 'withdrawal', String(withdrawal.id));
    this.#bills.post(account, coin, -fee, 'withdrawalFee', String(withdrawal.id));
    this.#bills.write(time);
    const place = this.#withdrawals.length(`${account}/${coin}`);
    this.#scheduler.add({ kind: 'withdrawal', account, coin, place }, time + CONFIRMED_AFTER);
    return withdrawal;
  }

  /** To another account of the exchange, at once. */
  #moveWithin(checked: CheckedWithdrawal, recipient: string, time: number): AccountWithdrawal {
    const { account, chain, amount, fee } = checked;
    const { coin } = chain;
    const withdrawal = this.#record(checked, 'success', time);
    const remark = String(withdrawal.id);
    this.#ledger.move(coin, fee, available(account), available(FEES));
    this.#bills.post(account, coin, -fee, 'withdrawalFee', remark);
    this.#ledger.move(coin, amount - fee, available(account), available(recipient));
    this.#bills.post(account, coin, fee - amount, 'transferOut', remark);
    this.#bills.post(recipient, coin, amount - fee, 'transferIn', remark);
    this.#bills.write(time);
    const address = addressText(depositAddress(recipient, chain));
    const names = {
      id: this.#sequences.order(time),
      account: recipient,
      coin,
      chain: chain.chain,
      address,
    } as const;
    const done = { internal: true, fails: false, hash: '', state: 'success' } as const;
    this.#deposits.append(`${recipient}/${coin}`, { ...names, amount: amount - fee, time, ...done });
    return withdrawal;
  }

  /** Submitted becomes confirmed, confirmed becomes success. */
  #proceed(task: FundsTask, time: number): void {
    const withdrawal = this.#withdrawals.at(`${task.account}/${task.coin}`, task.place);
    if (withdrawal.state === 'submitted') {
      this.#scheduler.add(task, time + DONE_AFTER);
      const hash = transactionHash(`withdrawal ${withdrawal.id}`);
      this.#change(task.place, withdrawal, { state: 'confirmed', hash }, time);
    } else this.#arrive(task.place, withdrawal, time);
  }

  /** What left over a chain to an address of this exchange comes back in as a deposit. */
  #arrive(place: number, withdrawal: AccountWithdrawal, time: number): void {
    const { account, coin, chain: name, amount, fee, address, hash } = withdrawal;
    this.#ledger.move(coin, amount - fee, available(withdrawing(account)), available(OUTSIDE));
    this.#ledger.move(coin, fee, available(withdrawing(account)), available(FEES));
    this.#change(place, withdrawal, { state: 'success' }, time);
    const chain = chainsOf(coin).find((candidate) => candidate.chain === name);
    const recipient = chain === undefined ? undefined : this.#ownerOf(chain, address);
    if (chain === undefined || recipient === undefined) return;
    this.#announce({ account: recipient, chain, amount: amount - fee, fails: false, hash }, time);
  }

  /** Throws {@link RequestRefused}, with nothing changed, if the balance is too small. */
  #record(checked: CheckedWithdrawal, state: AccountWithdrawal['state'], time: number): AccountWithdrawal {
    const { account, chain, amount, fee, address } = checked;
    const { coin } = chain;
    if (this.#ledger.available(account, coin) < amount) throw new RequestRefused('insufficientBalance', coin);
    const names = { id: this.#sequences.order(time), account, coin, chain: chain.chain };
    const withdrawal = { ...names, amount, fee, address, submitted: time, managed: time, state, hash: '' };
    this.#withdrawals.append(`${account}/${coin}`, withdrawal);
    return withdrawal;
  }

  #change(place: number, old: AccountWithdrawal, changes: Partial<AccountWithdrawal>, time: number): void {
    this.#withdrawals.put(`${old.account}/${old.coin}`, place, { ...old, ...changes, managed: time });
  }

  /** The customer who receives at an address. */
  #ownerOf(chain: ChainRules, text: string): string | undefined {
    return this.#customers.all().find(({ id }) => addressText(depositAddress(id, chain)) === text)?.id;
  }

  /** Throws {@link RequestRefused} 1005 for a wrong one, which counts, and 1004 for any while the account's is locked. */
  #checkPassword(account: string, expected: string, given: string, now: number): void {
    const { wrong, lockedUntil } = this.#attempts.get(account) ?? { wrong: 0, lockedUntil: 0 };
    if (now < lockedUntil)
      throw new RequestRefused('fundPasswordLocked', `until ${new Date(lockedUntil).toISOString()}`);
    if (given === expected) {
      this.#attempts.delete(account);
      return;
    }
    const isLast = wrong + 1 >= WRONG_PASSWORDS;
    this.#attempts.set(
      account,
      isLast ? { wrong: 0, lockedUntil: now + PASSWORD_LOCK } : { wrong: wrong + 1, lockedUntil: 0 },
    );
    throw new RequestRefused('badFundPassword');
  }
}

function depositChain(coin: string, name: string | undefined): ChainRules {
  const found = name === undefined ? chainsOf(coin).find(({ canDeposit }) => canDeposit) : chainNamed(coin, name);
  if (found === undefined) throw new RequestRefused('badParameter', `${coin} has no such chain`);
  if (!found.canDeposit) throw new RequestRefused('notOpen', `deposits on ${found.chain}`);
  return found;
}

function available(account: string) {
  return { account, part: 'available' } as const;
}
