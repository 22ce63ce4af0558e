import type { Failure } from '../../src/errors.js';
import { ExchangeClient } from '../../src/exchange/exchange-client.js';
import type { Network } from '../../src/exchange/requests/transport.js';
import { TimeBudget } from '../../src/platform/time-budget.js';
import { type FakeHost, fakeHost } from '../support/fake-host.js';

export const KEYS = { accessKey: 'access-0123456789', secretKey: 'secret-9876543210' };

export const ORDER = { currency: 'btc_usdt', tradeType: '1', price: '31000.5', amount: '0.01' } as const;

export interface Client {
  readonly client: ExchangeClient;
  readonly host: FakeHost;
  readonly lines: readonly string[];
}

/** A client of one host for everything, with a clock that advances only in the client's own waits. */
export function clientOf(url: string, budgetMs = 60_000, network?: Network): Client {
  const host = fakeHost();
  const lines: string[] = [];
  const client = new ExchangeClient({
    host,
    hosts: { baseUrl: url, tradeUrl: url },
    credentials: () => KEYS,
    budget: new TimeBudget(budgetMs, host.monotonic),
    trace: (line) => lines.push(line),
    ...(network === undefined ? {} : { network }),
  });
  return { client, host, lines };
}

/** What a promise failed with. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    () => {
      throw new Error('it did not fail');
    },
    (thrown: Failure) => thrown,
  );
}
