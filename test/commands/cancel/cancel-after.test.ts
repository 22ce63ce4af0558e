import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { timerText } from '../../../src/commands/cancel/hold-timer.js';
import { writeClock } from '../../../src/platform/rehearsal-clock.js';
import type { Timer } from '../../../src/trading/timed-cancel/timer.js';
import { orderRow, parametersOf } from '../../support/wire.js';
import { LOST, LOST_ANSWER, PASS } from '../../support/world/network.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } });

const EFFECT =
  'The exchange will cancel EVERY order of btc_usdt one minute later, including new ones and those of other programs.';

function started(): number {
  return pit.world.sent('cancelAllOrdersAfter').length;
}

describe('pit cancel-after', () => {
  it('shows the effect, what is open and that it cannot be undone, asks, and starts the timer', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 29900 --yes');
    const at = (type: string) =>
      pit.world.run('cancel-after btc_usdt', {
        ...{ columns: 200, environment: { NO_COLOR: '1' } },
        steps: [{ await: '[y/N]', type }],
      });
    const declined = await at('n\r');
    expect([declined.code, started()]).toEqual([8, 0]);
    const lines = declined.screen.split(/\r?\n/).map((line) => line.trimEnd().split(/ {2,}/));
    expect(lines.slice(0, 5)).toEqual([
      ['market', 'btc_usdt'],
      ['effect', EFFECT],
      ['open now', 'buys: 1 open, for 299 usdt; sells: none open'],
      ['undo', 'none: the timer cannot be stopped'],
      ['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`],
    ]);
    expect(declined.screen).toContain(
      'Cancel EVERY order of btc_usdt in one minute (now buys: 1 open, for 299 usdt; sells: none open)? [y/N]',
    );
    expect([(await at('y\r')).code, started()]).toEqual([0, 1]);
    await pit.world.pass(61_000);
    expect(await pit.json('orders btc_usdt')).toEqual([]);
  });

  it.each<[flags: string, held: string]>([
    ['--hold', 'restarted every 15 seconds until Ctrl-C'],
    ['--hold -- node bot.js', 'restarted every 15 seconds while this runs: node bot.js'],
  ])('says with %s how long it is held', async (flags, held) => {
    const steps = [{ await: '[y/N]', type: 'n\r' }];
    const line = `cancel-after btc_usdt ${flags}`;
    const environment = { NO_COLOR: '1' };
    const { screen } = await pit.world.run(line, { columns: 200, environment, steps });
    expect(screen).toMatch(new RegExp(`^held +${held}\\r?$`, 'm'));
  });

  it('says with --yes what it does, and starts the timer although it cannot read what is open', async () => {
    const warning = async () => {
      const { code, stderr } = await pit.run('cancel-after btc_usdt --yes --json');
      return [code, JSON.parse(stderr)];
    };
    const said = (open: string) => [0, { warning: { message: `${EFFECT} Open now: ${open}.`, hint: null } }];
    expect(await warning()).toEqual(said('buys: none open; sells: none open'));
    pit.world.network.treat = ({ operation }) => (operation === 'getOrders' ? LOST : PASS);
    expect(await warning()).toEqual(said('unknown'));
  });

  it('does not wait for a long history, and says that older orders were not read', async () => {
    pit.world.network.rewrite = (body, { operation, parameters }) => {
      const { side, pageNumber } = parametersOf(new URLSearchParams(parameters));
      if (operation !== 'getOrders' || side !== 'buy') return body;
      const page = Number(pageNumber);
      const filled = { price: 29_000, amount: 1, filled: 1, filledValue: 29_000, status: 2 };
      const time = pit.world.clock.now() - page * 1_000;
      const rows = Array.from({ length: 10 }, (_, index) =>
        orderRow({ ...filled, id: String(1_000 - 10 * page - index), time }),
      );
      return JSON.stringify(rows);
    };
    expect(await pit.done('cancel-after btc_usdt --dry-run')).toContain('; older orders were not read');
  });

  it('says that the timer may have been started if a signal ends it before an answer', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'cancelAllOrdersAfter' ? LOST_ANSWER : PASS);
    const process = pit.world.start('cancel-after btc_usdt --yes --json');
    await pit.world.until(() => started() > 0);
    const ended = pit.finish(process.ended);
    await pit.finish(process.interrupt('SIGINT'));
    const { code, stderr } = await ended;
    expect([code, lastError(stderr).message]).toEqual([130, `The timer may have been started. ${EFFECT}`]);
  });

  const EXAMPLE = 'For instance: pit cancel-after btc_usdt --hold -- node bot.js';

  it.each([
    ['eth_usdt --hold', '"eth_usdt" is neither the market nor a command after --.', EXAMPLE],
    ['eth_usdt --hold -- node bot.js', '"eth_usdt" is neither the market nor a command after --.', EXAMPLE],
    ['-- node bot.js', 'A command needs --hold.', EXAMPLE],
    [
      '--hold -- ./no-such-program',
      'Program "./no-such-program" not found.',
      'Neither the command nor the timer was started.',
    ],
  ])('starts nothing with %s', async (words, message, hint) => {
    const { code, stderr } = await pit.world.run(`cancel-after --json --yes btc_usdt ${words}`);
    expect([code, started()]).toEqual([2, 0]);
    expect(lastError(stderr)).toMatchObject({ kind: 'usage', message, hint });
  });

  it('is not held in a rehearsal whose clock is faster', async () => {
    const file = path.join(pit.home, 'clock');
    const { address } = pit.served;
    const environment = {
      ...{ PIT_CLOCK: file, PIT_BASE_URL: address.baseUrl, PIT_TRADE_URL: address.tradeUrl },
      ...{ PIT_ACCESS_KEY: address.accessKey, PIT_SECRET_KEY: address.secretKey },
    };
    writeFileSync(file, '');
    writeClock(file, { exchange: address.tradeUrl, shown: pit.world.clock.now(), real: null, speed: 60 });
    expect(await pit.failure('cancel-after btc_usdt --hold --yes', 2, { environment })).toMatchObject({
      message: '--hold cannot keep a timer in a rehearsal that runs 60 times as fast.',
      hint: 'Rehearse with --speed 1, or set the timer without --hold.',
    });
    writeClock(file, { exchange: address.tradeUrl, shown: pit.world.clock.now(), real: null, speed: 1 });
    const held = pit.start('cancel-after btc_usdt --hold --yes', { environment });
    await pit.world.until(() => started() > 0);
    await pit.finish(held.interrupt('SIGINT'));
  });
});

