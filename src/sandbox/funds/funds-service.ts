import type { BillKind, BillQuery } from '../accounts/bills.js';
import type { ExchangeState } from '../exchange/exchange-state.js';
import { type ChainRules, chainsOf, coinRules } from '../markets/coins.js';
import { coinText, coinUnits, unitsOf } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { FUNDS } from '../server/choices.js';
import type { Store } from '../store/store.js';
import type { Codec, Table } from '../store/table.js';
import { AddressBook, addressText, type ChainAddress, depositAddress, markCodec, verifiedCodec } from './addresses.js';
import { type FundsContext, readTask } from './context.js';
import { confirmationsOf, type Deposit, type DepositStatus, Deposits, depositCodec } from './deposits.js';
import { Scheduler, timeCodec } from './scheduler.js';
import {
  type CheckedWithdrawal,
  type Withdrawal,
  type WithdrawalStatus,
  Withdrawals,
  withdrawalCodec,
} from './withdrawals.js';

/** A bill as its owner sees it. Amounts are decimal texts with all of the coin's decimals, times ms since the Unix epoch. */
export interface BillRecord {
  readonly id: string;
  readonly coin: string;
  /** Below zero where coins went away. */
  readonly change: string;
  /** Available and frozen together, after the change; what is on its way out is not among it. */
  readonly balance: string;
  readonly time: number;
  readonly kind: BillKind;
  readonly remark: string;
}

export interface DepositRecord {
  readonly id: string;
  readonly coin: string;
  readonly address: string;
  readonly amount: string;
  readonly confirmations: number;
  readonly internal: boolean;
  /** Empty where no chain was needed. */
  readonly hash: string;
  readonly status: DepositStatus;
  readonly time: number;
}

export interface WithdrawalRecord {
  readonly id: string;
  /** With the fee in it. */
  readonly amount: string;
  readonly fee: string;
  readonly status: WithdrawalStatus;
  readonly submitted: number;
  /** When the status changed last. */
  readonly managed: number;
  readonly address: string;
  readonly orderNumber: string;
  /** Empty until the transaction is on the chain. */
  readonly hash: string;
}

export interface Page<Entry> {
  /** Newest first. */
  readonly list: readonly Entry[];
  /** On all pages together. */
  readonly total: number;
}

/** Whose funds. */
export interface FundsOwner {
  readonly id: string;
  readonly accessKey: string;
}

/** An account's coming and going coins, as the interface lets it see and move them. Coins must exist. */
export interface Funds {
  /** The chains of a coin, the usual one first. */
  chains(coin: string): readonly ChainRules[];
  /** Newest first; pages count from 1. */
  bills(account: FundsOwner, query: BillQuery): BillRecord[];
  /** The address of a coin with one chain. Throws Refusal when it has several, or the address was not obtained. */
  depositAddress(account: FundsOwner, coin: string): ChainAddress;
  /** One for each chain, closed ones included. */
  depositAddresses(account: FundsOwner, coin: string): ChainAddress[];
  /** The default one, as `receiveAddr` takes it. Throws Refusal when none is verified. */
  withdrawalAddress(account: FundsOwner, coin: string): string;
  deposits(account: FundsOwner, coin: string, page: number, size: number): Page<DepositRecord>;
  withdrawals(account: FundsOwner, coin: string, page: number, size: number): Page<WithdrawalRecord>;
  /** The record's id. Throws Refusal with nothing moved. */
  withdraw(account: FundsOwner, request: WithdrawRequest): string;
}

/** Coins that come from outside. Amounts are decimal texts in the coin. */
export interface DepositRequest {
  readonly coin: string;
  readonly amount: string;
  /** The first chain of the coin that is open for deposits when it is not given. */
  readonly chain?: string | undefined;
  /** Lets it fail after its last confirmation but one. */
  readonly fail?: boolean | undefined;
}

/** A withdrawal as it is asked for; the fee is part of the amount. */
export interface WithdrawRequest {
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  /** Whether it may be moved within the exchange. */
  readonly internal: boolean;
  readonly address: string;
  readonly safePwd: string;
}

/** Who withdraws. */
interface Owner {
  readonly id: string;
  readonly safePwd: string;
}

