import { describe, expect, it } from 'vitest';
import { runPit, temporaryHome } from '../../support/pit.js';
import { serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { type Extra, lastError, usePitHome } from '../pit-home.js';

const pit = usePitHome();

describe.skipIf(!requires('redis-server'))('two machines that share a Redis (needs redis-server)', () => {
  it('are halted and lifted together', async () => {
    const { url } = await serveRedis();
    const [one, other] = [temporaryHome(), temporaryHome()];
    const { environment } = pit.served;
    const on = (home: string, line: string, extra: Extra = {}) =>
      runPit(line.split(' '), { home, environment, ...extra });
    for (const home of [one, other])
      expect(await on(home, `profile set sandbox limiter ${url}`)).toMatchObject({ code: 0 });
    const order = 'order buy btc_usdt 0.01 --at bid-2% --yes --json';
    expect(await on(one, 'halt --json')).toMatchObject({ code: 0 });
    const refused = await on(other, order);
    expect([refused.code, lastError(refused.stderr)]).toEqual([2, expect.objectContaining({ halted: true })]);
    expect(await on(other, 'halt --lift --confirm sandbox')).toMatchObject({ code: 0 });
    expect(await on(one, order)).toMatchObject({ code: 0 });
    // another machine's identical order would be reported as a possible duplicate
    expect(await on(other, order.replace('0.01', '0.02'))).toMatchObject({ code: 0 });
  });
});
