import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ limits: UNLIMITED });

const set = (setting: string, value: string) => pit.done(`profile set sandbox ${setting} ${value}`);

const dry = async (words: string) => {
  const { preview } = await pit.json<{
    preview: { amount: string; warnings: string[]; does: string[]; guards: object[] };
  }>(`order ${words} --dry-run`);
  return preview;
};

const refusal = async (words: string) => {
  const { message, hint } = await pit.failure(`order ${words} --yes`, 2);
  return `${message} ${hint}`;
};

describe('the limit of a stop that the price band would hold back once the stop is reached is refused', () => {
  it.each([
    [
      'sell btc_usdt 0.1 --stop bid-2% --limit bid-30%',
      /^price-band blocks this: when the stop is reached, .* at least /,
    ],
    [
      'buy btc_usdt 0.1 --stop ask+2% --limit ask+30%',
      /^price-band blocks this: when the stop is reached, .* at most /,
    ],
    [
      'buy btc_usdt 0.1 --at bid-1% --stop bid-5% --limit bid-30%',
      /^price-band blocks this: when the stop is reached, /,
    ],
    ['buy btc_usdt 0.1 --at ask+30% --take ask+50%', /^price-band blocks this: the price /],
    ['buy btc_usdt 0.1 --at ask+30% --show 0.05', /^price-band blocks this: the price /],
  ])('%s', async (words, expected) => {
    const error = await refusal(words);
    expect(error).toMatch(expected);
    expect(error).toContain('Use a price within the band, or change the limit of the profile.');
  });

  it('with the number that works', async () => {
    const [, number = ''] =
      /at least ([\d,.]+)\. /.exec(await refusal('sell btc_usdt 0.1 --stop 20000 --limit 17000')) ?? [];
    expect(Number(number.replace(',', ''))).toBeCloseTo(18_000, 0);
    const limit = (price: number) => `sell btc_usdt 0.1 --stop 20000 --limit ${price.toFixed(2)}`;
    // the spread, which moves, counts too
    expect((await dry(limit(18_010))).warnings).toEqual([]);
  });

  it.each(['--chase', '--over 1h'])('but not that of the entry %s, whose orders follow the market', async (flags) => {
    const { guards } = await dry(`buy btc_usdt 0.1 ${flags} --at ask+30%`);
    expect(guards).toEqual([]);
  });

  it('unless the band is off', async () => {
    await set('priceBand', 'off');
    expect((await dry('sell btc_usdt 0.1 --stop bid-2% --limit bid-30%')).warnings).toEqual([]);
  });
});

describe('the limit of a day', () => {
  const HELD = (what: string) =>
    new RegExp(
      `^day-notional would hold back the ${what} today, and the algo order would be paused: .* the limit is 5,000 usdt`,
    );

  it('refuses an exit that is above it alone, and a take-profit that is sent at once', async () => {
    await set('dayNotional', '5000usdt');
    expect(await refusal('sell btc_usdt 1 --stop 20000')).toMatch(
      /^day-notional blocks this: when the stop is reached, .* 20,000 usdt, and the limit is 5,000 usdt/,
    );
    expect(await refusal('sell btc_usdt 0.1 --take 60000 --stop 20000')).toMatch(
      /^day-notional blocks this: the orders/,
    );
  });

  it('warns of what it holds back if the rest of the day is used up by then', async () => {
    await set('dayNotional', '5000usdt');
    expect((await dry('sell btc_usdt 0.1 --stop 20000')).warnings).toEqual([]);
    expect((await dry('buy btc_usdt 0.1 --at bid-1% --stop bid-3%')).warnings).toEqual([
      expect.stringMatching(HELD('stop')),
    ]);
    expect((await dry('buy btc_usdt 0.1 --at bid-1% --take ask+1% --trail 2%')).warnings).toEqual([
      expect.stringMatching(HELD('take-profit')),
      expect.stringMatching(HELD('trail')),
    ]);
    expect((await dry('buy btc_usdt 1 --over 1h')).warnings).toEqual([expect.stringMatching(HELD('last slices'))]);
    expect((await dry('buy btc_usdt 1 --at bid-1% --show 0.1')).warnings).toEqual([
      expect.stringMatching(HELD('last parts')),
    ]);
  });
});

