import type { BillBook } from '../accounts/bills.js';
import type { Ledger } from '../accounts/ledger.js';
import type { Sequences } from '../orders/sequences.js';
import type { Scheduler } from './scheduler.js';

/** What every movement of funds needs: where it is booked, billed, numbered, and what is still to come. */
export interface FundsContext {
  readonly ledger: Ledger;
  readonly bills: BillBook;
  readonly sequences: Sequences;
  readonly scheduler: Scheduler;
}

/** A record under way, as the agenda names it. */
export interface Reference {
  readonly kind: 'deposit' | 'withdrawal';
  readonly account: string;
  readonly coin: string;
  readonly place: number;
}

export function taskKey({ kind, account, coin, place }: Reference): string {
  return `${kind}/${account}/${coin}/${place}`;
}

export function readTask(key: string): Reference {
  const [kind, account = '', coin = '', place] = key.split('/');
  return { kind: kind === 'deposit' ? 'deposit' : 'withdrawal', account, coin, place: Number(place) };
}

/** The list that holds an account's deposits or withdrawals of a coin. */
export function listOf({ account, coin }: { readonly account: string; readonly coin: string }): string {
  return `${account}/${coin}`;
}
