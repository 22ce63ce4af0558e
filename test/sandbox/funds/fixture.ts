import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { keptLimits } from '../../../src/sandbox/server/limits.js';
import { copyGenesis, filesOf, SHORT_HISTORY_MS } from '../../support/genesis.js';
import { ALICE, NOW } from '../server/fake-exchange.js';
import { get, serveInterface } from '../server/wire.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

/** A second customer, without coins. */
const BEN = {
  id: '2',
  username: 'ben',
  accessKey: 'ak-ben',
  secretKey: 'sk-ben',
  safePwd: 'bens-pass',
  permissions: { asset: true, lever: false, entrust: true, money: true },
};

/** May read but not move funds. */
const WATCHER = {
  ...BEN,
  id: '3',
  username: 'watcher',
  accessKey: 'ak-0001',
  secretKey: 'sk-0002',
  permissions: { asset: true, lever: false, entrust: false, money: false },
};

const { accessKey, secretKey, safePwd, username } = ALICE;

function exchangeIn(directory: string, clock: { readonly time: number }): SandboxExchange {
  const firstAccount = { accessKey, secretKey, safePwd, username };
  const exchange = SandboxExchange.opened({
    ...{ directory, seed: 7, now: () => clock.time, firstAccount },
    historyMs: SHORT_HISTORY_MS,
  });
  if (exchange.customers.byAccessKey(BEN.accessKey) === undefined)
    for (const customer of [BEN, WATCHER]) exchange.customers.add(customer, customer.permissions);
  return exchange;
}

async function genesis(): Promise<ReadonlyMap<string, Buffer>> {
  const directory = mkdtempSync(join(tmpdir(), 'pit-funds-'));
  const exchange = exchangeIn(directory, { time: NOW });
  exchange.advance();
  try {
    return await filesOf(directory, exchange);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const GENESIS = await genesis();

/** An exchange with the accounts of the signing vectors, at their time, and a clock that the test controls. */
export class FundsFixture {
  #open = true;

  private constructor(
    readonly exchange: SandboxExchange,
    readonly directory: string,
    readonly clock: { time: number },
  ) {
    exchange.advance();
  }

  /** A new one, which closes at the end of the test. */
  static at(): FundsFixture {
    const directory = temporaryDirectory();
    copyGenesis(directory, GENESIS);
    return FundsFixture.#closedWithTest(directory, NOW);
  }

  static #closedWithTest(directory: string, time: number): FundsFixture {
    const fixture = FundsFixture.open(directory, time);
    onTestFinished(() => fixture.close());
    return fixture;
  }

  /** The caller closes it. */
  static open(directory: string, time: number): FundsFixture {
    const clock = { time };
    return new FundsFixture(exchangeIn(directory, clock), directory, clock);
  }

  get alice(): Account {
    return this.#account(ALICE.accessKey);
  }

  get ben(): Account {
    return this.#account(BEN.accessKey);
  }

  /** Advances the clock by `ms`, at once or in steps, without simulated traders. */
  pass(ms: number, step = ms): void {
    const end = this.clock.time + ms;
    while (this.clock.time < end) {
      this.clock.time = Math.min(end, this.clock.time + step);
      this.exchange.fastForward();
    }
  }

  /** `available+frozen` of a coin, as getAccountInfo would show it. */
  balance(account: Account, coin: string): string {
    const found = this.exchange.funds.balances(account).find((balance) => balance.coin === coin);
    return `${found?.available}+${found?.frozen}`;
  }

  /** The visible funds of both customers. */
  funds(): unknown {
    return [this.alice, this.ben].map((account) => ({
      balances: this.exchange.funds.balances(account),
      bills: this.exchange.funds.bills(account, { page: 1, pageSize: 1_000 }),
      records: [...this.exchange.coins.keys()].map((coin) => [
        this.exchange.funds.deposits(account, coin, 1, 1_000),
        this.exchange.funds.withdrawals(account, coin, 1, 1_000),
      ]),
    }));
  }

  /** The body of the answer on the wire, with limits. */
  async ask(path: string): Promise<string> {
    const { port } = await serveInterface(this.exchange, keptLimits(), () => this.clock.time);
    return await get(port, path);
  }

  /** Reopens the directory, as after a restart. */
  async again(): Promise<FundsFixture> {
    await this.close();
    return FundsFixture.#closedWithTest(this.directory, this.clock.time);
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.exchange.close();
  }

  #account(key: string): Account {
    const account = this.exchange.customers.byAccessKey(key);
    if (account === undefined) throw new Error(`no account ${key}`);
    return account;
  }
}

/** One fixture for the tests of a describe, which must not change it. */
export function sharedFixture(prepare: (fixture: FundsFixture) => void = () => undefined): () => FundsFixture {
  const directory = mkdtempSync(join(tmpdir(), 'pit-funds-'));
  let fixture: FundsFixture | undefined;
  beforeAll(() => {
    copyGenesis(directory, GENESIS);
    fixture = FundsFixture.open(directory, NOW);
    prepare(fixture);
  });
  afterAll(async () => {
    await fixture?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    if (fixture === undefined) throw new Error('the fixture is not open yet');
    return fixture;
  };
}
