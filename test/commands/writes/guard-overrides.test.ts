import { describe, expect, it } from 'vitest';
import { blockedBy, confirmGuarded, sendOptionsOf } from '../../../src/commands/writes/guard-overrides.js';
import type { WriteContext } from '../../../src/commands/writes/write.js';
import { Failure } from '../../../src/errors.js';
import type { Breach } from '../../../src/trading/guards/guards.js';
import type { GuardName } from '../../../src/trading/guards/limits.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import { begin, lines } from '../../trading/batches/jobs.js';
import { type TestTrading, tradingOf } from '../../trading/support/trading.js';

interface Sending {
  readonly overridden?: readonly GuardName[];
  readonly breaches?: readonly Breach[];
  readonly bestBid?: string;
  readonly agent?: WriteContext['agent'];
}

/** What is checked while orders are sent, with the settings of the profile, which may change. */
function sendingOf({ overridden = [], breaches = [], bestBid, agent }: Sending = {}) {
  const trading = tradingOf();
  const settings: Record<string, string> = {};
  const said: string[] = [];
  const currentSettings = async (unsent: string) => {
    said.push(unsent);
    return settings;
  };
  const context = { trading, agent, session: { currentSettings } } as unknown as WriteContext;
  return { trading, settings, said, ...sendOptionsOf(context, 'usdt', { breaches, bestBid }, overridden) };
}

/** A job of three orders of a little more than 200 usdt each, 600.03 in all. */
function jobIn(trading: TestTrading, side: 'buy' | 'sell' = 'buy') {
  return begin(trading, { side, lines: lines(3) });
}

const breach = (guard: GuardName): Breach => ({ guard, message: 'too much', failure: null });
const ORDER = 'order-notional blocks this: an order comes to 200 usdt, and the limit is 100 usdt by now.';
const DAY =
  'day-notional blocks this: with orders that other processes have just started, this UTC day would come to 600.03 usdt, and the limit is 500 usdt.';

describe('before each request of a job', () => {
  it.each([
    ['orderNotional', '100usdt', ORDER],
    ['dayNotional', '500usdt', DAY],
  ])('a limit that was lowered meanwhile stops it, or what is left of it: %s', async (setting, value, message) => {
    const { trading, settings, said, checkLines } = sendingOf();
    const job = await jobIn(trading);
    await checkLines(job, lines(1));
    settings[setting] = value;
    await expect(checkLines(job, lines(1))).rejects.toMatchObject({ message: `${message} Nothing was sent.` });
    await job.leaving([[0]], NOW);
    await expect(checkLines(job, lines(1))).rejects.toMatchObject({
      message: `${message} The rest was not sent.`,
      hints: [expect.stringContaining('--override')],
    });
    expect(said).toEqual(['Nothing was sent.', 'Nothing was sent.', 'The rest was not sent.']);
  });

  it('only the orders that are about to be sent are held to the limit of one order', async () => {
    const { trading, settings, checkLines } = sendingOf();
    const job = await jobIn(trading);
    settings.orderNotional = '200usdt';
    settings.dayNotional = '1000usdt';
    await checkLines(job, lines(1));
    await expect(checkLines(job, lines(2))).rejects.toThrow('an order comes to 200.01 usdt');
  });

  it('a sell below the best bid counts at that', async () => {
    const { trading, settings, bestBid, checkLines } = sendingOf({ bestBid: '30000' });
    settings.orderNotional = '250usdt';
    expect(bestBid).toBe('30000');
    await expect(checkLines(await jobIn(trading, 'sell'), lines(1))).rejects.toThrow('an order comes to 300 usdt');
  });

  describe.each<[how: string, sendingOver: (guard: GuardName) => Sending]>([
    ['by the command line', (guard) => ({ overridden: [guard] })],
    ['in the question', (guard) => ({ breaches: [breach(guard)] })],
  ])('a limit that was overridden %s is not checked, and the other one is', (_, sendingOver) => {
    it.each<[guard: GuardName, exceeded: object, other: object, message: string]>([
      ['order-notional', { orderNotional: '100usdt', dayNotional: 'off' }, { dayNotional: '500usdt' }, DAY],
      ['day-notional', { dayNotional: '500usdt', orderNotional: 'off' }, { orderNotional: '100usdt' }, ORDER],
    ])('%s', async (guard, exceeded, other, message) => {
      const { trading, settings, checkLines } = sendingOf(sendingOver(guard));
      const job = await jobIn(trading);
      Object.assign(settings, exceeded);
      await checkLines(job, lines(1));
      Object.assign(settings, other);
      await expect(checkLines(job, lines(1))).rejects.toThrow(message);
    });
  });

  it('the limit of the day is compared again only if it is lower: the job is counted in full', async () => {
    const { trading, settings, checkLines } = sendingOf();
    const job = await jobIn(trading);
    settings.dayNotional = '700usdt';
    await checkLines(job, lines(1));
    await begin(trading, { lines: lines(6).slice(3) }, 'job0000000000000002');
    for (const same of ['700usdt', '800usdt']) {
      settings.dayNotional = same;
      await checkLines(job, lines(1));
    }
    settings.dayNotional = '699usdt';
    await expect(checkLines(job, lines(1))).rejects.toThrow('would come to 1,200.15 usdt, and the limit is 699 usdt');
  });
});

