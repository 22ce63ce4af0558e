import type { Customers } from '../accounts/accounts.js';
import { type BillQuery, type BillRecord, billRecord } from '../accounts/bills.js';
import { type ChainRules, chainNamed, chainsOf, coinRules } from '../markets/coins.js';
import { coinUnits, unitsOf } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { Scheduler, timeCodec } from '../scheduler.js';
import type { Store } from '../store/store.js';
import type { Codec, Table } from '../store/table.js';
import {
  AddressBook,
  addressText,
  type ChainAddress,
  depositAddress,
  markCodec,
  type NewAddress,
  verifiedCodec,
} from './addresses.js';
import { FUNDS, type FundsContext, readTask } from './context.js';
import { type DepositRecord, Deposits, depositCodec } from './deposits.js';
import {
  type CheckedWithdrawal,
  type Withdrawal,
  type WithdrawalRecord,
  Withdrawals,
  withdrawalCodec,
} from './withdrawals.js';

export interface Page<Entry> {
  /** Newest first. */
  readonly list: readonly Entry[];
  /** On all pages together. */
  readonly total: number;
}

/** The account whose funds they are. */
interface Owner {
  readonly id: string;
}

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

interface FundsOptions extends Omit<FundsContext, 'scheduler'> {
  readonly customers: Customers;
  readonly now: () => number;
  /** Called after something was moved or counted. */
  readonly changed: () => void;
}

/**
 * The coins of accounts: bills, addresses, deposits and withdrawals. Each call leaves ledger, bills, records and scheduler
 * consistent. Coins must exist; amounts are decimal text, pages count from 1.
 */
export class FundsService {
  private readonly addresses: AddressBook;
  private readonly depositBook: Deposits;
  private readonly withdrawalBook: Withdrawals;
  private readonly scheduler: Scheduler;
  private readonly passwords: FundPasswords;

  constructor(
    store: Store,
    private readonly options: FundsOptions,
  ) {
    this.scheduler = new Scheduler(store.table('agenda', timeCodec));
    const context = { ...options, scheduler: this.scheduler };
    this.addresses = new AddressBook({
      verified: store.table('verified', verifiedCodec),
      obtained: store.table('obtained', markCodec),
    });
    this.depositBook = new Deposits(store.lists('deposits', depositCodec), context);
    this.withdrawalBook = new Withdrawals(store.lists('withdrawals', withdrawalCodec), context);
    this.passwords = new FundPasswords(store.table('fundPasswords', attemptsCodec));
  }

  /** The first balances of an account. */
  seedBalances(account: string, amounts: Readonly<Record<string, string>>, time: number): void {
    const { ledger, bills } = this.options;
    for (const [coin, amount] of Object.entries(amounts)) {
      ledger.credit(account, coin, coinUnits(coin, amount));
      bills.post(account, coin, coinUnits(coin, amount), 'opening');
    }
    bills.write(time);
  }

  /** What an account needs at first: a deposit address for each coin, and a verified withdrawal address on each chain. */
  seedAddresses(account: string, coins: Iterable<string>): void {
    this.addresses.seed(account, coins);
  }

  /** When the next deposit or withdrawal changes its state: ms since the Unix epoch, infinity if none is pending. */
  get next(): number {
    return this.scheduler.next;
  }

  /** Lets everything happen that is due by `time`. */
  advance(time: number): void {
    for (let due = this.scheduler.take(time); due !== undefined; due = this.scheduler.take(time)) {
      const task = readTask(due.key);
      if (task.kind === 'deposit') this.depositBook.complete(task, due.time);
      else this.arrive(this.withdrawalBook.proceed(task, due.time), due.time);
    }
  }

  /** The chains of a coin, the usual one first. */
  chains(coin: string): readonly ChainRules[] {
    return chainsOf(coin);
  }

  /** Newest first. */
  bills({ id }: Owner, query: BillQuery): BillRecord[] {
    return this.options.bills.page(id, query).map(billRecord);
  }

  /** The address of a coin with one chain. Throws {@link Refusal} if it has several, or the address was not obtained. */
  depositAddress({ id }: Owner, coin: string): ChainAddress {
    return this.addresses.single(id, coin);
  }

  /** One for each chain, closed ones included. */
  depositAddresses({ id }: Owner, coin: string): ChainAddress[] {
    return chainsOf(coin).map((chain) => depositAddress(id, chain));
  }

  /** The default one, as `receiveAddr` takes it. Throws {@link Refusal} if none is verified. */
  withdrawalAddress({ id }: Owner, coin: string): string {
    return this.addresses.default(id, coin);
  }

  /** Allows withdrawals to an address. Throws {@link Refusal}. */
  verifyAddress({ id }: Owner, address: NewAddress): void {
    this.addresses.verify(id, address);
    this.options.changed();
  }

  /** What a user does on the exchange's website before getUserAddress gives an address. */
  obtainAddress({ id }: Owner, coin: string): void {
    this.addresses.obtain(id, coin);
    this.options.changed();
  }

  deposits({ id }: Owner, coin: string, page: number, size: number): Page<DepositRecord> {
    return this.depositBook.page(id, coin, page, size, this.options.now());
  }

  withdrawals({ id }: Owner, coin: string, page: number, size: number): Page<WithdrawalRecord> {
    return this.withdrawalBook.page(id, coin, page, size);
  }

  /** Announces coins from outside. The record's id. Throws {@link Refusal} for a bad amount or an unknown or closed chain. */
  deposit({ id: account }: Owner, { coin, amount, chain: name, fail }: DepositRequest): string {
    const chain = depositChain(coin, name);
    const units = coinUnits(coin, amount);
    if (units === 0n) throw new Refusal('badAmount', amount);
    const { id } = this.depositBook.announce({ account, chain, amount: units, fails: fail }, this.options.now());
    this.options.changed();
    return String(id);
  }

