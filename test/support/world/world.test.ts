import { describe, expect, it } from 'vitest';
import { CUT_ANSWER, LOST, LOST_ANSWER, late, PASS, SILENCE, slow, TWICE } from './network.js';
import { testWorld } from './world.js';

const MARKETS = { btc_usdt: { bid: '29990.00', ask: '30000.00' } };
const ORDER = 'order buy btc_usdt 0.01 --at 29900 --yes --json';

/** The orders of the account, as the exchange itself has them. */
const placed = (world: Awaited<ReturnType<typeof testWorld>>) =>
  world
    .sent('order')
    .flatMap(({ answers }) => answers)
    .filter((answer) => answer.includes('1000'));

describe('a world for tests', () => {
  it('runs a command against an exchange without a port, and its record shows what was sent', async () => {
    const world = await testWorld({ markets: MARKETS, balances: { usdt: '1000' } });
    const { code, stdout, stderr } = await world.run('order buy btc_usdt 0.01 --at ask --yes --json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'placed' });
    expect(placed(world)).toHaveLength(1);
    expect(await world.json('balance btc')).toMatchObject([{ coin: 'btc' }]);
  });

  it.each([
    ['loses the answer', LOST_ANSWER, 1, 'placed'],
    ['loses the request', LOST, 0, 'counts as not sent'],
    ['carries it out twice', TWICE, 2, 'placed'],
    ['is slow', slow(9_000), 1, 'placed'],
    ['cuts the answer off', CUT_ANSWER, 1, 'placed'],
    ['says nothing', SILENCE, 0, 'counts as not sent'],
    ['delivers it after it seemed lost', late(5_000), 1, 'placed'],
  ] as const)('has a network that %s, and pit finds out in no real time', async (_, fault, executions, said) => {
    let count = 0;
    const faults = ({ operation }: { operation: string }) => (operation === 'order' && count++ === 0 ? fault : PASS);
    const world = await testWorld({ markets: MARKETS, faults });
    const { stdout, stderr } = await world.run(`${ORDER} --timeout 120`);
    expect([placed(world).length, stdout + stderr]).toEqual([executions, expect.stringContaining(said)]);
  });

  it('keeps the limits on its own clock: 80 requests take more than one of its seconds', async () => {
    const world = await testWorld({ markets: MARKETS });
    const start = world.clock.now();
    const all = Array.from({ length: 80 }, () => world.run('account --json'));
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual(all.map(() => 0));
    expect(world.clock.now() - start).toBeGreaterThan(1_000);
    // as the exchange counts them, on the same clock
    expect(
      world.network.requests.filter(({ answers }) => answers.some((answer) => !answer.includes('"sandbox"'))),
    ).toEqual([]);
  });

  it('types into a terminal what is awaited there', async () => {
    const world = await testWorld({ markets: MARKETS });
    const steps = [{ await: '[y/N]', type: 'y\r' }];
    const { code, screen } = await world.run('order buy btc_usdt 0.01 --at ask', { steps });
    expect([code, placed(world).length, screen]).toEqual([0, 1, expect.stringContaining('Placed')]);
  });

  it('ends a question with the time of the command, without a real second', async () => {
    const world = await testWorld({ markets: MARKETS });
    const start = world.clock.now();
    const { code, screen } = await world.run('order buy btc_usdt 0.01 --at ask --timeout 30', { steps: [] });
    expect([code, screen]).toEqual([8, expect.stringContaining('not answered within 30 seconds')]);
    expect(world.clock.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  it('follows streams over a connection of its own, and a cut of it', async () => {
    const world = await testWorld({ markets: MARKETS });
    const stream = world.start('stream depth:btc_usdt --json');
    await world.until(() => stream.printed.stdout.includes('29990'));
    world.exchange.cutStreams();
    await world.pass(5_000);
    world.exchange.quote('btc_usdt', { bid: '29980.00', ask: '29995.00' });
    await world.until(() => stream.printed.stdout.includes('29980'));
    expect(stream.printed.stdout).toContain('"reason":"connection reset"');
    await stream.interrupt('SIGINT');
    await world.until(() => stream.isOver);
  });

  it('kills a process before it changes a file, and the next one finds what is on disk', async () => {
    const world = await testWorld({ markets: MARKETS, latencyMs: 20 });
    const killed = world.start(ORDER);
    await world.until(() => placed(world).length === 1);
    killed.kill();
    expect((await killed.ended).signal).toBe('SIGKILL');
    const resolved = await world.json<object[]>('resolve');
    expect(resolved).toMatchObject([{ outcome: 'placed' }]);
    expect(placed(world)).toHaveLength(1);
  });

  it('kills at each change of a file: whatever point it was, no order is lost or doubled', async () => {
    const world = await testWorld({ markets: MARKETS });
    let points = 0;
    for (let point = 0; ; point += 1) {
      let passed = 0;
      const { signal } = await world.run(ORDER.replace('0.01', `0.01${point}1`), { kill: () => passed++ === point });
      expect(await world.json('orders btc_usdt')).toHaveLength(placed(world).length);
      if (signal === null) break;
      points += 1;
    }
    expect(points).toBeGreaterThan(5);
  });

  it('watches algo orders in a process of its own, and a kill of it leaves them unprotected', async () => {
    const world = await testWorld({ markets: MARKETS, balances: { btc: '1', usdt: '1000' } });
    const { id, watched } = await world.json<{ id: string; watched: boolean }>(
      'order sell btc_usdt 0.01 --stop 29000 --yes',
    );
    expect(watched).toBe(true);
    world.exchange.quote('btc_usdt', { bid: '28990.00', ask: '29010.00' });
    await world.until(() => world.sent('order').length > 0);
    await world.pass(5_000);
    expect(await world.json(`algo show ${id}`)).toMatchObject({ state: 'done' });
  });
});
