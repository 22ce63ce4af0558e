import { describe, expect, it } from 'vitest';
import { ENTRY_FLAGS } from '../../../src/commands/order/algo-args.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

/** The flags of entries, of which each is a reason for the flags that only an entry gives a meaning. */
const ENTRIES = Object.values(ENTRY_FLAGS).map(({ flag }) => flag);
const CHOICES = ENTRIES.filter((flag) => flag !== '--at');

/** `--a, --b or --c` */
const oneOf = (...flags: readonly string[]) => `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`;

describe('pit order refuses algo flags that contradict each other, before any request', () => {
  it.each([
    ['--take 31000', `--take needs ${oneOf('--stop', '--trail', ...ENTRIES)}.`],
    ['--slippage 1%', '--slippage needs --stop, --trail or --over.'],
    ['--when last>1', `--when needs ${oneOf(...ENTRIES)}.`],
    ['--when last>1 --stop 1', `--when needs ${oneOf(...ENTRIES)}.`],
    ['--over 2h --chase', '--over and --chase exclude each other.'],
    ['--at 1 --limit 2', '--limit needs --stop.'],
    ['--stop 3 --limit 2 --trail 1%', '--limit and --trail exclude each other.'],
    ['--chase --every 1m', '--every needs --over.'],
    ['--chase --passive', '--passive needs --over.'],
    ['--at 1 --notify', `--notify needs ${oneOf('--take', '--stop', '--trail', ...CHOICES, '--when', '--for')}.`],
    ['--at 1 --exec true', `--exec needs ${oneOf('--take', '--stop', '--trail', ...CHOICES, '--when', '--for')}.`],
    ['--over 30s', '--over is shorter than the time between two slices.'],
    ['--stop 1 --post-only', '--post-only belongs to an order with --at.'],
    ['--chase --ioc', '--ioc and --chase exclude each other.'],
    ['--over 1h --post-only', '--post-only and --over exclude each other.'],
    ['--at 1 --ioc --for 1m', '--ioc and --for exclude each other.'],
    ['--stop 1 --for 1m', `--for needs ${oneOf(...ENTRIES)}.`],
    ['--chase --slippage 1%', '--slippage needs --stop, --trail or --over.'],
    ['--stop 2 --limit 1 --slippage 1%', '--slippage has no meaning with --limit.'],
    ['--over 1h --passive --slippage 1%', '--slippage has no meaning with --passive.'],
    ['--chase --trigger last', '--trigger needs --stop or --trail.'],
    ['--stop 1 --account cross', 'Algo orders trade on the spot account only.'],
    ['--stop 1 --id mine1', '--id and --stop exclude each other.'],
    ['--stop 1 --wait filled', '--wait and --stop exclude each other.'],
    ['--stop 1 --override price-band', '--override has no meaning for an algo order.'],
    ['--trail 0', '"0" is not a trail distance.'],
    ['--trail 1.5ticks', '"1.5ticks" is not a trail distance.'],
    ['--stop 1 --slippage 0', 'The slippage must be a percentage below 100%, with its % sign, not "0".'],
    ['--stop 1 --slippage 100%', 'The slippage must be a percentage below 100%, with its % sign, not "100%".'],
    ['--show 0.05', '--show needs --at.'],
    ['--show 0.05 --stop 27000', '--show needs --at.'],
    ['--at 28000 --show 0.05 --over 2h', '--over and --show exclude each other.'],
    ['--at 28000 --show 0.05 --chase', '--chase and --show exclude each other.'],
    ['--at 28000 --show 0.05 --ioc', '--ioc and --show exclude each other.'],
    ['--at 28000 --show 0.05 --slippage 1%', '--slippage needs --stop, --trail or --over.'],
    ['--at 28000 --show 0.05 --id mine1', '--id and --show exclude each other.'],
    ['--at 28000 --show 0.1', '--show 0.1 is not below the amount 0.1: all of it would rest.'],
    ['--at 28000 --show 0', '"0" is not an amount.'],
    ['--chase --when lsat>1', 'There is no condition "lsat>1". Did you mean last?'],
  ])('%s', async (flags, message) => {
    const error = await pit.failure(`order sell btc_usdt 0.1 ${flags} --yes`, 2);
    expect(error.message).toBe(message);
  });
});