  /** The record's id. Throws {@link Refusal} with nothing moved; a wrong password counts all the same. */
  withdraw({ accessKey }: { readonly accessKey: string }, request: WithdrawRequest): string {
    const owner = this.options.customers.byAccessKey(accessKey);
    if (owner === undefined) throw new Refusal('noUser');
    const time = this.options.now();
    try {
      this.passwords.check(owner.id, owner.safePwd, request.safePwd, time);
      const checked = this.checked(owner.id, request);
      const recipient = request.internal ? this.ownerOf(checked.chain, checked.address) : undefined;
      const { id } = recipient === undefined ? this.submit(checked, time) : this.transfer(checked, recipient, time);
      return String(id);
    } finally {
      this.options.changed();
    }
  }

  /**
   * Ends a withdrawal before its success and gives the coins back. A confirmed one can fail but not be cancelled. Throws
   * {@link Refusal}.
   */
  endWithdrawal({ id: account }: Owner, coin: string, id: string, end: 'failed' | 'cancelled'): void {
    if (!/^\d{1,19}$/.test(id)) throw new Refusal('noRecord', id.slice(0, 40));
    this.withdrawalBook.end(account, coin, BigInt(id), end, this.options.now());
    this.options.changed();
  }

  private checked(account: string, request: WithdrawRequest): CheckedWithdrawal {
    const { coin } = request;
    const { text, chain } = this.addresses.find(account, coin, request.address);
    const [amount, fee] = [coinUnits(coin, request.amount), coinUnits(coin, request.fee)];
    const limit = (value: string) => unitsOf(value, coinRules(coin).unitDecimal);
    if (fee < limit(chain.fee)) throw new Refusal('feeTooLow', chain.fee);
    if (amount <= fee) throw new Refusal('withinFee', request.fee);
    if (amount < limit(chain.minWithdrawal)) throw new Refusal('belowMinWithdrawal', chain.minWithdrawal);
    if (amount > limit(chain.maxWithdrawal)) throw new Refusal('aboveMaxWithdrawal', chain.maxWithdrawal);
    return { account, chain, amount, fee, address: text };
  }

  private submit(checked: CheckedWithdrawal, time: number): Withdrawal {
    const { chain, canWithdraw } = checked.chain;
    if (!canWithdraw) throw new Refusal('notOpen', `withdrawals on ${chain}`);
    return this.withdrawalBook.submit(checked, time);
  }

  /** To another account of the exchange, at once. */
  private transfer(checked: CheckedWithdrawal, recipient: string, time: number): Withdrawal {
    const withdrawal = this.withdrawalBook.transfer(checked, recipient, time);
    const { chain, amount, fee } = checked;
    this.depositBook.addInternal({ account: recipient, chain, amount: amount - fee }, time);
    return withdrawal;
  }

  /** What left over a chain to an address of this exchange comes back in as a deposit. */
  private arrive({ state, coin, chain, address, amount, fee, hash }: Withdrawal, time: number): void {
    if (state !== 'success') return;
    const rules = chainsOf(coin).find((candidate) => candidate.chain === chain);
    const recipient = rules === undefined ? undefined : this.ownerOf(rules, address);
    if (rules === undefined || recipient === undefined) return;
    this.depositBook.announce({ account: recipient, chain: rules, amount: amount - fee, hash }, time);
  }

  /** The customer who receives at an address. */
  private ownerOf(chain: ChainRules, text: string): string | undefined {
    return this.options.customers.ids().find((account) => addressText(depositAddress(account, chain)) === text);
  }
}

function depositChain(coin: string, name: string | undefined): ChainRules {
  const found = name === undefined ? chainsOf(coin).find(({ canDeposit }) => canDeposit) : chainNamed(coin, name);
  if (found === undefined) throw new Refusal('badParameter', `${coin} has no such chain`);
  if (!found.canDeposit) throw new Refusal('notOpen', `deposits on ${found.chain}`);
  return found;
}

/** Wrong fund passwords in a row, and until when all are refused. */
interface Attempts {
  readonly wrong: number;
  /** ms since the Unix epoch. */
  readonly lockedUntil: number;
}

const attemptsCodec: Codec<Attempts> = {
  encode: ({ wrong, lockedUntil }) => [wrong, lockedUntil],
  decode: (row) => {
    const [wrong, lockedUntil] = row as [number, number];
    return { wrong, lockedUntil };
  },
};

/** Compares fund passwords, and locks an account's after too many wrong ones. */
class FundPasswords {
  constructor(private readonly table: Table<Attempts>) {}

  /** Throws {@link Refusal} 1005 for a wrong one, which counts, and 1004 for any while the account's is locked. */
  check(account: string, expected: string, given: string, now: number): void {
    const { wrong, lockedUntil } = this.table.get(account) ?? { wrong: 0, lockedUntil: 0 };
    if (now < lockedUntil) throw new Refusal('fundPasswordLocked', `until ${new Date(lockedUntil).toISOString()}`);
    if (given === expected) {
      if (wrong > 0) this.table.delete(account);
      return;
    }
    const isLast = wrong + 1 >= FUNDS.wrongPasswords;
    this.table.put(
      account,
      isLast ? { wrong: 0, lockedUntil: now + FUNDS.passwordLock } : { wrong: wrong + 1, lockedUntil: 0 },
    );
    throw new Refusal('badFundPassword');
  }
}
