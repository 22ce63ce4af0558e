import type { Ledger } from '../ledger.js';
import type { Codec, Table } from '../store-table.js';
import type { Sequences } from './sequences.js';
import type { BillKind } from './settlement.js';

/** One line of an account's statement; amounts in units of the coin. */
export interface Bill {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly change: bigint;
  /** Available and frozen together, after the change. */
  readonly balance: bigint;
  readonly time: number;
  readonly kind: BillKind;
}

export const billCodec: Codec<Bill> = {
  encode: ({ coin, change, balance, time, kind }) => [coin, String(change), String(balance), time, kind],
  decode: (row, key) => {
    const [account = '', id = '0'] = key.split('/');
    const [coin, change, balance, time, kind] = row as [string, string, string, number, BillKind];
    return { id: BigInt(id), account, coin, change: BigInt(change), balance: BigInt(balance), time, kind };
  },
};

/**
 * Collects what one trade changed and writes it as bills. The balance is known only after the whole trade, so it is
 * reckoned back from there: each bill shows the balance as it was after that bill.
 */
export class BillBook {
  private pending: Omit<Bill, 'id' | 'balance' | 'time'>[] = [];

  constructor(
    private readonly table: Table<Bill>,
    private readonly ledger: Ledger,
    private readonly sequences: Sequences,
  ) {}

  post(account: string, coin: string, change: bigint, kind: BillKind): void {
    if (change !== 0n) this.pending.push({ account, coin, change, kind });
  }

  write(time: number): void {
    const entries = this.pending;
    this.pending = [];
    for (const [index, entry] of entries.entries()) {
      const { account, coin } = entry;
      const later = entries.slice(index + 1).filter((other) => other.account === account && other.coin === coin);
      const now = this.ledger.available(account, coin) + this.ledger.frozen(account, coin);
      const balance = later.reduce((sum, { change }) => sum - change, now);
      const id = this.sequences.bill();
      this.table.put(`${account}/${id.toString().padStart(20, '0')}`, { ...entry, id, balance, time });
    }
  }
}
