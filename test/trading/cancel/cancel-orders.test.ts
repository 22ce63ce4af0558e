import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import type { FaultServer } from '../../support/fault-server.js';
import { type AccountOptions, accountOf, type TestAccount } from '../support/account.js';
import { count } from '../support/exchange.js';
import { openOrders, serveOrders } from '../support/open-orders.js';

function accountAt({ url }: FaultServer, options: AccountOptions = {}): TestAccount & { readonly state: string } {
  const account = accountOf(url, options);
  let made = 0;
  Object.assign(account.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(++made) });
  return account;
}

const IDS = openOrders(20).map(({ id }) => ({ id }));

describe('several cancellations', () => {
  it('are reported in the order of the request', async () => {
    const server = await serveOrders(openOrders(20), { cancel: (id) => (Number(id) % 3 === 0 ? 'refused' : 'done') });
    let settled = 0;
    const attempts = await cancelOrders(accountAt(server), 'btc_usdt', IDS, () => {
      settled += 1;
    });
    expect(attempts.map(({ result }) => result.id)).toEqual(IDS.map(({ id }) => id));
    expect(attempts.map(({ failure }) => failure)).toEqual(
      IDS.map(({ id }) => (Number(id) % 3 === 0 ? 'refused' : null)),
    );
    expect(settled).toBe(20);
  });

  it('are all sent before the first lookup, so that lost answers delay no other', async () => {
    const server = await serveOrders(openOrders(20), { cancel: (id) => (Number(id) <= 12 ? 'lost' : 'done') });
    const account = accountAt(server, { budgetMs: 10_000, tolerance: 60_000 });
    const attempts = await cancelOrders(account, 'btc_usdt', IDS);
    expect(attempts.filter(({ failure }) => failure === 'unknown')).toHaveLength(12);
    expect(attempts.filter(({ failure }) => failure === null)).toHaveLength(8);
    expect(count(server, 'cancelOrder')).toBe(20);
    const targets = server.requests.map(({ target }) => target.split('?')[0]);
    expect(targets.indexOf('/api/getOrder')).toBeGreaterThan(targets.lastIndexOf('/api/cancelOrder'));
    expect(account.journal.open()).toHaveLength(12);
  });

  it('keep the answers that arrived before the journal became unwritable', async () => {
    const server = await serveOrders(openOrders(20), {
      cancel: (id) => {
        if (id === '5') {
          renameSync(open, `${open}.away`);
          writeFileSync(open, 'a file where the folder was');
        }
        return 'done';
      },
    });
    const account = accountAt(server);
    const open = path.join(account.state, 'journal', 'test', 'open');
    const attempts = await cancelOrders(account, 'btc_usdt', IDS);
    const unsent = attempts.filter(({ intent }) => intent === null);
    expect(unsent.length).toBeGreaterThan(0);
    expect(unsent[0]).toMatchObject({
      failure: expect.stringMatching(/usage|credentials/),
      result: { outcome: 'refused', message: expect.stringContaining(open) },
    });
    expect(attempts.filter(({ failure }) => failure === null)).toHaveLength(20 - unsent.length);
    expect(count(server, 'cancelOrder')).toBe(20 - unsent.length);
  });
});
