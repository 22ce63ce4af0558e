import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld();

interface Algo {
  readonly id: string;
  readonly children: readonly { readonly id: string; readonly state: string }[];
}

/** Creates an algo order, and waits for the order that it places. */
async function create(words: string): Promise<{ readonly algo: string; readonly order: string }> {
  const { id } = await pit.json<Algo>(`order ${words} --yes`);
  return eventually(async () => {
    const [child] = (await pit.json<Algo>(`algo show ${id}`)).children;
    expect(child?.state).toBe('open');
    return { algo: id, order: child?.id ?? '' };
  });
}

interface Dry {
  readonly request: unknown;
  readonly preview: { readonly warnings: readonly string[] };
}

const warningsOf = async (line: string) => (await pit.json<Dry[]>(line)).flatMap(({ preview }) => preview.warnings);

beforeAll(async () => {
  await pit.administer('POST /price', { market: 'btc_usdt', price: '28000', ms: 0 });
});

afterEach(async () => {
  await pit.run('algo cancel --all --yes');
  await pit.done('cancel btc_usdt --all --yes');
});

describe('pit cancel --all says what an algo order would lose, and what is not protected then', () => {
  it.each([
    [
      'the take-profit of an OCO, whose stop goes on',
      'sell btc_usdt 0.1 --take 29900 --stop 26000',
      'the take-profit of algo order ALGO and is not placed again: its stop at 26,000.00 alone goes on, and nothing takes the profit.',
    ],
    [
      'the entry of a bracket',
      'buy btc_usdt 0.1 --at 27000 --stop 26000',
      'the entry of algo order ALGO and is not placed again: what it has not filled is given up; what has filled stays protected.',
    ],
    [
      'the entry of an order that is given up later',
      'buy btc_usdt 0.1 --at 27000 --for 1h',
      'the entry of algo order ALGO and is not placed again: what it has not filled is given up.',
    ],
  ])('%s', async (_, words, text) => {
    const { algo, order } = await create(words);
    await pit.done('order buy btc_usdt 0.01 --at 20000 --override price-band --yes');
    const expected = `Order ${order} is ${text.replace('ALGO', algo)}`;
    expect(await warningsOf('cancel btc_usdt --all --dry-run')).toEqual([expected]);
    const shown = (await pit.done('cancel btc_usdt --all --dry-run')).replace(/\s+/g, ' ');
    expect(shown).toContain(`warning ${expected}`);
    const { stderr } = await pit.run('cancel btc_usdt --all --yes --json');
    // without another leg it has ended by that, which is said in any case
    expect(stderr).toContain(words.includes('--take') ? expected : algo);
  });

  it('in all markets', async () => {
    const { algo, order } = await create('sell btc_usdt 0.1 --take 29900 --stop 26000');
    const shown = (await pit.done('cancel --all --all-markets --dry-run')).replace(/\s+/g, ' ');
    expect(shown).toContain(`Order ${order} is the take-profit of algo order ${algo}`);
  });

  it('also once it is cancelled by its id', async () => {
    const { algo, order } = await create('sell btc_usdt 0.1 --take 29900 --stop 26000');
    const { stderr } = await pit.run(`cancel btc_usdt ${order} --json`);
    expect(stderr).toContain(`An order of algo order ${algo} was cancelled.`);
  });

  it('and names the algo order that placed it if its cancellation is refused', async () => {
    const { algo, order } = await create('sell btc_usdt 0.1 --take 29900 --stop 26000');
    await pit.administer('POST /faults/add', { kind: 'rate-limit', operation: 'cancelOrder' });
    const { hint } = await pit.failure(`cancel btc_usdt ${order} --timeout 5`, 7);
    await pit.administer('POST /faults/clear');
    expect(hint).toContain(`Algo order ${algo} placed it and may place more. To end that: pit algo cancel ${algo}`);
  });

  it('and nothing of orders that belong to no algo order', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 27000 --yes');
    expect(await warningsOf('cancel btc_usdt --all --dry-run')).toEqual([]);
  });
});
