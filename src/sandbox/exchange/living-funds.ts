import type { BillQuery } from '../desk/bills.js';
import { type ChainAddress, depositAddress } from '../funds/addresses.js';
import { confirmationsOf, type Deposit } from '../funds/deposits.js';
import type { BillRecord, DepositRecord, Funds, FundsOwner, Page, WithdrawalRecord } from '../funds/funds.js';
import type { WithdrawRequest } from '../funds/treasury.js';
import type { Withdrawal } from '../funds/withdrawals.js';
import { type ChainRules, chainsOf } from '../markets/chains.js';
import { coinText } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { ExchangeState } from './house.js';

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
