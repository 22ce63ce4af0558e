import type { AccountType } from '../../domain/order.js';
import type { Market } from '../markets/market.js';
import type { Codec, Table } from '../store/table.js';

/** What a key may do, as the interface's getAccountInfo reports it. */
export interface Permissions {
  readonly asset: boolean;
  readonly lever: boolean;
  readonly entrust: boolean;
  readonly money: boolean;
}

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly permissions: Permissions;
}

export interface Secrets {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly username: string;
}

/** An account with its fund password. */
export interface Customer extends Account {
  readonly safePwd: string;
}

/** Thrown if an account of this name exists. */
export class UsernameTaken extends Error {
  override readonly name = 'UsernameTaken';
}

export const FIRST_ACCOUNT = '1';

/** What the first account owns: every coin of the markets. */
export const INITIAL_BALANCES: Readonly<Record<string, string>> = {
  btc: '5',
  eth: '60',
  bch: '200',
  ltc: '500',
  eos: '20000',
  xrp: '50000',
  usdt: '250000',
};

export const customerCodec: Codec<Customer> = {
  encode: ({ username, accessKey, secretKey, safePwd, permissions: { asset, lever, entrust, money } }) => [
    ...[username, accessKey, secretKey, safePwd],
    ...[asset, lever, entrust, money].map(Number),
  ],
  decode: (row, id) => {
    const [username, accessKey, secretKey, safePwd, asset, lever, entrust, money] = row as StoredCustomer;
    const permissions = { asset: asset === 1, lever: lever === 1, entrust: entrust === 1, money: money === 1 };
    return { id, username, accessKey, secretKey, safePwd, permissions };
  },
};

type StoredCustomer = [string, string, string, string, number, number, number, number];

/** The customers. There are few, all in memory. */
export class Customers {
  private readonly byKey = new Map<string, Customer>();

  constructor(private readonly table: Table<Customer>) {
    for (const customer of table.range({ start: '', end: '\u{7f}' })) this.byKey.set(customer.accessKey, customer);
  }

  get count(): number {
    return this.byKey.size;
  }

  ids(): string[] {
    return [...this.byKey.values()].map(({ id }) => id);
  }

  /** Oldest first. */
  all(): readonly Customer[] {
    return [...this.byKey.values()].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  }

  byAccessKey(accessKey: string): Customer | undefined {
    return this.byKey.get(accessKey);
  }

  /** The account that a sandbox starts with. Throws RangeError before it is made. */
  firstAccount(): Customer {
    const first = this.table.get(FIRST_ACCOUNT);
    if (first === undefined) throw new RangeError('the exchange has no first account');
    return first;
  }

  add(customer: Customer): void {
    this.table.put(customer.id, customer);
    this.byKey.set(customer.accessKey, customer);
  }

  /** The name and permissions stay. */
  replaceKeysOfFirst({ accessKey, secretKey, safePwd }: Secrets): void {
    const first = this.firstAccount();
    this.byKey.delete(first.accessKey);
    this.add({ ...first, accessKey, secretKey, safePwd });
  }

  /** Makes the first account, with all permissions. */
  createFirst(secrets: Secrets): void {
    const permissions = { asset: true, lever: true, entrust: true, money: true };
    this.add({ id: FIRST_ACCOUNT, permissions, ...secrets });
  }
}

/** Simulated traders that quote. */
export const MAKERS = ['maker-1', 'maker-2', 'maker-3'] as const;
/** Simulated traders that trade against quotes. */
export const TAKERS = ['taker-1', 'taker-2'] as const;

const SIMULATED: ReadonlySet<string> = new Set([...MAKERS, ...TAKERS]);

/** Whether an account is a simulated trader's. These have no bills and no order history. */
export function isSimulated(account: string): boolean {
  return SIMULATED.has(account);
}

/** Spot and margin wallets of an account. Each has its own ledger account. */
export interface Wallet {
  readonly kind: AccountType;
  /** The ledger account; for the spot wallet the account's id. */
  readonly name: string;
  /** The market of an isolated wallet; for the others the one being traded. */
  readonly market: Market;
}

/** The wallet that trades a market. There is one isolated wallet for each market, and one cross wallet for all. */
export function walletOf(account: string, kind: AccountType, market: Market): Wallet {
  return { kind, name: walletName(account, kind, market.name), market };
}

export function walletName(account: string, kind: AccountType, market: string): string {
  if (kind === 'spot') return account;
  return kind === 'cross' ? crossWallet(account) : `${account}~${market}`;
}

export function crossWallet(account: string): string {
  return `${account}~cross`;
}
