import { describe, expect, it } from 'vitest';
import type { Names } from '../../../src/commands/completion/complete.js';
import { commandTree } from '../../../src/commands/reference/index.js';
import { completeLine } from '../../../src/commands/shell/complete.js';

const tree = await commandTree();

const NAMES: Names = {
  words: (kind, profile) =>
    ({
      markets: profile === 'demo' ? ['ltc_usdt'] : ['btc_usdt', 'eth_usdt'],
      coins: ['btc', 'usdt'],
      unresolved: ['lost1'],
    })[kind],
  orders: () => [
    { market: 'btc_usdt', id: '11', clientId: 'mine1', terms: null },
    { market: 'eth_usdt', id: '22', clientId: null, terms: null },
  ],
  profiles: () => ['sandbox', 'demo'],
  algos: () => ['a4k7x2q'],
  prepared: () => ['pit0123456789abcdef01234567'],
};

/** The line with each candidate in place of its end. */
async function completed(line: string): Promise<string[]> {
  const { candidates, replaces } = completeLine(line, tree, NAMES);
  return candidates.map((candidate) => line.slice(0, line.length - replaces.length) + candidate);
}

describe('completion in pit shell', () => {
  it('offers commands, and the words of the shell', async () => {
    expect(await completed('de')).toEqual(['depth', 'deposits']);
    expect(await completed('us')).toEqual(['use ']);
    expect(await completed('pit dep')).toEqual(['pit depth', 'pit deposits']);
    expect(await completed('order sh')).toEqual(['order show ']);
  });

  it('offers the markets that pit has seen, also for another spelling', async () => {
    expect(await completed('depth b')).toEqual(['depth btc_usdt ']);
    expect(await completed('depth BTC/')).toEqual(['depth btc_usdt ']);
    expect(await completed('use e')).toEqual(['use eth_usdt ']);
    for (const line of ['use btc_usdt ', 'use -', 'use --s']) expect(await completed(line)).toEqual([]);
    expect(await completed('--profile demo depth ')).toEqual(['--profile demo depth ltc_usdt ']);
  });

  it('offers orders of the market on the line', async () => {
    expect(await completed('cancel btc_usdt ')).toEqual(['cancel btc_usdt 11 ']);
    expect(await completed('order show btc_usdt --id ')).toEqual(['order show btc_usdt --id mine1 ']);
    expect(await completed('resolve ')).toEqual(['resolve lost1 ']);
  });

  it('offers algo orders that have not ended', async () => {
    for (const command of ['show', 'cancel', 'pause', 'resume'])
      expect(await completed(`algo ${command} a`)).toEqual([`algo ${command} a4k7x2q `]);
  });

  it('offers flags that are not given yet, and their values', async () => {
    expect(await completed('order buy btc_usdt 1 --at=b')).toContain('order buy btc_usdt 1 --at=bid');
    expect(await completed('depth btc_usdt --si')).toEqual(['depth btc_usdt --size ']);
    expect(await completed('depth btc_usdt --size 5 --si')).toEqual([]);
    expect(await completed('--profile d')).toEqual(['--profile demo ']);
  });

  it('offers channels, markets after them, and types of candles', async () => {
    expect(await completed('stream kl')).toEqual(['stream kline:']);
    expect(await completed('stream kline:b')).toEqual(['stream kline:btc_usdt:']);
    expect(await completed('stream kline:btc_usdt:1d')).toEqual(['stream kline:btc_usdt:1day ']);
  });

  it('offers the parameters of an operation', async () =>
    expect(await completed('api depth ma')).toContain('api depth market='));

  it('leaves what follows a pipe, and what a quote holds, alone', async () => {
    expect(await completed('depth btc_usdt | de')).toEqual([]);
    expect(await completed('depth "b')).toEqual([]);
  });
});
