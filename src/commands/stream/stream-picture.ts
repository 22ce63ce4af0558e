import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import {
  type AnyDataEvent,
  applyEvent,
  type Channel,
  type ChannelData,
  type ChannelKind,
  type ChannelOf,
  channelKey,
  type StateEvent,
  type StreamEvent,
} from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { Picture } from '../../terminal/answer.js';
import { Changes } from '../../terminal/live/changes.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import { ageText, zonedTime } from '../../terminal/time.js';
import { BALANCE_COLUMNS, balanceOf } from '../account/balance.js';
import { showBook } from '../depth.js';
import { candleColumns, candleRow } from '../kline.js';
import { orderColumns, orderRow } from '../order/order-row.js';
import { TICKER_COLUMNS, tickerRow } from '../ticker.js';
import { tradeColumns, tradeRow } from '../trades.js';

/** What is known of a channel, how it came and when. */
interface ChannelState<Kind extends ChannelKind = ChannelKind> {
  readonly channel: ChannelOf<Kind>;
  readonly data: ChannelData[Kind];
  readonly source: AnyDataEvent['source'];
  /** When that was, on the monotonic clock. */
  readonly receivedAt: number;
}

/** Lines of a section that are not its rows. */
const AROUND_ROWS = 4;
const FEWEST_ROWS = 3;
const MAX_LEVELS = 20;

/** All channels below one another, each with how old it is and with what changed lately marked. */
export class StreamPicture implements Picture<StreamEvent> {
  readonly #known = new Map<string, ChannelState>();
  /** The channels with an open gap. */
  readonly #open = new Set<string>();
  /** When the last permanent gap of a channel ended, in milliseconds since the Unix epoch. */
  readonly #lost = new Map<string, number>();
  /** By section: a price is a row of more than one book. */
  readonly #changes = new Map<string, Changes>();
  #state: Pick<StateEvent, 'state' | 'reason'> & { readonly since: number };

  constructor(
    private readonly channels: readonly Channel[],
    private readonly host: Pick<Host, 'now' | 'monotonic'>,
  ) {
    this.#state = { state: 'connecting', since: host.monotonic(), reason: null };
  }

  take(event: StreamEvent): void {
    if (event.type === 'state') this.#state = { ...event, since: this.#monotonicOf(event.received) };
    if (event.type === 'gap') {
      const key = channelKey(event.channel);
      const { to, resynchronised, permanent } = event.gap;
      if (permanent) this.#lost.set(key, to);
      if (permanent || resynchronised) this.#open.delete(key);
      else this.#open.add(key);
    }
    if (event.type === 'data') this.#takeData(event);
  }

  show(screen: Screen, isLast = false): string {
    const tickers = this.channels.filter(isTicker);
    const others = this.channels.filter((channel) => !isTicker(channel));
    const height = Number.isFinite(screen.height) ? screen.height : 50;
    const room = height - 1 - (tickers.length > 0 ? AROUND_ROWS + tickers.length : 0) - others.length * AROUND_ROWS;
    const rows = shared(
      room,
      others.map((channel) => this.#rowsOf(channel)),
    );
    const marked = (section: string) => (isLast ? screen : { ...screen, changes: this.#changesOf(section) });
    return [
      isLast ? screen.paint.faint(`As of ${zonedTime(this.host.now())}.`) : this.#stateLine(screen),
      ...(tickers.length > 0 ? [this.#tickers(marked('ticker'), tickers)] : []),
      ...others.map((channel, index) =>
        this.#section(marked(channelKey(channel)), channel, rows[index] ?? FEWEST_ROWS),
      ),
    ].join('\n\n');
  }

  /** What is known of a section's values, for the drawing that begins. */
  #changesOf(section: string): Changes {
    const changes = this.#changes.get(section) ?? new Changes(this.host.monotonic);
    this.#changes.set(section, changes);
    changes.begin();
    return changes;
  }

  #takeData({ channel, data, scope, source, received }: AnyDataEvent): void {
    const key = channelKey(channel);
    const before = this.#known.get(key)?.data;
    const receivedAt = this.#monotonicOf(received);
    this.#known.set(key, { channel, data: applyEvent(channel.kind, before, { data, scope }), source, receivedAt });
  }

  /** A moment just passed by the wall clock, which may be set meanwhile, on the monotonic one. */
  #monotonicOf(received: number): number {
    return this.host.monotonic() - Math.max(0, this.host.now() - received);
  }

  #stateLine({ paint }: Screen): string {
    const { state, since: began, reason } = this.#state;
    if (state === 'connected') return paint.faint('Connected. q ends.');
    const why = reason === null ? '' : ` (${reason})`;
    const since = ageText(this.host.monotonic() - began);
    if (state === 'connecting') return paint.faint(`Connecting for ${since}${why}. q ends.`);
    return paint.warn(`NOT CURRENT: ${state} for ${since}${why}. q ends.`);
  }

  #tickers(screen: Screen, channels: readonly ChannelOf<'ticker'>[]): string {
    const rows = channels.flatMap((channel) => {
      const known = this.#of(channel);
      if (known === undefined) return [];
      // one that is lost matters no more once a newer one has come
      const isCurrent = !this.#open.has(channelKey(channel));
      const age = `${isCurrent ? '' : 'NOT CURRENT, '}${this.#ageOf(known)}`;
      return [{ ...tickerRow(channel.market, known.data), age, isCurrent }];
    });
    if (rows.length === 0) return screen.paint.faint('Waiting for the first ticker.');
    const age: Column<(typeof rows)[number]> = {
      ...{ title: 'age', value: (row) => row.age, align: 'right', importance: 7, onScreenOnly: true },
      paint: (text, { isCurrent }, paint) => (isCurrent ? text : paint.warn(text)),
    };
    return table(screen, [...TICKER_COLUMNS, age], rows);
  }