it('the limit of one order counts each part of an iceberg', async () => {
  await set('orderNotional', '2500usdt');
  expect((await dry('buy btc_usdt 0.5 --at 20000 --show 0.12')).warnings.join()).not.toContain('notional');
  expect(await refusal('buy btc_usdt 0.5 --at 20000 --show 0.13')).toMatch(
    /^order-notional blocks this: the order comes to 2,600 usdt.* Use less, or change the limit of the profile\.$/,
  );
});

it('the limit of one order counts what a stop or a trail is sent at', async () => {
  await set('orderNotional', '5000usdt');
  expect(await refusal('buy btc_usdt 0.1 --stop 49900')).toMatch(
    /^order-notional blocks this: when the stop is reached, the order comes to 5,039.9 usdt/,
  );
  expect(await refusal('sell btc_usdt 1 --trail 2%')).toMatch(
    /^order-notional blocks this: when the trail is reached, /,
  );
});

describe('the limit of one order counts an exit in the market in which it begins: that of its entry', () => {
  it.each([
    'buy btc_usdt 0.1 --at 20000 --trail 2%',
    'buy btc_usdt 0.1 --over 1h --at 20000 --trail 2%',
    'buy btc_usdt 0.1 --at 20000 --take 24000',
    'sell btc_usdt 0.05 --at 40000 --take 20000',
  ])('%s', async (words) => {
    await set('orderNotional', '2500usdt');
    expect((await dry(words)).warnings.join()).not.toContain('order-notional');
  });

  it.each([
    ['sell btc_usdt 0.1 --trail 2%', /: when the trail is reached, the order comes to 2,[5-9]\d\d/],
    ['buy btc_usdt 0.1 --over 1h --trail 2%', /: when the trail is reached, the order comes to 2,[5-9]\d\d/],
    ['buy btc_usdt 0.13 --over 1h --at 20000 --trail 2%', /: when the trail is reached, the order comes to 2,54\d/],
    ['buy btc_usdt 0.1 --at 20000 --take 26000', /: the order comes to 2,600 usdt/],
  ])('but not %s', async (words, expected) => {
    await set('orderNotional', '2500usdt');
    const error = await refusal(words);
    expect(error).toMatch(/^order-notional blocks this: /);
    expect(error).toMatch(expected);
  });

  it('and a trail only as a warning if a later market may make it worth less', async () => {
    await set('orderNotional', '2500usdt');
    const may = (value: string) =>
      expect.stringMatching(
        `^order-notional may hold back the trail, and the algo order would be paused: when the trail is reached, the order comes to ${value}`,
      );
    expect((await dry('buy btc_usdt 0.1 --trail 2%')).warnings).toEqual([may('[23],\\d{3}')]);
    expect((await dry('sell btc_usdt 0.05 --at 40000 --trail 50%')).warnings).toContainEqual(may('3,03\\d'));
    expect((await dry('buy btc_usdt 0.1 --over 1h --when last<20000 --trail 2%')).warnings).toEqual([
      may('2,[5-9]\\d\\d'),
    ]);
  });

  it('and a stop with a wide slippage at the price that the band leaves', async () => {
    await set('orderNotional', '4500usdt');
    expect((await dry('buy btc_usdt 0.1 --stop 40000 --slippage 50%')).warnings).toEqual([]);
    await set('orderNotional', '4300usdt');
    expect(await refusal('buy btc_usdt 0.1 --stop 40000 --slippage 50%')).toMatch(
      /^order-notional blocks this: when the stop is reached, the order comes to 4,39\d/,
    );
    await set('priceBand', 'off');
    expect(await refusal('buy btc_usdt 0.1 --stop 40000 --slippage 50%')).toContain('the order comes to 6,000 usdt');
  });
});

