import { describe, expect, it } from 'vitest';
import type { Names } from '../../../src/commands/completion/complete.js';
import { correctionOf } from '../../../src/commands/completion/corrections.js';
import { commands } from '../../../src/commands/index.js';
import type { Advice } from '../../../src/errors.js';

const NEW: Names = {
  words: () => [],
  orders: () => [],
  profiles: () => ['sandbox'],
  algos: () => [],
  prepared: () => [],
};
const KNOWN: Names = {
  ...NEW,
  words: (kind) =>
    ({
      markets: ['btc_usdt', 'eth_btc', 'eth_usdt'],
      coins: [],
      unresolved: [],
    })[kind],
  orders: () => [
    { market: 'btc_usdt', id: '202611210000000001', clientId: null, terms: 'buy 0.5 at 28,000.00' },
    { market: 'eth_usdt', id: '202611210000000002', clientId: 'mine0001', terms: null },
  ],
};

function lineOf(advice: Advice): string[] {
  return [advice].flat().flatMap((part) => (typeof part === 'string' ? [] : part.argv.join(' ')));
}

/** The lines that a correction names. */
async function corrected(path: string, rest: string, known = KNOWN, market?: string): Promise<string[]> {
  const load = commands[path];
  if (load === undefined) throw new Error(`no command ${path}`);
  const found = correctionOf(path, (await load()).default, rest === '' ? [] : rest.split(' '), known, market);
  return found === undefined ? [] : lineOf(found.hint);
}

