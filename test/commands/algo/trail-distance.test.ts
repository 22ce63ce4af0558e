import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../pit-home.js';

const pit = useWorld();

interface Dry {
  readonly preview: {
    readonly warnings: readonly string[];
    readonly guards: readonly { readonly guard: string; readonly overridden: boolean }[];
  };
}

const NARROW = 'order sell btc_usdt 0.01 --trail 0.02';

beforeAll(async () => {
  await pit.administer('POST /price', { market: 'btc_usdt', price: '28000', ms: 0 });
});

afterEach(() => pit.done('sandbox fault clear'));

const openAlgos = () => pit.json<object[]>('algo list');

describe('a trail that is narrower than the spread', () => {
  it('is not created without --override, whatever --yes says, and the error has the number that works', async () => {
    const error = await pit.failure(`${NARROW} --yes`, 2);
    expect(error.message).toMatch(
      /^trail-distance blocks this: the trail 0\.02 usdt is narrower than the spread of .*\. Use [\d.,]+ or more, or 2% if you mean a share\. Nothing was sent\.$/,
    );
    expect(error.hint).toBe('If you mean it, add --override trail-distance.');
    expect(await openAlgos()).toEqual([]);
  });

  it('is shown by a dry run with the guard that blocks it', async () => {
    const { preview } = await pit.json<Dry>(`${NARROW} --dry-run`);
    expect(preview.guards).toMatchObject([{ guard: 'trail-distance', overridden: false }]);
    expect(preview.warnings[0]).toMatch(/^trail-distance: the trail 0\.02 usdt is narrower/);
    expect(await pit.done(`${NARROW} --dry-run`)).toMatch(/^guard +trail-distance: the trail 0\.02 usdt/m);
  });

  it('is created with --override, which overrides no other guard of an algo order', async () => {
    const { stderr } = await pit.run(`${NARROW} --yes --override trail-distance --json`);
    expect(stderr).toContain('Overridden trail-distance: the trail 0.02 usdt is narrower');
    expect(await pit.failure(`${NARROW} --yes --override price-band`, 2)).toMatchObject({
      message: '--override has no meaning for an algo order.',
    });
    await pit.run('algo cancel --all --yes');
  });

  it('is created at a terminal by who types the name of the guard', async () => {
    const steps = [{ await: 'Type trail-distance to send it anyway', type: 'y\r' }];
    const { status, screen } = await pit.terminal(NARROW, { columns: 200, steps });
    expect(status).toBe(8);
    expect(screen).toContain('trail-distance was not typed; nothing was sent.');
    expect(await openAlgos()).toEqual([]);
    // once, though it is still narrower than the spread when it is created
    const typed = { await: 'Type trail-distance to send it anyway', type: 'trail-distance\r' };
    const created = await pit.terminal(NARROW, { columns: 200, steps: [typed] });
    expect(created.screen).not.toContain('The spread is wider');
    expect(await openAlgos()).toHaveLength(1);
    await pit.run('algo cancel --all --yes');
  });
});

it('a trail that is narrower than the spread once it is confirmed is shown again, with the guard that blocks it by then', async () => {
  const { network } = pit.world;
  const wide = JSON.stringify({ asks: [[28_200, 5]], bids: [[27_800, 5]], timestamp: 1_700_000_000 });
  let books = 0;
  network.rewrite = (body, { operation }) => {
    if (operation !== 'depth') return body;
    books += 1;
    return books === 1 ? body : wide;
  };
  const steps = [
    { await: '[y/N]', type: 'y\r' },
    { await: 'Type trail-distance to send it anyway', type: 'y\r' },
  ];
  const { code, screen } = await pit.world.run('order sell btc_usdt 0.01 --trail 100', { columns: 200, steps });
  network.rewrite = (body) => body;
  expect([code, screen]).toEqual([8, expect.stringContaining('The spread is wider than the trail by now.')]);
  expect(await openAlgos()).toEqual([]);
});

describe('a trail that is narrower than the usual movement of a minute', () => {
  it('is a warning of the preview, with and without --yes', async () => {
    const { preview } = await pit.json<Dry>('order sell btc_usdt 0.01 --trail 1 --dry-run');
    expect(preview.guards).toEqual([]);
    expect(preview.warnings).toEqual([
      expect.stringMatching(/^The trail 1\.00 usdt is less than this market usually moves within a minute \([\d.,]+\)/),
    ]);
    const { preview: wide } = await pit.json<Dry>('order sell btc_usdt 0.01 --trail 5% --dry-run');
    expect(wide.warnings).toEqual([]);
  });

  it('could not be compared if no candles come, and is created all the same', async () => {
    await pit.json('sandbox fault add error-before --operation kline --count 1000');
    const { preview } = await pit.json<Dry>('order sell btc_usdt 0.01 --trail 5% --dry-run');
    expect(preview.warnings).toEqual([
      expect.stringMatching(
        /^The trail could not be compared with the market's usual movement of a minute: the candles /,
      ),
    ]);
  });
});