describe('a warning says what happens without the coins', () => {
  it.each([
    [
      'sell btc_usdt 10 --stop 20000',
      'This needs 10 btc but only 5 btc is available: without more, it sells only 5 btc, waits for the rest if other orders lock the coins, and otherwise ends as partial.',
    ],
    [
      'buy btc_usdt 10 --stop 50000',
      'This needs 505,000 usdt but only 250,000 usdt is available: without more, it buys only what that pays for, waits for the rest if other orders lock the coins, and otherwise ends as partial.',
    ],
    [
      'buy btc_usdt 10 --at 27000 --stop 19000',
      'This needs 270,000 usdt but only 250,000 usdt is available: without more, it pauses when it would place its order.',
    ],
    [
      'sell eth_btc 100 --over 1h',
      'This needs 100 eth but only 60 eth is available: without more, it pauses when a slice lacks them.',
    ],
  ])('%s', async (words, expected) => {
    expect((await dry(words)).warnings).toEqual([expected]);
  });

  it('and has none of the coin', async () => {
    await pit.json('order sell eos_usdt 100% --at ask+5% --yes');
    expect((await dry('sell eos_usdt 100 --stop bid-5%')).warnings).toEqual([
      'This needs 100 eos but no eos is available: without more, it sells nothing, waits if other orders lock the coins, and otherwise ends as failed.',
    ]);
  });
});

it('a buy of a share of the balance has the coins for the price at which it is sent', async () => {
  const amount = async (words: string) => Number((await dry(`buy btc_usdt 100% ${words}`)).amount);
  expect(await amount('--stop 50000')).toBe(4.950495);
  expect(await amount('--stop 50000 --slippage 50%')).toBeCloseTo(250_000 / 55_000, 2);
  expect(await amount('--stop 50000 --limit 51000')).toBe(4.90196);
  expect(await amount('--take 20000 --stop 50000')).toBe(4.950495);
  expect((await dry('buy btc_usdt 100% --stop 50000 --limit 51000')).warnings).toEqual([]);
  const jumps =
    /^This needs up to 249,999[.\d]* of 250,000 usdt: if the price jumps past the stop, it buys less and ends as partial\.$/;
  expect((await dry('buy btc_usdt 100% --trail 1%')).warnings).toEqual([expect.stringMatching(jumps)]);
  expect((await dry('buy btc_usdt 98% --trail 1%')).warnings).toEqual([]);
  // slices that fill at once pay up to the slippage of 1 % more than orders that rest
  const slices = await amount('--over 1h');
  for (const resting of ['--chase', '--over 1h --passive'])
    expect((await amount(resting)) / slices).toBeCloseTo(1.01, 2);
});

describe('a slippage beyond the price band', () => {
  it('is shown as what the band leaves of it', async () => {
    const { does } = await dry('sell btc_usdt 0.1 --stop 20000 --slippage 50%');
    expect(does.at(-1)).toMatch(
      /^It fills at once, up to 50% below the price that reached it, but not beyond the price band of 10%, here 18,00\d\.\d\d;/,
    );
    const { does: slices } = await dry('sell btc_usdt 0.1 --over 1h --slippage 50%');
    expect(slices.at(-1)).toContain('up to 50% past the best bid, but not beyond the price band of 10%.');
  });

  it('is shown in full if the band is off', async () => {
    await set('priceBand', 'off');
    const { does } = await dry('sell btc_usdt 0.1 --stop 20000 --slippage 50%');
    expect(does.at(-1)).toContain('up to 50% below the price that reached it, here 10,000.00;');
  });
});

it('a trail of one tick is one tick', async () => {
  const { does } = await dry('sell btc_usdt 0.1 --trail 1ticks');
  expect(does[0]).toContain('at a distance of 1 tick:');
});

it('the limit of a day refuses what is sent today, and of an entry with --when what is above it alone', async () => {
  await set('dayNotional', '1btc');
  await pit.done('order buy eth_btc 10 --at 0.05 --yes');
  expect(await refusal('buy eth_btc 10 --at 0.06 --stop 0.05')).toMatch(/^day-notional blocks this: .* 1\.1 btc/);
  expect(await refusal('buy eth_btc 20 --at 0.06 --when last>1')).toMatch(/^day-notional blocks this: .* 1\.2 btc/);
  expect((await dry('buy eth_btc 10 --at 0.06 --when last>1')).warnings).toEqual([
    expect.stringMatching(/^day-notional would hold back the entry today, .* 1\.1 btc/),
  ]);
  expect((await dry('buy eth_btc 8 --at 0.06 --when last>1')).warnings).toEqual([]);
});
