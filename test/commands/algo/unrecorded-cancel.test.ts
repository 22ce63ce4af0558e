import { afterEach, describe, expect, it, vi } from 'vitest';
import { usage } from '../../../src/errors.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS });

afterEach(() => void vi.restoreAllMocks());

interface Algo {
  readonly id: string;
  readonly children: readonly { readonly state: string }[];
}

describe('pit algo cancel, if the algo order cannot be recorded as cancelled', () => {
  async function cancel(id: string) {
    const { add } = AlgoStore.prototype;
    vi.spyOn(AlgoStore.prototype, 'add').mockImplementation(function (this: AlgoStore, of, fact) {
      if (fact.fact === 'cancelled') throw usage('The disk is full.', 'Make room.');
      return add.call(this, of, fact);
    });
    const ran = await pit.run(`algo cancel ${id} --json`);
    vi.restoreAllMocks();
    await pit.done(`algo cancel ${id}`);
    return ran;
  }

  it('prints no answer and exits with 2 if it has no order that could be cancelled', async () => {
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.01 --stop bid-10% --yes');
    const { code, stdout, stderr } = await cancel(id);
    expect([code, stdout, lastError(stderr).kind]).toEqual([2, '', 'usage']);
  });

  it('prints the answer and exits with 9 if its orders were cancelled', async () => {
    const { id } = await pit.json<Algo>('order buy btc_usdt 0.01 --at bid-2% --stop bid-10% --yes');
    await pit.world.pass(10_000);
    expect(await pit.json('orders btc_usdt')).toHaveLength(1);
    const { code, stdout } = await cancel(id);
    expect([code, document<Algo[]>(stdout)]).toMatchObject([9, [{ id }]]);
    expect(await pit.json('orders btc_usdt')).toEqual([]);
  });
});