describe('prices that contradict each other in any market are refused before a confirmation is asked for', () => {
  it.each([
    ['sell', '--stop 31000 --take 30000', 'The stop 31000 is not below the take-profit 30000.'],
    ['buy', '--stop 30000 --take 31000', 'The stop 30000 is not above the take-profit 31000.'],
    ['buy', '--at 28000 --stop 29000', 'The stop 29000 is not below the price of the entry 28000.'],
    ['buy', '--at 28000 --take 27000', 'The price of the entry 28000 is not below the take-profit 27000.'],
    ['sell', '--at 28000 --take 29000', 'The price of the entry 28000 is not above the take-profit 29000.'],
    [
      'sell',
      '--stop 27000 --limit 27500',
      'The limit 27500 is above the stop 27000: what a reached stop sends would not fill.',
    ],
    [
      'buy',
      '--stop 27000 --limit 26500',
      'The limit 26500 is below the stop 27000: what a reached stop sends would not fill.',
    ],
    ['sell', '--trail 150%', 'A trail of 150% never ends.'],
  ])('%s %s', async (side, flags, message) => {
    const error = await pit.failure(`order ${side} btc_usdt 0.1 ${flags}`, 2);
    expect(error.message).toBe(message);
  });

  it('but a take-profit on this side of the bound of a chase may be above what the entry pays', async () => {
    const error = await pit.failure('order buy btc_usdt 0.1 --chase --at 90000 --take 80000', 8);
    expect(error.message).toContain('This needs confirmation');
  });
});

describe('what an iceberg shows is held against the market before anything is created', () => {
  it.each([
    ['0.1', '0.0000001', 'The shown amount 0.0000001 has more decimals than btc_usdt takes.'],
    ['0.1', '0.00001', 'The shown amount 0.00001 is below the minimum of 0.0001 btc at 28,000.00.'],
    ['0.1', '1usdt', /^The shown amount 0\.00003\d* is below the minimum of /],
    ['100usdt', '200usdt', /^The shown amount 0\.00714\d is not below the amount 0\.00357\d: all of it would rest\.$/],
    ['0.00015', '0.00012', /^In parts of up to 0\.00012, 0\.00015 btc leaves a part below the minimum of /],
  ])('%s --show %s', async (amount, show, message) => {
    const error = await pit.failure(`order buy btc_usdt ${amount} --at 28000 --show ${show} --yes`, 2);
    expect(error.message).toMatch(message);
  });
});

it('a TWAP may be as short as the time between two slices', async () => {
  const line = 'order sell btc_usdt 0.01 --over 5m --every 5m --dry-run';
  expect(await pit.json(line)).toMatchObject({ operation: 'algo', request: { kind: 'twap' } });
});

it('an algo order without an amount is refused: pit never asks for its parts', async () => {
  const error = await pit.failure('order sell btc_usdt --stop 27000', 2);
  expect(error).toMatchObject({
    message: 'An algo order needs a side, a market and an amount.',
    hint: 'Write them before the flags, for instance: sell btc_usdt 0.1',
  });
});

it.each([
  ['buy', 'asks', { asks: [], bids: [[27_800, 5]] }],
  ['sell', 'bids', { asks: [[28_200, 5]], bids: [] }],
])('a %s at the best price is refused if the book has no %s', async (side, missing, book) => {
  const { network } = pit.world;
  network.rewrite = (body, { operation }) =>
    operation === 'depth' ? JSON.stringify({ ...book, timestamp: 1_700_000_000 }) : body;
  const error = await pit.failure(`order ${side} btc_usdt 0.1 --over 1h --yes`, 3);
  network.rewrite = (body) => body;
  expect(error).toMatchObject({
    message: `The book of btc_usdt has no ${missing}.`,
    hint: 'Try again when it has some.',
  });
});
