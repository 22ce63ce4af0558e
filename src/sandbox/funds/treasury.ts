import { type ChainRules, chainsOf } from '../markets/chains.js';
import { coinRules } from '../markets/coins.js';
import { unitsOf } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { Store } from '../store.js';
import { AddressBook, markCodec, verifiedCodec } from './address-book.js';
import { addressText, depositAddress } from './addresses.js';
import { Scheduler, timeCodec } from './agenda.js';
import { coinUnits } from './amounts.js';
import { type Deposit, Deposits, depositCodec } from './deposits.js';
import { attemptsCodec, FundPasswords } from './fund-passwords.js';
import { type FundsContext, readTask } from './till.js';
import { type CheckedWithdrawal, type Withdrawal, Withdrawals, withdrawalCodec } from './withdrawals.js';

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
