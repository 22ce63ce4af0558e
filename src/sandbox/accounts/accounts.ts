import type { Permission } from '../../domain/account.js';
import type { AccountType } from '../../domain/order.js';
import type { SandboxMarket } from '../markets/market.js';

/** What a key may do: here, unlike at other exchanges, each permission is known. */
export type Granted = Readonly<Record<Permission, boolean>>;

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly permissions: Granted;
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

/** The customers. There are few, all in memory. */
export class Customers {
  readonly #list: Customer[];

  readonly #byKey: Map<string, Customer>;

  /** The list, oldest first, is a part of the exchange's state. */
  constructor(list: Customer[]) {
    this.#list = list;

    this.#byKey = new Map(list.map((customer) => [customer.accessKey, customer]));
  }

  /** Oldest first. */
  all(): readonly Customer[] {
    return this.#list;
  }

  byAccessKey(accessKey: string): Customer | undefined {
    return this.#byKey.get(accessKey);
  }

  /** Adds an account, by default with all permissions. Throws {@link UsernameTaken}. */
  add(secrets: Secrets, permissions: Granted = ALL): Customer {
    if (this.#list.some(({ username }) => username === secrets.username)) throw new UsernameTaken(secrets.username);
    const customer = { id: String(this.#list.length + 1), permissions, ...secrets };
    this.#list.push(customer);
    this.#byKey.set(customer.accessKey, customer);
    return customer;
  }

  get secretsOfFirst(): Secrets {
    const { accessKey, secretKey, safePwd, username } = this.#first;
    return { accessKey, secretKey, safePwd, username };
  }

  /** Gives the first account other keys. Its name and permissions stay. */
  replaceKeysOfFirst({ accessKey, secretKey, safePwd }: Secrets): void {
    const first = this.#first;
    this.#byKey.delete(first.accessKey);
    this.#list[0] = { ...first, accessKey, secretKey, safePwd };
    this.#byKey.set(accessKey, this.#list[0]);
  }

  get #first(): Customer {
    const [first] = this.#list;
    if (first === undefined) throw new RangeError('the exchange has no first account');
    return first;
  }
}

const ALL: Granted = { asset: true, lever: true, entrust: true, money: true };

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
  readonly market: SandboxMarket;
}

/** The wallet that trades a market. There is one isolated wallet for each market, and one cross wallet for all. */
export function walletOf(account: string, kind: AccountType, market: SandboxMarket): Wallet {
  const isolated = kind === 'spot' ? account : `${account}~${market.name}`;
  return { kind, name: kind === 'cross' ? crossWallet(account) : isolated, market };
}

export function crossWallet(account: string): string {
  return `${account}~cross`;
}
