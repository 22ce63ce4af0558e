import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { eventually } from '../../support/eventually.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});

interface Algo {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly watched: boolean;
  readonly remaining: string;
  readonly exit: { readonly stop: string | null; readonly level: string | null } | null;
  readonly children: readonly { readonly role: string; readonly state: string; readonly algo: string | null }[];
}

/** A preview with its numbers made alike. */
const shape = (text: string) =>
  text
    .replace(/[\d,]+\.\d+/g, 'N')
    .replace(/http:\S+/g, 'HOST')
    .replace(/ +\n/g, '\n');

describe('the preview of an algo order says in sentences what it does, and who knows which part', () => {
  const preview = async (words: string) => {
    const lines = (await pit.done(`order ${words} --dry-run`)).split('\n');
    const from = lines.findIndex((line) => line.startsWith('does'));
    const to = lines.findIndex((line) => line.startsWith('available'));
    return shape(
      lines
        .slice(from, to)
        .map((line) => line.slice(16))
        .join('\n'),
    );
  };

  it.each([
    [
      'sell btc_usdt 0.1 --stop bid-2%',
      `When the best bid is at or below N, pit sells N btc.
It fills at once, up to 1% below the price that reached it, here N; what does not fill rests there.
nothing yet
the stop: if no process of pit watches, nothing protects you`,
    ],
    [
      'sell btc_usdt 0.1 --stop bid-2% --limit bid-3%',
      `When the best bid is at or below N, pit sells N btc.
It sends a limit order at N.
nothing yet
the stop: if no process of pit watches, nothing protects you`,
    ],
    [
      'sell btc_usdt 0.1 --take ask+5% --trail 2% --slippage 0.5%',
      `A take-profit to sell N btc rests at N.
The stop follows the highest bid at a distance of 2%: N now; it never goes back.
When the best bid reaches the stop, pit cancels the take-profit, waits for its outcome, and sells what is left.
It fills at once, up to N% below the price that reached it; what does not fill rests there.
the take-profit
the trailing stop: if no process of pit watches, nothing protects you`,
    ],
    [
      'buy btc_usdt 0.1 --at bid-1% --take ask+5% --stop bid-4% --for 1h',
      `pit places a limit order to buy N btc at N.
What has not filled after 1h is given up.
Each fill is protected at once, by what it leaves after the fee.
A take-profit to sell what has filled rests at N.
When the best bid is at or below N, pit cancels the take-profit, waits for its outcome, and sells what is left.
It fills at once, up to 1% below the price that reached it, here N; what does not fill rests there.
the order of the entry, and the take-profit of what has filled
when it is given up, that fills are to be protected, the stop: if no process of pit watches, nothing protects you`,
    ],
    [
      'buy btc_usdt 1 --over 2h --every 30s',
      `pit buys 1 btc over 2h in 240 slices, each filling at once, up to 1% past the best ask. What a slice leaves is spread over the time that is left.
the order that rests at the moment, if any
the slices: if no process of pit watches, nothing happens`,
    ],
    [
      'sell btc_usdt 0.1 --chase --at 1.5 --when close:15m>28000',
      `pit places nothing before close:15min>28000 holds.
Then pit rests PostOnly at the best ask to sell N btc, never below N, and follows the best ask at most once a second.
the order that rests at the moment, if any
the condition, the chase: if no process of pit watches, nothing happens`,
    ],
    [
      'sell btc_usdt 0.1 --at ask+1% --show 0.03 --post-only --stop ask+3% --limit ask+4%',
      `pit places 4 PostOnly orders to sell N btc at N, one after the other: at most N btc rests, and the next one is placed when the last has filled.
Each fill is protected at once, by what it leaves after the fee.
When the best ask is at or above N, pit buys what has filled.
It sends a limit order at N.
the part that rests
the next parts, that fills are to be protected, the stop: if no process of pit watches, nothing protects you`,
    ],
  ])('%s', async (words, expected) => {
    expect(await preview(words)).toBe(expected);
  });

  it('--dry-run --json has the terms and the sentences, and creates nothing', async () => {
    const dry = await pit.json<{ operation: string; request: { kind: string }; preview: { does: string[] } }>(
      'order sell btc_usdt 0.1 --stop bid-2% --dry-run',
    );
    expect([dry.operation, dry.request.kind, dry.preview.does.length]).toEqual(['algo', 'stop', 2]);
    expect(await pit.json('algo list --all')).toEqual([]);
  });

  it('a plain order is no algo order', async () => {
    expect(await pit.json('order buy btc_usdt 0.01 --at bid-10% --yes')).toMatchObject({ outcome: 'placed' });
  });
});