describe('once a write is recorded', () => {
  it('all of its orders are held to the limits', async () => {
    const { trading, settings, requireWithinLimits } = sendingOf();
    const { write } = (await jobIn(trading)).entry;
    await requireWithinLimits?.(write);
    settings.orderNotional = '200.01usdt';
    await expect(requireWithinLimits?.(write)).rejects.toThrow('an order comes to 200.02 usdt');
  });

  it('an agent is held to its own limits, has room for it, and is told what it can do', async () => {
    const asked: RecordedWrite[] = [];
    const agentLimits = {
      within: (limits: object) => ({ ...limits, orderNotional: new Map() }),
      requireRoom: async (_: unknown, write: RecordedWrite) => void asked.push(write),
    };
    const agent = { limits: agentLimits, ifBlocked: 'Prepare it again.' } as unknown as WriteContext['agent'];
    const { trading, settings, requireWithinLimits, checkLines } = sendingOf({ agent });
    const job = await jobIn(trading);
    settings.orderNotional = '100usdt';
    settings.dayNotional = '700usdt';
    await checkLines(job, lines(1));
    expect(asked).toEqual([]);
    await requireWithinLimits?.(job.entry.write);
    expect(asked).toEqual([job.entry.write]);
    settings.dayNotional = '500usdt';
    await expect(checkLines(job, lines(1))).rejects.toMatchObject({ hints: ['Prepare it again.'] });
  });
});

describe('the question about a write that guards block', () => {
  /** A terminal at which every guard is typed. */
  const contextOf = (agent?: WriteContext['agent'], warned: string[] = []) => {
    const consent = { available: true, ask: async () => true };
    const output = { warn: (text: string) => void warned.push(text) };
    return { agent, consent, output, globals: {} } as unknown as WriteContext;
  };

  it('says which guards are overridden and which block', async () => {
    const warned: string[] = [];
    const breaches = [breach('price-band'), breach('order-notional')];
    await confirmGuarded(contextOf(undefined, warned), 'Buy?', breaches, ['order-notional']);
    expect(warned).toEqual(['Overridden order-notional: too much.', 'price-band blocks this: too much.']);
  });

  it('fails as what kept every guard from being checked, and as a usage error if one of them was', () => {
    const unread: Breach = { ...breach('price-band'), failure: new Failure('unreachable', 'no answer') };
    expect(blockedBy([unread], 'x').kind).toBe('unreachable');
    expect(blockedBy([unread, breach('order-notional')], 'x').kind).toBe('usage');
  });

  it.each<[what: string, breaches: readonly Breach[], hints: readonly unknown[]]>([
    [
      'is the limit that blocks, of those that are not overridden',
      [breach('day-notional'), breach('order-notional')],
      [
        'If you mean it, add --override day-notional,order-notional.',
        { note: 'Change the limit', argv: ['profile', 'set', 'main', 'orderNotional', 'VALUE'] },
      ],
    ],
    [
      'is none for a guard without a setting',
      [breach('trail-distance')],
      ['If you mean it, add --override trail-distance.'],
    ],
    [
      'is also to wait only if no guard could be checked',
      [{ ...breach('price-band'), failure: new Failure('unreachable', 'no answer') }],
      ['Try again in a moment.', 'If you mean it, add --override price-band.'],
    ],
    [
      'is what was checked, beside a guard that could not be',
      [{ ...breach('post-only'), failure: new Failure('unreachable', 'no answer') }, breach('price-band')],
      [
        'If you mean it, add --override post-only,price-band.',
        { note: 'Change the limit', argv: ['profile', 'set', 'main', 'postOnlyGuard', 'VALUE'] },
        { note: 'Change the limit', argv: ['profile', 'set', 'main', 'priceBand', 'VALUE'] },
      ],
    ],
  ])('cannot be asked in a script, and what changes that %s', async (_, breaches, hints) => {
    const session = { connection: async () => ({ profile: 'main' }) };
    const context = { ...contextOf(), session, consent: { available: false } } as unknown as WriteContext;
    await expect(confirmGuarded(context, 'Buy?', breaches, ['day-notional'])).rejects.toMatchObject({ hints });
  });

  it('is answered by the name of the guard, and never asked for an agent', async () => {
    const blocked = [breach('price-band')];
    await expect(confirmGuarded(contextOf(), 'Buy?', blocked, [])).resolves.toBeUndefined();
    const agent = { ifBlocked: 'Prepare it again.' } as unknown as WriteContext['agent'];
    for (const overridden of [[], ['price-band']] as const)
      await expect(confirmGuarded(contextOf(agent), 'Buy?', blocked, overridden)).rejects.toMatchObject({
        ...{ kind: 'usage', message: 'price-band blocks this: too much. Nothing was sent.' },
        hints: ['Prepare it again.'],
      });
    // the usual question
    await expect(confirmGuarded(contextOf(agent), 'Buy?', [], [])).resolves.toBeUndefined();
  });
});
