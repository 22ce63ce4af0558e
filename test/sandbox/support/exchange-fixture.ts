import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { SHORT_HISTORY_MS, writeGenesis } from '../../support/genesis.js';

export const TESTER = { accessKey: 'access', secretKey: 'secret', safePwd: 'pwd', username: 'tester' };

/** A Friday, and not the beginning of a minute. */
export const START = Date.UTC(2024, 2, 15, 13, 37, 21, 250);

/** The whole history of prices that a sandbox has. */
export const THREE_WEEKS_MS = 21 * 86_400_000;

const COMPARED = ['btc_usdt', 'eth_btc', 'xrp_eth'];

interface FixtureOptions {
  /** One that has an exchange already (default: a new one). */
  readonly directory?: string;
  readonly seed?: number;
  readonly time?: number;
  /** How long before it the history of prices begins, in ms (default: an hour). */
  readonly historyMs?: number;
  /** Whether its first minute is simulated, even if it could be copied. */
  readonly isSimulated?: boolean;
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pit-exchange-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An exchange with a clock that the test controls. */
export class ExchangeFixture {
  private constructor(
    readonly exchange: SandboxExchange,
    readonly clock: { time: number },
    readonly directory: string,
  ) {}

  static async open(options: FixtureOptions = {}): Promise<ExchangeFixture> {
    const { directory, seed = 7, time = START, historyMs = SHORT_HISTORY_MS, isSimulated = false } = options;
    const clock = { time };
    const folder = directory ?? temporaryDirectory();
    const open = () =>
      SandboxExchange.open({ directory: folder, seed, now: () => clock.time, firstAccount: TESTER, historyMs });
    if (directory === undefined && !isSimulated)
      await writeGenesis(folder, JSON.stringify(['fixture', seed, time, historyMs]), open);
    const exchange = await open();
    onTestFinished(() => exchange.close());
    return new ExchangeFixture(exchange, clock, folder);
  }

  get account(): Account {
    const account = this.exchange.customers.byAccessKey(TESTER.accessKey);
    if (account === undefined) throw new Error('no first account');
    return account;
  }

  /** Advances the clock by `ms`, at once or in steps. */
  pass(ms: number, step = ms): void {
    const end = this.clock.time + ms;
    while (this.clock.time < end) {
      this.clock.time = Math.min(end, this.clock.time + step);
      this.exchange.advance();
    }
  }

  /** All that is visible from outside of a market for each quote coin and of the account, for comparing two exchanges. */
  everything(): unknown {
    const { exchange, account } = this;
    const markets = COMPARED.map((market) => ({
      market,
      depth: exchange.market.depth(market, { size: 1_000 }),
      ticker: exchange.market.ticker(market),
      trades: exchange.market.trades(market),
      candles: exchange.market.candles(market, '1min', { size: 60 }),
      days: exchange.market.candles(market, '1day', { size: 60 }),
      orders: exchange.orders.list(account, market, { page: 1, pageSize: 1_000 }),
    }));
    return { markets, balances: exchange.funds.balances(account), status: exchange.status() };
  }
}
