import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuseUnknownMarket } from '../../../src/commands/inputs/known-market.js';
import type { Context } from '../../../src/commands/session/command.js';
import { Failure, usage } from '../../../src/errors.js';
import { fakeHost } from '../../support/fake-host.js';
import { warnings } from '../../support/json-lines.js';
import { LOST, PASS } from '../../support/world/network.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import type { OrderRow, Placed } from '../order/order-rows.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: DEEP_MARKETS });

describe('a market that the exchange does not list', () => {
  it('pit orders skips the market with a warning, and pit cancel rejects it before a request is sent', async () => {
    const { network } = pit.world;
    // nothing is known of the markets here, so that the exchange has to say it
    const first = await pit.failure('cancel btc_usdx 123', 2);
    expect(first.message).toContain('There is no market btc_usdx');
    const placed = await pit.json<Placed>('order buy btc_usdt 0.01 --at 20000 --yes');
    const error = await pit.failure('cancel btc_usdy 123', 2);
    expect(error.hint).toContain('Did you mean btc_usdt');
    await pit.failure('cancel btc_usdy 123 --dry-run', 2);
    expect(pit.world.sent('cancelOrder').map(({ parameters }) => parameters.currency)).toEqual(['btc_usdx']);

    await pit.done('order buy eth_usdt 0.1 --at bid-5% --yes');
    // the exchange has closed a market in which pit has traded
    network.rewrite = (body, { operation, parameters }) => {
      if (operation === 'markets') return JSON.stringify({ ...JSON.parse(body), eth_usdt: undefined });
      return parameters.currency === 'eth_usdt' ? '{"code":1001,"message":"unknown market: eth_usdt"}' : body;
    };
    rmSync(path.join(pit.home, 'cache'), { recursive: true });
    const { code, stdout, stderr } = await pit.run('orders --json');
    expect([code, (JSON.parse(stdout) as OrderRow[]).map(({ id }) => id)]).toEqual([0, [placed.id]]);
    expect(warnings(stderr)).toEqual([
      expect.objectContaining({ message: 'There is no market eth_usdt on this exchange. Skipping it.' }),
    ]);
    expect((await pit.run('orders')).stderr).toContain('Markets in which pit placed orders lately: btc_usdt.');
    // a command that names it reports it
    await pit.failure('orders eth_usdt', 2);
    network.treat = ({ operation }) => (operation === 'markets' ? LOST : PASS);
    await pit.done(`cancel btc_usdt ${placed.id}`);
  });

  it.each<[string, boolean, Failure | undefined, string]>([
    ['listed before', false, usage('not asked'), 'passes'],
    ['not listed before and listed now', true, undefined, 'passes'],
    ['not listed', true, usage('There is no market'), 'usage'],
    ['not listed before, while market data are away', true, new Failure('unreachable', 'away'), 'passes'],
    ['not listed before, with no host for market data', true, new Failure('credentials', 'no host'), 'passes'],
  ])('%s', async (_, wasMissing, thrown, comes) => {
    const find = () => (thrown === undefined ? Promise.resolve() : Promise.reject(thrown));
    const session = { markets: async () => ({ wasMissing: () => wasMissing, find }) };
    const context = { session, host: fakeHost() } as unknown as Context;
    const came = await refuseUnknownMarket(context, 'btc_usdx').then(
      () => 'passes',
      ({ kind }: Failure) => kind,
    );
    expect(came).toBe(comes);
  });
});
