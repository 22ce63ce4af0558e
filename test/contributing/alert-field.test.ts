import { expect, it, vi } from 'vitest';
import type { Ticker } from '../../src/domain/market-data.js';
import type { Threshold } from '../../src/trading/alerts/crossing.js';
import { ALERT_FIELDS, type AlertField, type Field } from '../../src/trading/alerts/fields.js';
import { textOf } from '../architecture/sources.js';

// what CONTRIBUTING says of an alert condition: a row in the table, and all else follows
vi.mock('../../src/trading/alerts/fields.js', async (original) => {
  const module = await original<typeof import('../../src/trading/alerts/fields.js')>();
  const { Decimal } = await import('../../src/domain/decimal.js');
  const depth: AlertField = {
    example: 'depth<-3%',
    unit: 'percent',
    isSigned: true,
    back: { distance: Decimal.of('0.5') },
    valueIn: ({ open }) => (open === null ? null : Decimal.of(open)),
  };
  const fields: Record<string, AlertField> = { ...module.ALERT_FIELDS, depth };
  return { ...module, ALERT_FIELDS: fields, alertField: (name: Field) => fields[name] };
});

const [{ CONDITION_FORMS, parseCondition }, { MarketCrossings }, { channelsOf }] = await Promise.all([
  import('../../src/commands/alert/parse-condition.js'),
  import('../../src/trading/alerts/market-crossings.js'),
  import('../../src/trading/alerts/find-alerts.js'),
]);

const ticker = (time: number, open: string | null): Ticker & { readonly time: number } => ({
  ...{ bid: '1', ask: '2', last: '1', high: '2', low: '1', change: '0', volume: '1' },
  time,
  open,
});

it('a field of alerts that is added to the table is parsed, offered, named in help and messages', () => {
  expect(parseCondition('depth<-3%')).toMatchObject({ kind: 'threshold', field: 'depth', text: 'depth<-3%' });
  expect(parseCondition.completes).toMatchObject({ words: expect.arrayContaining(['depth']) });
  expect(CONDITION_FORMS).toContain('depth');
  expect(() => parseCondition('depth<3')).toThrow('has no %');
  expect(() => parseCondition('dept<3%')).toThrow('Did you mean depth?');
  expect(() => parseCondition('bid<-3')).toThrow('has a number below zero');
});

it('a field of alerts that is added to the table is followed and crossed by its own rules', () => {
  const condition = parseCondition('depth<-3%') as Threshold;
  expect(channelsOf({ market: 'btc_usdt', conditions: [condition] })).toEqual([{ kind: 'ticker', market: 'btc_usdt' }]);
  const crossings = new MarketCrossings([condition], [], false);
  const seen = ['-2', null, '-4', '-2.6', '-4', '-2.5', '-4'].map((open, time) =>
    crossings.takeTicker(ticker(time, open)),
  );
  expect(seen.map((crossed) => crossed.length)).toEqual([0, 0, 1, 0, 0, 0, 1]);
});

it.each(Object.entries(ALERT_FIELDS).filter(([name]) => name !== 'depth'))(
  'the condition %s is in the table of docs/day.md, and its example is one of it',
  (name, { example }) => {
    expect(textOf('docs/day.md')).toMatch(new RegExp(`^\\|.*\`${name}[<>]=?-?[\\d.]+%?\`.*\\|.+\\|$`, 'm'));
    expect(parseCondition(example)).toMatchObject({ kind: 'threshold', field: name, text: example });
  },
);
