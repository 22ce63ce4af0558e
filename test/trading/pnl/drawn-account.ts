import { deepStrictEqual, ok } from 'node:assert';
import { randomNumbers } from '../../support/random.js';
import { DAY_MS, type FeeBooking, ForgetfulAccount } from './forgetful-account.js';

const BOOKINGS: readonly FeeBooking[] = ['none', 'apart', 'inside'];
const MARKETS = ['btc_usdt', 'eth_usdt', 'eth_btc'];
/** With a bill that comes late, the next reading is within the 90 days for which it is listed. */
const SOON_DAYS = 60;
const LONG_DAYS = 300;

/** What was seen of an account. */
export interface DrawnAccount {
  readonly booking: FeeBooking;
  readonly trades: number;
  readonly readings: number;
  /** Readings in which bills came late. */
  readonly late: number;
}

/**
 * An account of some years, drawn from a seed, at an exchange that lists 90 days, lists some bills late, the balances with them or not, and
 * books fees in one of three ways. Every reading has all orders and bills that were listed at one before. When all are listed, they add
 * up, and nothing is asked for once more. Throws AssertionError otherwise.
 * @param folder for its journal (default: one that is removed after the test)
 */
export async function drawnAccount(seed: number, folder?: string): Promise<DrawnAccount> {
  const random = randomNumbers(seed);
  const booking = BOOKINGS[Math.floor(random() * BOOKINGS.length)] ?? 'none';
  const account = new ForgetfulAccount(booking, folder);
  account.markets = [...MARKETS];
  account.deposit('usdt', 100_000);
  account.deposit('btc', 50);
  let [readings, late, known] = [0, 0, [] as string[]];
  for (let year = 0; year < 4 + random() * 6; year += 1) {
    for (let trade = 0; trade < random() * 5; trade += 1) {
      const market = MARKETS[Math.floor(random() * MARKETS.length)] ?? '';
      account.trade(random() < 0.6 ? 'buy' : 'sell', market, 8 * Math.ceil(random() * 100));
    }
    const isLate = random() < 0.4;
    account.areBalancesLate = random() < 0.5;
    if (isLate) for (const { id } of account.bills.slice(-1 - Math.floor(random() * 2))) account.late.add(id);
    const words = `seed ${seed}, fees ${booking}, reading ${readings + 1}`;
    const read = await account.read();
    readings += 1;
    ok(
      known.every((order) => read.orders.includes(order)),
      `${words}: an order is lost`,
    );
    ok(read.bills >= account.bills.length - account.late.size, `${words}: a bill is lost`);
    known = read.orders.flatMap((order) => order ?? []);
    if (isLate) {
      late += 1;
      account.now += Math.ceil(random() * SOON_DAYS) * DAY_MS;
      account.late.clear();
    } else {
      deepStrictEqual(read.unexplained, [], words);
      deepStrictEqual([known.length, read.bills], [account.orders.length, account.bills.length], words);
      deepStrictEqual(await account.read(), { ...read, asked: [], askedById: [] }, `${words}, once more`);
      account.now += Math.ceil(random() * LONG_DAYS) * DAY_MS;
    }
  }
  return { booking, trades: account.orders.length, readings, late };
}
