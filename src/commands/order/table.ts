import { paintSide, sideColumn, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Paint, Screen } from '../../terminal/screen.js';
import { type Column, type Entry, record } from '../../terminal/table.js';
import { localTime, timeTitle } from '../../terminal/time.js';
import type { OrderRow } from './rows.js';

/** An order's columns in a list. */
export const orderColumns = (): readonly Column<OrderRow>[] => [
  { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 4 },
  { title: 'id', value: ({ id }) => id, importance: 9 },
  sideColumn((row: OrderRow) => row.side, { importance: 8 }),
  { title: 'price', value: ({ price }) => grouped(price), align: 'decimal', importance: 8 },
  { title: 'amount', value: ({ amount }) => grouped(amount), align: 'decimal', importance: 7 },
  { title: 'filled', value: ({ filled }) => grouped(filled), align: 'decimal', importance: 6 },
  {
    title: 'average',
    value: ({ averagePrice }) => (averagePrice === null ? null : grouped(averagePrice)),
    align: 'decimal',
    importance: 2,
  },
  { title: 'fee', value: feeText, align: 'right', importance: 1 },
  { title: 'type', value: ({ type }) => type, importance: 3 },
  {
    title: 'state',
    value: ({ state }) => state,
    importance: 5,
    paint: (text, row, paint) => paintState(text, row, paint),
  },
];

function feeText({ fee, feeCoin }: OrderRow): string | null {
  return fee === null ? null : `${grouped(fee)}${feeCoin === null ? '' : ` ${feeCoin}`}`;
}

function paintState(text: string, { state }: OrderRow, paint: Paint): string {
  if (state === 'open') return paint.strong(text);
  return state === 'filled' ? paint.good(text) : paint.faint(text);
}

/** One order with everything that is known of it. */
export function showOrder(screen: Screen, row: OrderRow): string {
  const { side } = row;
  const entries: Entry[] = [
    ['id', row.id],
    ...(row.clientId === null ? [] : [['client id', row.clientId] as Entry]),
    ['market', row.market],
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['type', row.type],
    ['price', grouped(row.price)],
    ['amount', grouped(row.amount)],
    ['filled', grouped(row.filled)],
    ['remaining', grouped(row.remaining)],
    ['filled value', grouped(row.filledValue)],
    ['average price', row.averagePrice === null ? null : grouped(row.averagePrice)],
    ['fee', feeText(row)],
    [timeTitle(), localTime(Date.parse(row.time))],
    ['state', `${row.state} (${row.status})`, (text, paint) => paintState(text, row, paint)],
  ];
  return record(screen, entries);
}
