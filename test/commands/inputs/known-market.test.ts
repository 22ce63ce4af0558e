import { describe, expect, it } from 'vitest';
import { refuseUnknownMarket } from '../../../src/commands/inputs/known-market.js';
import type { Context } from '../../../src/commands/session/command.js';
import { Failure, usage } from '../../../src/errors.js';
import { fakeHost } from '../../support/fake-host.js';
import { warnings } from '../../support/json-lines.js';
import { temporaryHome } from '../../support/pit.js';
import type { OrderRow, Placed } from '../order/order-rows.js';
import { PitHome, usePitHome } from '../pit-home.js';

const served = usePitHome();

/** A home that has never seen a list of the markets, and leads to the same exchange. */
function newHome() {
  const { accessKey, secretKey, baseUrl, tradeUrl } = served.served.address;
  const keys = { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
  return {
    pit: new PitHome(temporaryHome()),
    environment: { ...keys, PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl },
  };
}

describe('a market that the exchange does not list', () => {
  it('pit orders skips the market with a warning, and pit cancel rejects it before a request is sent', async () => {
    const { pit, environment } = newHome();
    // nothing is known of the markets here, so that the exchange has to say it, and the journal knows the name from then on
    const first = await pit.failure('cancel btc_usdx 123', 2, { environment });
    expect(first.message).toContain('There is no market btc_usdx');
    const placed = await pit.json<Placed>('order buy btc_usdt 0.01 --at 20000 --yes', { environment });
    const error = await pit.failure('cancel btc_usdy 123', 2, { environment });
    expect(error.hint).toContain('Did you mean btc_usdt');
    await pit.failure('cancel btc_usdy 123 --dry-run', 2, { environment });

    const { code, stdout, stderr } = await pit.run('orders --json', { environment });
    expect([code, (JSON.parse(stdout) as OrderRow[]).map(({ id }) => id)]).toEqual([0, [placed.id]]);
    expect(warnings(stderr)).toEqual([
      expect.objectContaining({ message: 'There is no market btc_usdx on this exchange. Skipping it.' }),
    ]);
    const shown = await pit.run('orders', { environment });
    expect(shown.stderr).toContain('Markets in which pit placed orders lately: btc_usdt.');
    expect(shown.stderr).not.toContain('btc_usdy');
    // a command that names it reports it
    await pit.failure('orders btc_usdx', 2, { environment });
    const away = { ...environment, PIT_BASE_URL: 'http://127.0.0.1:1' };
    await pit.done(`cancel btc_usdt ${placed.id}`, { environment: away });
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