describe('the time at which a timer cancels', () => {
  const NOON = Date.UTC(2026, 0, 5, 12);
  const timer = (changes: Partial<Timer> = {}): Timer => ({
    ...{ sentAt: NOON, cancelsAt: NOON + 60_000, sent: 0, answered: 0, lostAt: null, latestAt: NOON + 60_000 },
    ...changes,
  });

  it.each<[when: string, timer: Timer, isRestarting: boolean]>([
    ['at 12:01:00 (UTC)', timer(), false],
    ['at 12:01:00 (UTC) at the earliest', timer(), true],
    [
      'at 12:01:00 (UTC) at the earliest and by 12:01:07 (UTC)',
      timer({ lostAt: NOON + 5_000, latestAt: NOON + 67_000 }),
      false,
    ],
    ['at 12:01:00 (UTC) at the earliest', timer({ lostAt: NOON + 5_000, latestAt: NOON + 67_000 }), true],
    ["at 12:01:00 (UTC) by this machine's clock", timer({ cancelsAt: NOON + 62_000 }), false],
    ["at 12:01:00 (UTC) by this machine's clock", timer({ cancelsAt: NOON + 58_000 }), false],
    ['at 12:01:00 (UTC)', timer({ cancelsAt: NOON + 61_999 }), false],
  ])('is %s', (when, given, isRestarting) => {
    expect(timerText('btc_usdt', given, isRestarting)).toBe(
      `The exchange will cancel every order of btc_usdt ${when}, unless the timer is restarted; it cannot be stopped.`,
    );
  });
});