/** How coins come and go. Each call leaves ledger, bills, records and agenda consistent. */
export class Treasury {
  readonly addresses: AddressBook;
  readonly deposits: Deposits;
  readonly withdrawals: Withdrawals;
  private readonly scheduler: Scheduler;
  private readonly passwords: FundPasswords;

  /** `accounts` gives the ids of all customers. */
  constructor(
    store: Store,
    private readonly context: Omit<FundsContext, 'scheduler'>,
    private readonly accounts: () => Iterable<string>,
  ) {
    this.scheduler = new Scheduler(store.table('agenda', timeCodec));
    const whole = { ...context, scheduler: this.scheduler };
    this.addresses = new AddressBook({
      verified: store.table('verified', verifiedCodec),
      obtained: store.table('obtained', markCodec),
    });
    this.deposits = new Deposits(store.lists('deposits', depositCodec), whole);
    this.withdrawals = new Withdrawals(store.lists('withdrawals', withdrawalCodec), whole);
    this.passwords = new FundPasswords(store.table('fundPasswords', attemptsCodec));
  }

  /** Gives a new account its first balances, in decimal texts. */
  open(account: string, amounts: Readonly<Record<string, string>>, time: number): void {
    const { ledger, bills } = this.context;
    for (const [coin, amount] of Object.entries(amounts)) {
      ledger.credit(account, coin, coinUnits(coin, amount));
      bills.post(account, coin, coinUnits(coin, amount), 'opening');
    }
    bills.write(time);
  }

  /** When the next deposit or withdrawal changes its state: ms since the Unix epoch, infinity when none is under way. */
  get next(): number {
    return this.scheduler.next;
  }

  /** Lets happen what is due by `time`. */
  advance(time: number): void {
    for (let due = this.scheduler.take(time); due !== undefined; due = this.scheduler.take(time)) {
      const task = readTask(due.key);
      if (task.kind === 'deposit') this.deposits.conclude(task, due.time);
      else this.arrive(this.withdrawals.proceed(task, due.time), due.time);
    }
  }

  /** Announces coins from outside. Throws {@link Refusal} for a bad amount, and an unknown or closed chain. */
  deposit(account: string, { coin, amount, chain: name, fail }: DepositRequest, time: number): Deposit {
    const chain = depositChain(coin, name);
    const units = coinUnits(coin, amount);
    if (units === 0n) throw new Refusal('badAmount', amount);
    return this.deposits.announce({ account, chain, amount: units, fails: fail }, time);
  }

  /** Throws {@link Refusal} with nothing moved; a wrong password is counted all the same. */
  withdraw(owner: Owner, request: WithdrawRequest, time: number): Withdrawal {
    this.passwords.check(owner.id, owner.safePwd, request.safePwd, time);
    const checked = this.checked(owner.id, request);
    const recipient = request.internal ? this.ownerOf(checked.chain, checked.address) : undefined;
    if (recipient === undefined) {
      if (!checked.chain.canWithdraw) throw new Refusal('notOpen', `withdrawals on ${checked.chain.chain}`);
      return this.withdrawals.submit(checked, time);
    }
    const withdrawal = this.withdrawals.transfer(checked, recipient, time);
    const { chain, amount, fee } = checked;
    this.deposits.noteInternal({ account: recipient, chain, amount: amount - fee }, time);
    return withdrawal;
  }

  private checked(
    account: string,
    { coin, amount: wanted, fee: offered, address }: WithdrawRequest,
  ): CheckedWithdrawal {
    const { text, chain } = this.addresses.find(account, coin, address);
    const [amount, fee] = [coinUnits(coin, wanted), coinUnits(coin, offered)];
    const limit = (value: string) => unitsOf(value, coinRules(coin).unitDecimal);
    if (fee < limit(chain.fee)) throw new Refusal('feeTooLow', chain.fee);
    if (amount <= fee) throw new Refusal('withinFee', offered);
    if (amount < limit(chain.minWithdrawal)) throw new Refusal('belowMinWithdrawal', chain.minWithdrawal);
    if (amount > limit(chain.maxWithdrawal)) throw new Refusal('aboveMaxWithdrawal', chain.maxWithdrawal);
    return { account, chain, amount, fee, address: text };
  }

