import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeApi } from '../../src/exchange/exchange-api.js';
import { type ClientOptions, ExchangeClient } from '../../src/exchange/exchange-client.js';
import { ExchangeZone } from '../../src/exchange/exchange-zone.js';
import { learnZone, readBills } from '../../src/exchange/lists/bills.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');

interface Entry {
  readonly id: number;
  readonly date: number;
}

/** What happens before a request is handled. */
interface Moment {
  readonly later: number;
  readonly arrivals: number;
  readonly hours: number;
}

interface Asked {
  readonly dataType: string;
  readonly pageIndex: string;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** An exchange of nothing but bills, in a zone, on which time passes and bills come in while it is asked. */
function exchangeOf(dates: readonly number[], moments: readonly Moment[], zoneHours = 0, skew = 0) {
  let now = NOW;
  let served = 0;
  const entries: Entry[] = dates.map((date, index) => ({ id: 1_000 + index, date }));
  const asked: Asked[] = [];
  const wall = (ms: number) => new Date(ms + zoneHours * HOUR).toISOString().slice(0, 19).replace('T', ' ');
  const answer = async (values: Asked & { readonly pageSize: string }) => {
    asked.push(values);
    const { later, arrivals, hours } = moments[served] ?? { later: 1, arrivals: 0, hours: 0 };
    served += 1;
    for (let turn = 0; turn < later; turn += 1) await new Promise(setImmediate);
    now += hours * HOUR;
    for (let count = 0; count < arrivals; count += 1) entries.push({ id: 1_000 + entries.length, date: now });
    const { dataType, pageIndex, pageSize, startDate, endDate } = values;
    const momentOf = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`) - zoneHours * HOUR;
    const start = startDate === undefined ? 0 : momentOf(startDate);
    const end = endDate === undefined ? Infinity : momentOf(endDate);
    const [size, page] = [Number(pageSize), Number(pageIndex)];
    const listed = entries
      .filter(({ date }) => date >= now - 48 * HOUR === (dataType === '0') && date >= start && date <= end)
      .sort((left, right) => right.date - left.date || right.id - left.id);
    return { result: listed.slice((page - 1) * size, page * size).map((entry) => billEntry(entry, wall(entry.date))) };
  };
  const api = {
    now: () => now + skew * HOUR,
    isTimeKnown: true,
    read: (_name: string, values: never) => answer(values),
  } as unknown as ExchangeApi;
  return { source: clientOver(api), api, asked, entries };
}

it.each([-12, 0, 14])(
  'asks only for bills from a time on, and misses none in a zone %i hours ahead of UTC',
  async (zone) => {
    const hours = [1, 20, 29, 31, 70, 200].map((ago) => NOW - ago * HOUR);
    const { source, asked } = exchangeOf(hours, [], zone);
    const found: number[] = [];
    for await (const bills of readBills(source, new ExchangeZone(undefined), { from: () => NOW - 30 * HOUR }))
      found.push(...bills.map(({ time }) => time));
    expect(found).toEqual(hours.slice(0, 3));
    // 14 hours earlier: the zone of the date is not known
    expect(new Set(asked.map(({ startDate }) => startDate))).toEqual(new Set(['2026-11-19 16:00:00']));
  },
);

function clientOver(api: ExchangeApi): ExchangeClient {
  return new ExchangeClient({} as ClientOptions, api);
}

function billEntry({ id, date }: Entry, showDate: string) {
  const amounts = { balance: '1BTC', changeAmount: '+1BTC', total: '1' };
  return { id: String(id), currencyName: 'BTC', ...amounts, date, showDate, remark: null, typeDesc: 'Buy' };
}

function zone(setting?: string): ExchangeZone {
  return new ExchangeZone(setting);
}

/** In milliseconds since the Unix epoch. */
interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

async function idsOf(source: ExchangeClient, { from, to }: Range, at = zone()): Promise<number[]> {
  const ids: number[] = [];
  const momentOf = (time: number | undefined) => (time === undefined ? undefined : () => time);
  for await (const bills of readBills(source, at, { from: momentOf(from), to: momentOf(to) }))
    ids.push(...bills.map(({ id }) => Number(id)));
  return ids;
}

const QUIET = [{ later: 0, arrivals: 0, hours: 0 }];

describe('readBills', () => {
  const moment = fc.record({
    later: fc.nat(5),
    arrivals: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 3, 49, 120),
    hours: fc.constantFrom(0, 0, 0, 0.001, 0.5, 5),
  });
  // some of one moment, most around the line of 48 hours
  const age = fc.oneof(fc.nat(96 * 60), fc.integer({ min: 46 * 60, max: 50 * 60 }), fc.constantFrom(60, 47 * 60));
  const ages = fc.array(age, { minLength: 0, maxLength: 900, size: 'max' });
  const end = fc.option(fc.nat(100 * 60), { nil: undefined });

  it('returns each bill once, newest first, while bills are added and become older than 48 hours', async () => {
    await fc.assert(
      fc.asyncProperty(
        ages,
        fc.array(moment, { minLength: 1, maxLength: 40 }),
        end,
        end,
        fc.integer({ min: -12, max: 14 }),
        // the clock of the answers may differ from the one that separates old bills from new ones
        fc.constantFrom(0, 0, 72, -72),
        async (minutes, moments, first, second, zoneHours, skew) => {
          const dates = minutes.map((minute) => NOW - minute * 60_000).sort((left, right) => left - right);
          const [from, to] = [first, second].map((minute) =>
            minute === undefined ? undefined : NOW - minute * 60_000,
          );
          const { source, entries } = exchangeOf(dates, moments, zoneHours, skew);
          const expected = entries
            .filter(({ date }) => date >= (from ?? -Infinity) && date < (to ?? Infinity))
            .sort((left, right) => right.date - left.date || right.id - left.id)
            .map(({ id }) => id);
          const ids = await idsOf(source, { from, to });
          expect(ids.filter((id) => id < 1_000 + dates.length)).toEqual(expected);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('sends no unnecessary request', async () => {
    const minutesAgo = (count: number) => Array.from({ length: count }, (_, index) => NOW - index * 60_000).reverse();
    const asks = async (count: number, range: Range) => {
      const { source, asked } = exchangeOf(minutesAgo(count), QUIET);
      const ids = await idsOf(source, range);
      return [ids.length, asked.map(({ dataType, pageIndex }) => `${dataType}/${pageIndex}`).join(' ')];
    };
    expect(await asks(7, {})).toEqual([7, '0/1 1/1']);
    expect(await asks(120, { from: NOW - 46 * HOUR })).toEqual([120, '0/1 0/2 0/3 1/1']);
    expect(await asks(120, { from: NOW - 10 * 60_000 })).toEqual([11, '0/1']);
    expect(await asks(120, { from: NOW - 49 * 60_000 })).toEqual([50, '0/1 0/2']);
    expect(await asks(7, { to: NOW - 50 * HOUR })).toEqual([0, '0/1 0/1 1/1']);
    // four days of minutes: the newest three are skipped
    const [found, asked] = await asks(96 * 60, { from: NOW - 75 * HOUR, to: NOW - 74 * HOUR });
    expect(found).toBe(60);
    expect(asked).toBe('0/1 0/1 1/1 1/2 1/3 1/4');
  });

  it("takes ages by the exchange's clock, which only its answers show", async () => {
    const { api, asked } = exchangeOf(
      [300, 40, 3, 2, 1].map((hours) => NOW - hours * HOUR),
      QUIET,
      9,
    );
    // this machine's clock is a week fast
    const client = clientOver({
      ...api,
      get isTimeKnown() {
        return asked.length > 0;
      },
      now: () => NOW + (asked.length > 0 ? 0 : 168 * HOUR),
    } as unknown as ExchangeApi);
    const range = { from: (now: number) => now - 41 * HOUR, to: (now: number) => now - 2 * HOUR };
    const ids: string[] = [];
    for await (const bills of readBills(client, zone('+09:00'), range)) ids.push(...bills.map(({ id }) => id));
    expect(ids).toEqual(['1002', '1001']);
  });

  it('loses no bill if the zone had another offset then', async () => {
    // learned as +09:00, and in those days +08:00 or +10:00 counted
    const dates = Array.from({ length: 500 }, (_, index) => NOW - (500 - index) * HOUR);
    for (const zoneHours of [8, 9, 10]) {
      const { source, asked } = exchangeOf(dates, QUIET, zoneHours);
      const ids = await idsOf(source, { from: NOW - 300 * HOUR, to: NOW - 290 * HOUR }, zone('+09:00'));
      expect(ids).toHaveLength(10);
      expect(asked.every(({ endDate }) => endDate === '2026-11-09 21:00:00')).toBe(true);
    }
  });

  it('fails if the exchange lists bills oldest first', async () => {
    const { api } = exchangeOf([NOW - 3 * HOUR, NOW - HOUR], QUIET);
    const read: ExchangeApi['read'] = async (name, values) => {
      const answer = (await api.read(name, values)) as unknown as { readonly result: readonly object[] };
      return { ...answer, result: answer.result.toReversed() } as never;
    };
    await expect(
      idsOf(clientOver({ ...api, read } as unknown as ExchangeApi), { from: NOW - 2 * HOUR }),
    ).rejects.toThrow(/oldest first/);
  });

  it.each([
    [60_000, 'takes bills up to a minute apart in any order'],
    [60_001, 'fails if the last bill of a page is more than a minute newer than the first'],
  ])('%i ms: %s', async (ms) => {
    const { api } = exchangeOf([], QUIET);
    const result = [NOW - HOUR, NOW - HOUR + ms].map((date, index) => billEntry({ id: 1_000 + index, date }, ''));
    const read = async (_: string, { dataType }: { readonly dataType: string }) => ({
      result: dataType === '0' ? result : [],
    });
    const ids = idsOf(clientOver({ ...api, read } as unknown as ExchangeApi), { from: NOW - 2 * HOUR });
    if (ms > 60_000) await expect(ids).rejects.toThrow(/oldest first/);
    else expect(await ids).toEqual([1_000, 1_001]);
  });

  it('learns the zone from every bill that it reads', async () => {
    const at = zone();
    await idsOf(exchangeOf([NOW - 300 * HOUR, NOW - HOUR], QUIET, 8).source, {}, at);
    expect([at.read('2026-11-09 08:00:00'), at.read('2026-11-21 19:00:00')]).toEqual([NOW - 300 * HOUR, NOW - HOUR]);
    expect(at.read('2026-07-21 19:00:00')).toBeUndefined();
  });
});

describe('learnZone', () => {
  const ask = async (isEnough: (at: ExchangeZone) => boolean) => {
    const at = zone();
    const asked: string[] = [];
    const billPage: ExchangeClient['billPage'] = async ({ coin, age }) => {
      asked.push(`${coin ?? 'any'} ${age}`);
      const ages: Readonly<Record<string, number>> = {
        'any recent': 1,
        'any older': 100,
        'btc recent': 2,
        'btc older': 2_000,
      };
      const hours = ages[`${coin ?? 'any'} ${age}`] ?? 0;
      const time = NOW - hours * HOUR;
      const shownTime = new Date(time + 8 * HOUR).toISOString();
      return [{ id: '1', time, shownTime: shownTime.slice(0, 19), content: '', read: () => ({}) as never }];
    };
    await learnZone({ billPage, now: () => NOW, isTimeKnown: true }, at, 'btc', () => isEnough(at));
    return asked;
  };

  it('reads bills until it has learned enough: of any coin, then of the coin, whose deposits have bills', async () => {
    expect(await ask(() => true)).toEqual([]);
    expect(await ask((at) => at.read('2026-11-21 19:30:00') !== undefined)).toEqual(['any recent']);
    const old = new Date(NOW - 2_000 * HOUR + 8 * HOUR).toISOString().slice(0, 19);
    const all = ['any recent', 'any older', 'btc recent', 'btc older'];
    expect(await ask((at) => at.read(old) !== undefined)).toEqual(all);
    expect(await ask(() => false)).toEqual(all);
  });
});