describe('an algo order', () => {
  it('that nobody confirms is refused before any request, and one in a halted account is not created', async () => {
    expect((await pit.failure('order sell btc_usdt 0.1 --stop bid-2%', 8)).kind).toBe('declined');
    await pit.done('halt');
    expect((await pit.failure('order sell btc_usdt 0.1 --stop bid-2% --yes', 2)).message).toContain('halted');
    expect(await pit.json('algo list --all')).toEqual([]);
  });

  it('is listed, shown, paused, resumed and cancelled by its id, and its orders are marked', async () => {
    const made = await pit.json<Algo>('order sell btc_usdt 0.1 --take ask+20% --stop bid-20% --yes');
    expect(made).toMatchObject({ kind: 'oco', watched: true, remaining: '0.1', unprotected: null, excess: null });
    const { id } = made;
    await eventually(async () => expect((await pit.json<Algo>(`algo show ${id}`)).children).toHaveLength(1));
    expect(await pit.json<Algo[]>('orders btc_usdt --side sell')).toMatchObject([{ algo: id }]);
    expect(await pit.done('orders btc_usdt --side sell')).toMatch(
      new RegExp(`algo .*\\n.* ${id} [^]*\n1 algo order is at work as well: pit algo list\n$`),
    );
    const unprotected = `Warning: NOT PROTECTED: 1 algo order is paused, so its stop is not sent. Run: pit algo resume ${id} --profile sandbox\n`;
    expect((await pit.run(`algo pause ${id}`)).stderr).toBe(unprotected);
    const again = await pit.run(`algo pause ${id} --json`);
    const since = expect.stringMatching(/^\d{4}-/) as string;
    expect(JSON.parse(again.stdout)).toMatchObject([
      { id, state: 'paused', unprotected: { since, reason: 'you paused it' } },
    ]);
    expect((await pit.run(`algo pause ${id}`)).stderr).toBe(`${id} is paused already: you paused it.\n${unprotected}`);
    expect(await pit.run('algo list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('paused, NOT PROTECTED') as string,
      stderr: unprotected,
    });
    const checks = await pit.run('doctor --json');
    expect(JSON.parse(checks.stdout)).toContainEqual(expect.objectContaining({ check: 'algos', status: 'warn' }));
    expect(await pit.json<Algo[]>(`algo resume ${id}`)).toMatchObject([{ id, state: 'working' }]);
    expect(await pit.run(`algo resume ${id}`)).toMatchObject({ code: 0, stderr: `${id} is not paused.\n` });
    expect(await pit.json<Algo[]>(`algo cancel ${id}`)).toMatchObject([{ id, state: 'cancelled' }]);
    expect(await pit.json('orders btc_usdt --side sell')).toEqual([]);
    expect(await pit.json('algo list')).toEqual([]);
    expect((await pit.failure('algo show azzzzzz', 2)).message).toContain('azzzzzz');
    expect((await pit.failure('algo cancel', 2)).message).toBe('pit algo cancel needs ID or --all.');
  });

  it('is not said to be cancelled without the command that cancels a duplicate that stays open', async () => {
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.1 --take ask+20% --stop bid-20% --yes');
    await eventually(async () => expect((await pit.json<Algo>(`algo show ${id}`)).children).toHaveLength(1));
    const other = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --at ask+20% --yes');
    const shown = await pit.json<{ time: string } | { time: string }[]>(`order show btc_usdt ${other.id}`);
    const order = [shown].flat().map((row) => ({ ...row, time: Date.parse(row.time) }))[0];
    const record = path.join(pit.home, 'state', 'algos', 'sandbox', 'open', id);
    appendFileSync(record, `\n${JSON.stringify({ duplicateOf: `${id}t1`, order, isProven: false })}\n`);
    const { code, stderr } = await pit.run(`algo cancel ${id}`);
    expect(code).toBe(9);
    expect(stderr).toContain(`Order ${other.id} is open and may be a duplicate of an order of ${id}.`);
    expect(stderr).toContain(`pit cancel btc_usdt ${other.id}`);
    expect((await pit.run(`algo show ${id}`)).stderr).toContain(`pit cancel btc_usdt ${other.id}`);
  });

  it('whose record is damaged is named by pit algo list, which ends with exit code 9', async () => {
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const record = path.join(pit.home, 'state', 'algos', 'sandbox', 'open', id);
    appendFileSync(record, '\n{"child":"x"}\n');
    const { code, stderr } = await pit.run('algo list');
    expect(code).toBe(9);
    expect(stderr).toContain(`Not all algo orders are shown: nothing is done for ${id}: its record is damaged: `);
  });

  it('is named with all others that do not exist or have ended, and nothing is changed then', async () => {
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const ended = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    await pit.done(`algo cancel ${ended.id}`);
    for (const verb of ['pause', 'resume', 'cancel'])
      expect((await pit.failure(`algo ${verb} ${id} azzzzzz ${ended.id} ayyyyyy`, 2)).message).toBe(
        `There is no algo order azzzzzz. The algo order ${ended.id} has ended (cancelled). There is no algo order ayyyyyy.`,
      );
    expect((await pit.failure(`algo cancel ${id} azzzzzz ayyyyyy --dry-run`, 2)).message).toBe(
      'No open algo order azzzzzz or ayyyyyy.',
    );
    expect(await pit.json<Algo[]>('algo list')).toMatchObject([{ id, state: 'waiting' }]);
  });

  it('is watched still when a pit algo run that waits for another process ends at --timeout, which says nothing else', async () => {
    await pit.done('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const { code, stderr } = await pit.run('algo run --timeout 2');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Process \d+ watches the algo orders of this account\. This one takes over when that ends\.\n$/,
    );
  });

  it('that was paused by a halt and then cancelled is not said to stay paused when the halt is lifted', async () => {
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    await pit.done('halt');
    await pit.done(`algo cancel ${id}`);
    expect((await pit.run('halt --lift --confirm sandbox')).stderr).not.toContain('stay paused');
  });

  it('that does not exist needs no process: pit algo run says so and ends', async () => {
    expect((await pit.run('algo run')).stderr).toContain('No algo orders to watch.');
  });

  it('is named by pit halt as paused and not protected, and stays paused when the halt is lifted', async () => {
    const { id: pausedBefore } = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    await pit.done(`algo pause ${pausedBefore}`);
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const halted = await pit.json<{ paused: object[] }>('halt');
    expect(halted.paused).toContainEqual({ id, market: 'btc_usdt', protected: false });
    const refused = await pit.failure(`algo resume ${id}`, 2);
    expect(refused.message).toMatch(/^Nothing is resumed: the account is halted since /);
    expect(refused.hint).toContain('pit halt --lift');
    const lifted = await pit.run('halt --lift --confirm sandbox');
    expect(lifted.stderr).toContain(`Resume them: pit algo resume ${id}\n`);
    expect(await pit.json<Algo[]>('algo list')).toContainEqual(expect.objectContaining({ id, state: 'paused' }));
  });
});
