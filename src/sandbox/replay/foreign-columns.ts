import { usage } from '../../errors.js';

/** The names that columns of candles and trades have elsewhere, in lower case; those of one line mean the same. */
const NAMES = {
  time: ['timestamp', 'time', 'time_ms', 'date', 'datetime', 'open_time', 'opentime', 'open time', 'unix', 'ts'],
  open: ['open', 'o'],
  high: ['high', 'h'],
  low: ['low', 'l'],
  close: ['close', 'c'],
  volume: ['volume', 'vol', 'v', 'base_volume'],
  id: ['id', 'trade_id', 'tradeid', 'tid'],
  side: ['side', 'taker_side', 'type'],
  price: ['price', 'p'],
  amount: ['amount', 'size', 'quantity', 'qty', 'q'],
} as const;

type Name = keyof typeof NAMES;

const CANDLE = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
const TRADE = ['time', 'id', 'side', 'price', 'amount'] as const;

/** How rows of other programs are read: their columns in the order in which a replay knows them. */
export type ColumnOrder = (columns: readonly string[]) => readonly string[];

/** The order of the columns of a header. Throws Failure `usage` that names the columns that are known. */
export function foreignColumns(file: string, header: readonly string[]): ColumnOrder {
  const words = header.map((word) => word.trim().toLowerCase());
  const indexOf = (name: Name) => {
    const found = words.findIndex((word) => (NAMES[name] as readonly string[]).includes(word));
    return found === -1 && name === 'volume' ? words.findIndex((word) => word.startsWith('volume')) : found;
  };
  const orderOf = (names: readonly Name[], optional: readonly Name[] = []): ColumnOrder | undefined => {
    const indexes = names.map(indexOf);
    if (indexes.some((index, at) => index === -1 && !optional.includes(names[at] as Name))) return undefined;
    return (columns) => indexes.map((index) => (index === -1 ? '0' : (columns[index] ?? '')));
  };
  const found = orderOf(CANDLE) ?? orderOf(TRADE, ['id']);
  if (found !== undefined) return found;
  throw usage(
    `${file} has columns that are neither those of candles nor of trades: ${words.join(', ').slice(0, 200)}.`,
    'Candles have timestamp, open, high, low, close, volume; trades timestamp, side, price, amount, and perhaps id. Times are seconds, milliseconds or ISO 8601 in UTC.',
  );
}
