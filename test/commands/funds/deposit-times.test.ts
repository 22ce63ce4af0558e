import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { billPage, billRow, depositRow, parametersOf, recordPage } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { document, PitHome } from '../pit-home.js';

/** An exchange in Berlin, in winter: its newest bill is of 20 November, and it lists no older one. */
const BILL = billRow({
  ...{ id: 1, coin: 'BTC', change: '+1BTC', total: '1', balance: '1BTC', kind: 'Deposit', remark: '' },
  ...{ time: Date.parse('2026-11-20T12:00:00Z'), shownTime: '2026-11-20 13:00:00' },
});
const DEPOSITS = ['2026-11-22 10:00:00', '2026-11-20 13:00:00', '2026-07-20 13:00:00', null].map((shownTime, index) =>
  depositRow({ id: index + 1, amount: '1', shownTime }),
);

const exchange = useLiteralExchange({
  '/api/getSpotBills': (parameters) => {
    const { bills, pageNumber } = parametersOf(parameters);
    return billPage(bills === 'recent' && pageNumber === '1' ? [BILL] : []);
  },
  '/api/getChargeRecord': recordPage(DEPOSITS, DEPOSITS.length),
});

describe('pit deposits of an exchange whose time zone is learned from bills', () => {
  let home = new PitHome('');
  beforeEach(() => {
    home = new PitHome(temporaryHome());
  });
  const run = (line: string) => home.run(line, { environment: { ...exchange.extra.environment, TZ: 'UTC' } });

  it('gives no time to a deposit of the other half of the year, and its text as sent', async () => {
    const { code, stdout, stderr } = await run('deposits btc --json');
    const rows = document<{ time: string | null; timeRaw: string | null }[]>(stdout);
    expect([code, stderr]).toEqual([0, '']);
    expect(rows.map(({ time, timeRaw }) => [time, timeRaw])).toEqual([
      ['2026-11-22T09:00:00.000Z', '2026-11-22 10:00:00'],
      ['2026-11-20T12:00:00.000Z', '2026-11-20 13:00:00'],
      [null, '2026-07-20 13:00:00'],
      [null, null],
    ]);
    expect((await run('deposits btc --csv')).stdout).toContain('\n3,,2026-07-20 13:00:00,');
  });

  it('marks its time in the table, and one note says what the mark means and how to set the zone', async () => {
    const { stdout, stderr } = await run('deposits btc');
    expect(stdout.match(/\d\d:00:00( \?)?/g)).toEqual(['09:00:00', '12:00:00', '13:00:00 ?']);
    expect(stderr).toMatch(
      /^Times marked \? are as sent: the exchange's time zone is unknown then\.\n→ Set it: pit profile set \S+ zone ZONE\n$/,
    );
  });
});
