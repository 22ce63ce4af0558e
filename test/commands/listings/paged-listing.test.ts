import { expect, it } from 'vitest';
import type { Globals } from '../../../src/cli/context.js';
import { withProgress, withTimePerPage } from '../../../src/commands/listings/paged-listing.js';
import type { ExchangeApi } from '../../../src/exchange/exchange-api.js';
import { type ClientOptions, ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { Output } from '../../../src/terminal/output.js';
import { hostWith, Kept } from '../../terminal/screens.js';

/** Reads pages of 50 rows, each taking eachMs, until the budget ends. */
async function run(isTimeoutGiven: boolean, eachMs: number, errors = new Kept()) {
  let now = 0;
  let kept = 0;
  const works = new Set<(signal: 'SIGTERM') => unknown>();
  const host = {
    ...hostWith({ errors, environment: { TERM: 'xterm', NO_COLOR: '1' } }),
    limitMemory: async () => {
      kept += 1;
    },
    onInterrupt: (work: (signal: 'SIGTERM') => unknown) => {
      works.add(work);
      return () => void works.delete(work);
    },
  };
  const budget = new TimeBudget(1_000, () => now);
  async function* pages(): AsyncGenerator<number[]> {
    for (let page = 0; page < 20 && budget.remainingMs > eachMs; page += 1) {
      now += eachMs;
      yield Array<number>(50).fill(page);
    }
  }
  const context = {
    host,
    budget,
    globals: { isTimeoutGiven },
    output: new Output(host, 'json'),
  } as unknown as Parameters<typeof withProgress>[0];
  let rows = 0;
  for await (const page of withProgress(context, 'bills', pages())) rows += page.length;
  return { rows, kept, works: works.size };
}

it('gives each page the whole --timeout, unless the user set it', async () => {
  expect(await run(false, 400)).toEqual({ rows: 1_000, kept: 1, works: 0 });
  expect(await run(true, 400)).toEqual({ rows: 100, kept: 0, works: 0 });
});

it('shows the progress of a long listing and erases it in the end', async () => {
  const errors = new Kept(80);
  await run(false, 1, errors);
  expect(errors.text).toBe('\r\u001b[2K150 bills …\r\u001b[2K');
});

it('renews the budget of the client for each page', async () => {
  let now = 0;
  const budget = new TimeBudget(1_000, () => now);
  const slow = async () => {
    now += 900;
    return [];
  };
  const client = new ExchangeClient({} as ClientOptions, { read: slow } as unknown as ExchangeApi);
  const left = async (isTimeoutGiven: boolean) => {
    await withTimePerPage({ budget, globals: { isTimeoutGiven } as Globals }, client).trades('btc_usdt');
    return budget.remainingMs;
  };
  expect(await left(false)).toBe(1_000);
  expect(await left(true)).toBe(100);
});