describe('a line that cannot be read', () => {
  it.each([
    // a price without its flag
    ['order', 'buy btc_usdt 0.5 ask', 'order buy btc_usdt 0.5 --at ask'],
    ['order', 'buy btc_usdt 0.5 28000', 'order buy btc_usdt 0.5 --at 28000'],
    ['order', 'buy btc_usdt 0.5 --price=28000', 'order buy btc_usdt 0.5 --at 28000'],
    // what another program's flag calls an amount is no price
    ['order', 'buy btc_usdt --qty 0.5 28000', 'order buy btc_usdt 0.5 --at 28000'],
    ['order', 'buy btc_usdt 28000 --qty 0.5', 'order buy btc_usdt 0.5 --at 28000'],
    // words in another order, or with the flags of other programs
    ['order', 'btc_usdt buy 0.5 --at ask', 'order buy btc_usdt 0.5 --at ask'],
    ['order', 'buy 0.5 btc_usdt --at ask', 'order buy btc_usdt 0.5 --at ask'],
    ['order', '0.5 btc_usdt buy ask', 'order buy btc_usdt 0.5 --at ask'],
    ['order', '--side buy --symbol btc_usdt --amount 0.5 --at ask', 'order buy btc_usdt 0.5 --at ask'],
    ['order', 'buy btc_usdt 0.5 --at ask -y', 'order buy btc_usdt 0.5 --at ask --yes'],
    ['withdraw', '0.5 btc --to addr1', 'withdraw btc 0.5 --to addr1'],
    ['withdraw', 'btc 0.5 --address addr1', 'withdraw btc 0.5 --to addr1'],
    [
      'withdraw',
      'btc 0.5 1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
      'withdraw btc 0.5 --to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    ],
    // the exchange has no market orders
    ['order', 'buy btc_usdt 0.5 --market', 'order buy btc_usdt 0.5 --at ask --ioc'],
    ['order', 'market sell btc_usdt 0.5', 'order sell btc_usdt 0.5 --at bid --ioc'],
    ['order', 'buy btc_usdt 0.5 --at best', 'order buy btc_usdt 0.5 --at ask --ioc'],
    // markets and coins
    ['depth', '-m btc_usdt', 'depth btc_usdt'],
    ['depth', '--symbol=btc_usdt', 'depth btc_usdt'],
    ['depth', 'btc_usdt 20', 'depth btc_usdt --size 20'],
    ['balance', '--coin btc', 'balance btc'],
    ['balance', 'BTC,ETH', 'balance BTC ETH'],
    // an amount with its coin as a word of its own, and a mistyped side
    ['order', 'buy btc_usdt 100 usdt --at ask', 'order buy btc_usdt 100usdt --at ask'],
    ['order', 'buy btc_usdt 100 usdt ask', 'order buy btc_usdt 100usdt --at ask'],
    ['order', 'by btc_usdt 0.5 --at ask', 'order buy btc_usdt 0.5 --at ask'],
    // types, sizes, times, states
    ['kline', 'btc_usdt 1h', 'kline btc_usdt --type 1h'],
    ['kline', '1h btc_usdt', 'kline btc_usdt --type 1h'],
    ['kline', 'btc_usdt --interval 1h --limit 10', 'kline btc_usdt --type 1h --size 10'],
    ['bills', '--since 7d', 'bills --from 7d'],
    ['orders', '--open', 'orders --state open'],
    ['orders', 'btc_usdt --closed', 'orders btc_usdt --state all'],
    ['orders', 'btc_usdt --filled', 'orders btc_usdt --state filled'],
    ['orders', 'btc_usdt buy filled', 'orders btc_usdt --side buy --state filled'],
    // orders
    ['cancel', '202611210000000001', 'cancel btc_usdt 202611210000000001'],
    ['cancel', '--id mine0001', 'cancel eth_usdt --id mine0001'],
    ['order show', '202611210000000001', 'order show btc_usdt 202611210000000001'],
    ['order replace', '202611210000000001 28000', 'order replace btc_usdt 202611210000000001 --at 28000'],
    // help
    ['order', 'help', 'order --help'],
    ['order batch', 'buy help', 'order batch --help'],
  ])('suggests the line that was meant: %s %s', async (path, rest, line) => {
    expect(await corrected(path, rest)).toEqual([line]);
  });

  it.each([
    ['order', 'buy 0.5', 'order buy MARKET 0.5 --at PRICE', 'order buy eth_usdt 0.5 --at PRICE'],
    ['order', 'buy --qty 5', 'order buy MARKET 5 --at PRICE', 'order buy eth_usdt 5 --at PRICE'],
    ['order', 'buy 100 usdt --at ask', 'order buy MARKET 100usdt --at ask', 'order buy eth_usdt 100usdt --at ask'],
    ['order', 'buy 100usdt --at ask', 'order buy MARKET 100usdt --at ask', 'order buy eth_usdt 100usdt --at ask'],
    ['cancel', '12345', 'cancel MARKET 12345', 'cancel eth_usdt 12345'],
    ['cancel', '12345 12346', 'cancel MARKET 12345 12346', 'cancel eth_usdt 12345 12346'],
    ['order show', 'mine0007', 'order show MARKET mine0007', 'order show eth_usdt mine0007'],
    ['order replace', '12345 --at 5', 'order replace MARKET 12345 --at 5', 'order replace eth_usdt 12345 --at 5'],
  ])('names the market that %s %s lacks, that of the prompt if there is one', async (path, rest, line, atPrompt) => {
    const hints = path === 'order' ? [] : ['orders'];
    expect(await corrected(path, rest)).toEqual([line, ...hints]);
    expect(await corrected(path, rest, KNOWN, 'eth_usdt')).toEqual([atPrompt, ...hints]);
  });

  it('needs no known names for most of it', async () => {
    expect(await corrected('order', 'btc_usdt buy 0.5 ask', NEW)).toEqual(['order buy btc_usdt 0.5 --at ask']);
    expect(await corrected('kline', 'btc_usdt 1h', NEW)).toEqual(['kline btc_usdt --type 1h']);
  });

  it('lists the markets of a coin that is given in place of a market', async () => {
    const { default: depth } = (await commands.depth?.()) ?? {};
    const found = depth && correctionOf('depth', depth, ['eth', '--size', '5'], KNOWN);
    expect(found).toEqual({
      message: '"eth" is a coin, not a market.',
      hint: ['Its markets: eth_btc, eth_usdt.', { note: 'For example', argv: ['depth', 'eth_btc', '--size', '5'] }],
    });
    expect(await corrected('ticker', 'btc')).toEqual(['ticker btc_usdt']);
    expect(await corrected('depth', 'doge')).toEqual([]);
  });

  it('answers a missing or extra word with an example', async () => {
    expect(await corrected('deposits', '')).toEqual(['deposits usdt', 'deposits --help']);
    expect(await corrected('trades', 'btc_usdt 5')).toEqual(['trades btc_usdt', 'trades --help']);
    // the quotes of an example are those of a shell
    expect(await corrected('alert', '')).toEqual(['alert btc_usdt last>30000', 'alert --help']);
  });

  it.each([
    // words that every object of JavaScript has
    ['order', 'buy constructor 1 --at 1'],
    ['order', 'buy __proto__ 1 --at 1'],
    ['order', 'buy btc_usdt 0.5 --at 28k'],
    ['order', 'buy btc_usdt 0.5 --at ask --force'],
    ['order', 'buy btc_usdt 1e-3 --at ask'],
    // 1500, or 1.5
    ['order', 'buy btc_usdt 1,500 --at ask'],
    ['depth', 'nonsense'],
    ['cancel-after', 'btc_usdt --hold -- sleep'],
  ])('suggests nothing if no correction is close: %s %s', async (path, rest) => {
    expect(await corrected(path, rest)).toEqual([]);
  });
});
