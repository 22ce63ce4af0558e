import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { ModelExchange } from '../../trading/batches/model-exchange.js';
import { environmentAt } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';
import { batch } from './batch-home.js';

const WARNING = /2 (REJECTED ORDERS ARE LIVE|DUPLICATE ORDERS AND REJECTED ORDERS ARE ON THE EXCHANGE): /;

/** A batch of two orders, partly accepted, whose request then executed again in full. */
async function carriedOutAgain(accepted: number) {
  const exchange = new ModelExchange([{ accepts: (pair) => pair < accepted }]);
  const server = await exchange.serve();
  const pit = new PitHome(temporaryHome());
  const extra = { environment: environmentAt(server.url) };
  const refused = await pit.run('order batch buy btc_usdt --ladder 29990:29991:2 --amount 0.02 --yes --json', extra);
  expect(refused.code).toBe(accepted === 0 ? 3 : 9);
  const job = /"clientId":"(job\w+)"/.exec(refused.stderr)?.[1] ?? '';
  const duplicates = ['29990', '29991'].map((price) => exchange.place(price, '0.01')).slice(0, accepted);
  return { exchange, pit, extra, job, duplicates };
}

describe('a refused batch that a proxy repeats once the balance covers it', () => {
  it.each([0, 1])('counts as placed for --resume, which sends nothing, after %i accepted orders', async (accepted) => {
    const { exchange, pit, extra, job, duplicates } = await carriedOutAgain(accepted);
    const resumed = await pit.run(`order batch buy btc_usdt --resume ${job} --yes --json`, extra);
    expect(resumed.code).toBe(duplicates.length === 0 ? 0 : 9);
    expect(resumed.stderr).toMatch(WARNING);
    expect(batch(resumed)).toMatchObject({ placed: 2, refused: 0, duplicates });
    const [row] = await pit.json<object[]>(`resolve ${job}`, extra);
    expect(row).toMatchObject({ clientId: job, outcome: 'placed', duplicates });
    expect(exchange.batches).toHaveLength(1);
  });

  it.each([0, 1])('resolve finds the batch after %i accepted orders', async (accepted) => {
    const { pit, extra, duplicates } = await carriedOutAgain(accepted);
    const { stdout, stderr } = await pit.run('resolve --json', extra);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'placed', duplicates }]);
    expect(stderr).toMatch(WARNING);
  });
});
