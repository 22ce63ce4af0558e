import { NO_FILLS } from '../../../src/commands/watch/fills.js';
import { initialState, react, type WatchEvent, type WatchState } from '../../../src/commands/watch/state.js';
import type { WatchView } from '../../../src/commands/watch/view.js';
import type { Aged } from '../../../src/domain/aged.js';
import type { Candle } from '../../../src/domain/candle.js';
import type { Market } from '../../../src/domain/market.js';
import type { Order } from '../../../src/domain/order.js';
import type { ChannelData, ChannelKind } from '../../../src/exchange/stream/events.js';
import type { Key } from '../../../src/terminal/live/keys.js';

const NOW = Date.UTC(2023, 2, 14, 12, 30, 45);

export const MARKET: Market = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 4, tickSize: '0.01' },
  ...{ lotSize: '0.0001', minAmount: '0.0001', minNotional: '5' },
};

export function reading<Kind extends ChannelKind>(
  value: ChannelData[Kind],
  ageMs = 400,
  more: Partial<Aged<ChannelData[Kind]>> = {},
): Aged<ChannelData[Kind]> {
  return {
    value,
    source: 'stream',
    received: NOW - ageMs,
    ageMs,
    provenMs: ageMs,
    time: NOW,
    isCurrent: true,
    ...more,
  };
}

export function order(id: string, side: Order['side'], price: string, amount: string, more: Partial<Order> = {}) {
  return {
    ...{ id, clientId: null, market: 'btc_usdt', side, type: 'limit' as const, price, amount, filled: '0' },
    ...{ filledValue: '0', fee: '0', feeCoin: null, feeDiscount: false, time: NOW - Number(id) * 1_000 },
    ...{ state: 'open' as const, status: 0, lastTrade: null },
    ...more,
  };
}

function coin(name: string, available: string, frozen: string): ChannelData['balances'][number] {
  const details = { key: '', enName: '', cnName: '', showName: '', unitTag: '', unitDecimal: 8, fundstype: 1 };
  const may = { canDeposit: true, canWithdraw: true, canLoan: false };
  return { coin: name, name: '', available, frozen, ...may, scale: 8, details };
}

const CANDLES: readonly Candle[] = Array.from({ length: 120 }, (_, index) => {
  const open = 24_000 + Math.round(Math.sin(index / 9) * 400);
  const close = 24_000 + Math.round(Math.sin((index + 1) / 9) * 400);
  const [high, low] = [Math.max(open, close) + 40, Math.min(open, close) - 60];
  const time = NOW - (119 - index) * 60_000;
  const volume = String(3 + (index % 7));
  return {
    time,
    open: `${open}.00`,
    high: `${high}.00`,
    low: `${low}.00`,
    close: `${close}.00`,
    volume,
    closed: index < 119,
  };
});

const level = (price: number, amount: string) => ({ price: price.toFixed(2), amount });

/** A market with a book of thirty levels a side, two own orders and balances. */
export function viewOf(changes: Partial<WatchView> = {}): WatchView {
  const steps = Array.from({ length: 30 }, (_, index) => index);
  return {
    now: NOW,
    profile: 'sandbox',
    window: { width: 120, height: 40 },
    connection: { state: 'connected', problem: null },
    halted: null,
    limitsUsed: 4,
    algos: [],
    watchCommand: 'pit algo run --profile sandbox',
    market: MARKET,
    ticker: reading<'ticker'>({
      ...{ bid: '24100.50', ask: '24101.00', last: '24100.75', open: '23800', high: '24500', low: '23500' },
      ...{ change: '1.26', volume: '1234.5', time: NOW },
    }),
    depth: reading<'depth'>(
      {
        time: NOW,
        asks: steps.map((step) => level(24_101 + step * 0.5, `0.${String(1 + (step % 9))}000`)),
        bids: steps.map((step) => level(24_100.5 - step * 0.5, `1.${String(1 + (step % 9))}000`)),
      },
      100,
    ),
    trades: reading<'trades'>(
      steps.map((step) => ({
        ...{ id: String(1000 + step), time: NOW - (29 - step) * 700, side: step % 3 === 0 ? 'sell' : 'buy' },
        ...{ price: (24_100 + step * 0.25).toFixed(2), amount: '0.0150', orderSide: null },
      })),
      700,
    ),
    candles: reading<'kline'>(CANDLES, 700),
    orders: reading<'orders'>(
      [order('1', 'buy', '24099.50', '0.5'), order('2', 'sell', '24103.00', '0.25', { filled: '0.1' })],
      12_000,
    ),
    balances: reading<'balances'>(
      [coin('usdt', '250000.00', '12049.75'), coin('btc', '4.85', '0.15'), coin('eth', '2', '0')],
      12_000,
    ),
    fills: { ...NO_FILLS, today: [] },
    accountProblem: null,
    unknown: [],
    ...changes,
  };
}

/** A key as it comes from a person: alone. */
export function key(name: string, more: Partial<Key> = {}): Key {
  return { name, text: [...name].length === 1 ? name : '', isAlone: true, ...more };
}

const VIEW = viewOf();

/** The state and all effects after these events, each of them a key by its name or an event. */
export function afterEvents(
  events: readonly (string | WatchEvent)[],
  view = VIEW,
  from: WatchState = initialState('1min'),
) {
  let state = from;
  const effects: unknown[] = [];
  for (const event of events) {
    const reaction = react(state, typeof event === 'string' ? { type: 'key', key: key(event) } : event, view);
    state = reaction.state;
    effects.push(...reaction.effects);
  }
  return { state, effects };
}

/** Types a text key by key. */
export const typed = (text: string): string[] => [...text];