  /** What left over a chain to an address of this exchange comes back in as a deposit. */
  private arrive({ status, coin, chain, address, amount, fee, hash }: Withdrawal, time: number): void {
    if (status !== 2) return;
    const rules = chainsOf(coin).find((known) => known.chain === chain);
    const recipient = rules === undefined ? undefined : this.ownerOf(rules, address);
    if (rules === undefined || recipient === undefined) return;
    this.deposits.announce({ account: recipient, chain: rules, amount: amount - fee, hash }, time);
  }

  /** The customer who receives at an address. */
  private ownerOf(chain: ChainRules, text: string): string | undefined {
    for (const account of this.accounts()) {
      if (addressText(depositAddress(account, chain)) === text) return account;
    }
    return undefined;
  }
}

function depositChain(coin: string, name: string | undefined): ChainRules {
  const chains = chainsOf(coin);
  const found = chains.find(({ chain, canDeposit }) => (name === undefined ? canDeposit : chain === name));
  if (found === undefined) throw new Refusal('badParameter', `${coin} has no such chain`);
  if (!found.canDeposit) throw new Refusal('notOpen', `deposits on ${found.chain}`);
  return found;
}

/** Funds as their owners see them: decimal text outside, units inside. */
export class FundsService implements Funds {
  /** `changed` is called after something was moved or counted. */
  constructor(
    private readonly state: ExchangeState,
    private readonly now: () => number,
    private readonly changed: () => void,
  ) {}

  chains(coin: string): readonly ChainRules[] {
    return chainsOf(coin);
  }

  bills({ id }: FundsOwner, query: BillQuery): BillRecord[] {
    return this.state.bills.page(id, query).map((bill) => ({
      id: String(bill.id),
      coin: bill.coin,
      change: coinText(bill.coin, bill.change),
      balance: coinText(bill.coin, bill.balance),
      time: bill.time,
      kind: bill.kind,
      remark: bill.remark,
    }));
  }

  depositAddress({ id }: FundsOwner, coin: string): ChainAddress {
    return this.state.treasury.addresses.single(id, coin);
  }

  depositAddresses({ id }: FundsOwner, coin: string): ChainAddress[] {
    return chainsOf(coin).map((chain) => depositAddress(id, chain));
  }

  withdrawalAddress({ id }: FundsOwner, coin: string): string {
    return this.state.treasury.addresses.default(id, coin);
  }

  deposits({ id }: FundsOwner, coin: string, page: number, size: number): Page<DepositRecord> {
    const { list, total } = this.state.treasury.deposits.page(id, coin, page, size);
    return { list: list.map((deposit) => depositRecord(deposit, this.now())), total };
  }

  withdrawals({ id }: FundsOwner, coin: string, page: number, size: number): Page<WithdrawalRecord> {
    const { list, total } = this.state.treasury.withdrawals.page(id, coin, page, size);
    return { list: list.map(withdrawalRecord), total };
  }

  withdraw({ accessKey }: FundsOwner, request: WithdrawRequest): string {
    const owner = this.state.customers.byAccessKey(accessKey);
    if (owner === undefined) throw new Refusal('noUser');
    try {
      return String(this.state.treasury.withdraw(owner, request, this.now()).id);
    } finally {
      this.changed();
    }
  }
}

function depositRecord(deposit: Deposit, now: number): DepositRecord {
  const { id, coin, address, amount, internal, hash, status, time } = deposit;
  const confirmations = confirmationsOf(deposit, now);
  return { id: String(id), coin, address, amount: coinText(coin, amount), confirmations, internal, hash, status, time };
}

function withdrawalRecord(withdrawal: Withdrawal): WithdrawalRecord {
  const { id, coin, amount, fee, status, submitted, managed, address, hash } = withdrawal;
  const texts = { amount: coinText(coin, amount), fee: coinText(coin, fee) };
  return { id: String(id), ...texts, status, submitted, managed, address, orderNumber: `W${id}`, hash };
}

/** Wrong fund passwords in a row, and until when none is looked at any more. */
interface Attempts {
  readonly wrong: number;
  /** ms since the Unix epoch. */
  readonly lockedUntil: number;
}

export const attemptsCodec: Codec<Attempts> = {
  encode: ({ wrong, lockedUntil }) => [wrong, lockedUntil],
  decode: (row) => {
    const [wrong, lockedUntil] = row as [number, number];
    return { wrong, lockedUntil };
  },
};

/** Compares fund passwords, and locks an account's after too many wrong ones. */
export class FundPasswords {
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
