import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import type { TerminalStep } from '../../support/terminal.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import type { OrderRow } from '../order/order-rows.js';
import { useWorld, useWorldPerTest } from '../pit-home.js';
import { AMOUNT, CONFIRM, MARKET, PRICE, SIDE, TYPE } from './questions.js';

const CTRL_C = '\u0003';
const DOWN = '\u001b[B';
const ALL = [...MARKET, SIDE, AMOUNT, PRICE, TYPE, CONFIRM];

describe('the guided order, on a terminal', () => {
  const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
  beforeEach(() => pit.done('markets'));

  function expectReset({ screen, echoes }: { screen: string; echoes: boolean }): void {
    expect(echoes).toBe(true);
    // the cursor may be hidden on the way
    expect(screen.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(screen.lastIndexOf('\u001b[?25l'));
  }

  /** On a terminal as the program sees one. */
  async function at(line: string, steps: readonly TerminalStep[], { columns = 100 } = {}) {
    const result = await pit.terminal(line, { environment: { NO_COLOR: '1' }, columns, rows: 50, steps });
    expectReset(result);
    return result;
  }

  function open(): Promise<OrderRow[]> {
    return pit.json<OrderRow[]>('orders btc_usdt');
  }

  function journal(): boolean {
    return existsSync(path.join(pit.home, 'state', 'journal', 'sandbox', 'unsettled'));
  }

  describe('places nothing', () => {
    const questions: [name: string, before: number][] = [
      ['market', 0],
      ['side', MARKET.length],
      ['amount', MARKET.length + 1],
      ['price', MARKET.length + 2],
      ['type', MARKET.length + 3],
      ['confirmation', MARKET.length + 4],
    ];

    it.each(questions)('Ctrl-C at the %s places nothing', async (_name, before) => {
      const last = ALL[before]?.await ?? '';
      const { status } = await at('order', [...ALL.slice(0, before), { await: last, type: CTRL_C }]);
      expect([status, await open(), journal()]).toEqual([130, [], false]);
    });

    it('an order without confirmation is not placed, and is shown in one line', async () => {
      const { screen, status } = await at('order', [...ALL.slice(0, -1), { await: '[y/N]', type: '\r' }]);
      expect([status, await open(), journal()]).toEqual([8, [], false]);
      expect(screen).toContain('pit order buy btc_usdt 0.01 --at 20000');
    });

    it('a dry run places nothing', async () => {
      const { screen, status } = await at('order --dry-run', ALL.slice(0, -1));
      expect([status, await open(), journal()]).toEqual([0, [], false]);
      expect(screen).toContain('Dry run: nothing was sent.');
      expect(screen).toContain('pit order buy btc_usdt 0.01 --at 20000 --dry-run');
    });
  });

  it('asks for each part, and places the order of its preview', async () => {
    const { screen, status } = await at('order', ALL);
    expect(status).toBe(0);
    for (const words of [
      'Nothing is sent before you confirm. Press Escape to go back a question',
      'Available: 250,000 usdt',
      '0.01 btc for 200 usdt. It would rest in the book.',
      'may rest for a long time',
      '250,000 usdt, then 249,800',
    ])
      expect(screen).toContain(words);
    const [placed, ...others] = await open();
    expect(placed).toMatchObject({ side: 'buy', type: 'limit', price: '20000.00', amount: '0.010000' });
    expect(others).toEqual([]);
    expect(screen).toContain(placed?.id);
    // it ends by showing the command line that does the same
    const [, line = ''] = /The same in one line:\s*pit (order .*?)\s*\r?\n/.exec(screen) ?? [];
    expect(line).toBe('order buy btc_usdt 0.01 --at 20000');
    await pit.done(`${line} --yes`);
    expect(await open()).toMatchObject([
      { price: '20000.00', amount: '0.010000' },
      { price: '20000.00', amount: '0.010000' },
    ]);
  });

  it('asks only for what is missing', async () => {
    const steps = [PRICE, { await: '[y/N]', type: 'y\r' }];
    const { screen, status } = await at('order buy btc_usdt 0.02 --post-only', steps);
    expect(status).toBe(0);
    for (const asked of ['Market:', 'Buy or sell', 'How much', 'Type:']) expect(screen).not.toContain(asked);
    expect(screen).toContain('pit order buy btc_usdt 0.02 --at 20000 --post-only');
    expect(await open()).toMatchObject([{ type: 'postOnly', amount: '0.020000' }]);
  });

  it('accepts a relative price and amount, and keeps them in the command line', async () => {
    const steps = [
      { await: 'Buy or sell', type: `${DOWN}\r` },
      { await: 'How much btc to sell:', type: '10%' },
      { await: '0.5 btc, about', type: '\r' },
      { await: 'ask ', type: 'ask+5%' },
      { await: 'above mid', type: '\r' },
      { await: 'Type:', type: `${DOWN}\r` },
      CONFIRM,
    ];
    // the market is given, the side is asked for all the same
    const { screen, status } = await at('order --id guided1', [...MARKET, ...steps]);
    expect(status).toBe(0);
    expect(screen).toContain('PostOnly (rejected');
    expect(screen).toContain('pit order sell btc_usdt 10% --at ask+5% --post-only');
    expect(await pit.json('order show btc_usdt --id guided1')).toMatchObject({ side: 'sell', amount: '0.500000' });
  });

  it('asks for nothing with --yes, and names what is missing', async () => {
    const { screen, status } = await at('--yes order buy btc_usdt 0.01', []);
    expect([status, screen]).toEqual([2, expect.stringContaining('The price is missing')]);
    expect(screen).not.toContain('ask ');
  });

  it('says what is wrong with an answer, and asks again', async () => {
    const clear = '\u0015';
    const steps = [
      { await: 'How much', type: '0,5\r' },
      { await: 'without separators', type: `${clear}0.0000001\r` },
      { await: 'At most 6 decimals', type: `${clear}0.00001\r` },
      { await: 'minimum of 0.0001 btc', type: `${clear}5eth\r` },
      { await: 'trades btc for usdt', type: `${clear}0.5usdt\r` },
      { await: 'minimum of 1 usdt', type: `${clear}300000usdt` },
      { await: 'More than the', type: `${clear}0.01\r` },
      { await: 'ask ', type: '28 000\r' },
      { await: 'without separators', type: `${clear}market\r` },
      { await: 'or bid, ask or mid', type: `${clear}20000.123\r` },
      { await: 'a tick is 0.01', type: `${clear}ask+50%` },
      { await: 'Outside the price band', type: `${clear}<\r` },
      { await: 'How much', type: CTRL_C },
    ];
    const { status } = await at('order buy btc_usdt', steps);
    expect(status).toBe(130);
  });

  it('asks for the amount again if price and amount are below the minimum', async () => {
    const steps = [
      { await: 'How much', type: '0.0001\r' },
      { await: 'ask ', type: '5000\r' },
      { await: 'How much', type: '0.001\r' },
      { await: 'ask ', type: '5000\r' },
      TYPE,
      CONFIRM,
    ];
    const { screen, status } = await at('order buy btc_usdt', steps);
    expect(status).toBe(0);
    expect(screen).toContain('below the minimum');
    expect(screen).toContain('pit order buy btc_usdt 0.001 --at 5000');
    await at('order buy btc_usdt 0.0001', [
      { await: 'ask ', type: '5000\r' },
      { await: 'below the minimum', type: '' },
    ]).then((result) => expect(result.status).toBe(2));
  });

  it('updates the market while it waits', async () => {
    const updates = Array.from({ length: 3 }, () => ({ await: 'bid ' }));
    const steps = [...updates, { await: 'bid ', type: 'bid' }, { await: 'would rest', type: CTRL_C }];
    expect((await at('order buy btc_usdt 0.01', steps)).status).toBe(130);
  });

  it('refuses a share on margin, where the balance is unknown', async () => {
    const steps = [
      { await: 'Available: unknown amount of usdt', type: '50%\r' },
      { await: 'Type the amount itself', type: CTRL_C },
    ];
    expect((await at('order buy btc_usdt --account cross', steps)).status).toBe(130);
  });

  it.each([40, 80])('fits %i columns and breaks no word', async (columns) => {
    const steps = [{ await: 'ask ', type: 'mid-0.5%' }, { await: 'rest in the' }, { await: 'bid ', type: CTRL_C }];
    const { screen } = await at('order buy btc_usdt 0.01', steps, { columns });
    const words = screen.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, ' ');
    for (const word of ['Escape', 'below', 'btc', 'usdt.', 'rest']) expect(words).toMatch(new RegExp(`\\s${word}\\s`));
  });

  it('suggests no command if an identical order may be live', async () => {
    await pit.done('sandbox fault add drop-before --operation order --count 1');
    const lost = await pit.run('order buy btc_usdt 0.021 --at 20000 --yes --timeout 10');
    expect(lost.code).toBe(6);
    const { screen, status } = await at('order buy btc_usdt 0.021 --post-only', [PRICE]);
    expect(status).toBe(2);
    expect(screen).toContain('pit resolve');
    expect(screen).not.toContain('in one line');
  });
});

describe('an order with parts missing, without a terminal', () => {
  const pit = useWorld({ markets: STILL_MARKETS });

  it.each([
    ['order', /side/],
    ['order buy', /market/],
    ['order buy btc_usdt', /amount/],
    ['order buy btc_usdt 0.01', /price/],
    ['order --at 20000', /side/],
  ])('%s is a usage error that names the first missing part', async (line, names) => {
    for (const words of [line, `${line} --yes`, `${line} --dry-run`]) {
      const error = await pit.failure(words, 2, { input: 'y\n' });
      expect(error.message).toMatch(names);
      expect(error.message).toContain('is missing');
    }
  });
});
