import type { Clock } from '../clock.js';
import { type Account, type Customer, type Permissions, type Secrets, UsernameTaken } from '../desk/accounts.js';
import { coinUnits } from '../funds/amounts.js';
import { COINS } from '../markets/coins.js';
import { Refusal } from '../refusals.js';
import type { House } from './house.js';

/** What somebody may do with the exchange who is not a customer: nothing of it is part of the interface. */
export interface ExchangeAdministration {
  readonly clock: Clock;
  /** Oldest first. */
  accounts(): readonly Customer[];
  /** A new account that owns nothing. Throws {@link UsernameTaken}. */
  addAccount(secrets: Secrets, permissions: Permissions): Customer;
  /** Moves coins between the spot wallets of two accounts; the amount is decimal text. Throws Refusal. */
  transfer(from: Account, to: Account, coin: string, amount: string): void;
}

export class LivingAdministration implements ExchangeAdministration {
  constructor(
    private readonly house: House,
    readonly clock: Clock,
    private readonly changed: () => void,
  ) {}

  accounts(): readonly Customer[] {
    return this.house.customers.all();
  }

  addAccount(secrets: Secrets, permissions: Permissions): Customer {
    const { customers, treasury } = this.house;
    if (customers.all().some(({ username }) => username === secrets.username))
      throw new UsernameTaken(secrets.username);
    const customer = { id: String(customers.count + 1), permissions, ...secrets };
    customers.add(customer);
    treasury.addresses.equip(customer.id, [...COINS.keys()]);
    this.changed();
    return customer;
  }

  transfer(from: Account, to: Account, coin: string, amount: string): void {
    const { ledger, bills } = this.house;
    if (from.id === to.id) throw new Refusal('badParameter', 'both accounts are the same');
    const units = coinUnits(coin, amount);
    if (ledger.available(from.id, coin) < units) throw new Refusal('insufficientBalance', coin);
    ledger.move(coin, units, { account: from.id, part: 'available' }, { account: to.id, part: 'available' });
    bills.post(from.id, coin, -units, 'transferOut', to.username);
    bills.post(to.id, coin, units, 'transferIn', from.username);
    bills.write(this.clock.now());
    this.changed();
  }
}