  #section(screen: Screen, channel: Channel, rows: number): string {
    const known = this.#known.get(channelKey(channel));
    const title = screen.paint.strong(channelKey(channel));
    if (known === undefined) return `${title}  ${screen.paint.faint('waiting for the first data')}`;
    const gap = this.#gapText(channelKey(channel));
    const warning = gap === null ? '' : `  ${screen.paint.warn(gap)}`;
    return `${title}  ${screen.paint.faint(this.#age(known))}${warning}\n${this.#body(screen, channel, rows)}`;
  }

  /** How many rows a channel would take if there were room. */
  #rowsOf(channel: Channel): number {
    if (channel.kind === 'depth') {
      const { bids, asks } = this.#of(channel)?.data ?? { bids: [], asks: [] };
      return 2 * Math.min(MAX_LEVELS, Math.max(bids.length, asks.length)) + 2;
    }
    if (channel.kind === 'balances' || channel.kind === 'crossBalances') return this.#held(channel).length;
    const known = this.#known.get(channelKey(channel))?.data;
    return Array.isArray(known) ? known.length : 0;
  }

  #gapText(key: string): string | null {
    if (this.#open.has(key)) return 'some events are missing';
    const lost = this.#lost.get(key);
    return lost === undefined ? null : `some events before ${zonedTime(lost)} are lost`;
  }

  #body(screen: Screen, channel: Channel, rows: number): string {
    switch (channel.kind) {
      case 'depth':
        return this.#book(screen, channel, Math.min(MAX_LEVELS, Math.max(1, Math.floor((rows - 2) / 2))));
      case 'trades': {
        const { base, quote } = coinsOf(channel.market);
        const trades = newestFirst(this.#of(channel)?.data ?? [], rows).map((one) => tradeRow(channel.market, one));
        return tableOr(screen, tradeColumns(base, quote), trades, 'No trades yet.');
      }
      case 'kline': {
        const candles = newestFirst(this.#of(channel)?.data ?? [], rows);
        return tableOr(screen, candleColumns(coinsOf(channel.market).base), candles.map(candleRow), 'No candles yet.');
      }
      case 'orders': {
        const orders = (this.#of(channel)?.data ?? []).slice(0, rows).map((order) => orderRow(order, null));
        return tableOr(screen, orderColumns(), orders, 'No open orders.');
      }
      case 'balances':
      case 'crossBalances': {
        return tableOr(screen, BALANCE_COLUMNS, this.#held(channel).slice(0, rows), 'No balances.');
      }
      default:
        return '';
    }
  }

  #held(channel: ChannelOf<'balances' | 'crossBalances'>) {
    return (this.#of(channel)?.data ?? []).map(balanceOf).filter(isHeld);
  }

  #book(screen: Screen, channel: ChannelOf<'depth'>, levels: number): string {
    const book = this.#of(channel)?.data;
    if (book === undefined) return '';
    const { market } = channel;
    const [bids, asks] = [book.bids.slice(0, levels), book.asks.slice(0, levels)];
    return showBook(screen, { market, ...coinsOf(market), time: book.time, bids, asks });
  }

  #of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): ChannelState<Kind> | undefined {
    // a key belongs to one kind of channel
    return this.#known.get(channelKey(channel as Channel)) as ChannelState<Kind> | undefined;
  }

  #age({ source, receivedAt }: Pick<ChannelState, 'source' | 'receivedAt'>): string {
    return `${source === 'push' ? 'pushed' : 'read'} ${this.#ageOf({ receivedAt })} ago`;
  }

  #ageOf({ receivedAt }: Pick<ChannelState, 'receivedAt'>): string {
    return ageText(this.host.monotonic() - receivedAt);
  }
}

/** Room for rows, divided among sections: none gets more than it takes, and what it leaves goes to the others. */
function shared(room: number, wanted: readonly number[]): readonly number[] {
  const rows = wanted.map(() => FEWEST_ROWS);
  const bySize = wanted.map((_, index) => index).sort((left, right) => (wanted[left] ?? 0) - (wanted[right] ?? 0));
  let left = room;
  bySize.forEach((section, index) => {
    const share = Math.max(FEWEST_ROWS, Math.floor(left / (wanted.length - index)));
    rows[section] = Math.min(wanted[section] ?? 0, share);
    left -= rows[section] ?? 0;
  });
  return rows;
}

function isTicker(channel: Channel): channel is ChannelOf<'ticker'> {
  return channel.kind === 'ticker';
}

function isHeld({ total }: { readonly total: string }): boolean {
  return Decimal.of(total).sign !== 0;
}

function newestFirst<Row>(rows: readonly Row[], count: number): Row[] {
  return rows.slice(-count).reverse();
}

function tableOr<Row extends object>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  empty: string,
): string {
  return rows.length === 0 ? screen.paint.faint(empty) : table(screen, columns, rows);
}

function coinsOf(market: string): { readonly base: string; readonly quote: string } {
  return splitMarket(market) ?? { base: market, quote: '' };
}
