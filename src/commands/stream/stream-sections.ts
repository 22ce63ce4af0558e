import {
  type Channel,
  type ChannelOf,
  channelKey,
  type ExchangeStream,
  type StreamEvent,
} from '../../exchange/exchange.js';
import type { LiveSection, LiveSource, Outage } from '../../terminal/live/live-picture.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import { ageText, zonedTime } from '../../terminal/time.js';
import { TICKER_COLUMNS, tickerRow } from '../market/ticker.js';
import { viewOf } from './channel-views.js';

/** What `pit stream` draws: all tickers in one table, and a section for each other channel. */
export function streamSource(
  channels: readonly Channel[],
  of: ExchangeStream['of'],
  profile: string,
): LiveSource<StreamEvent> {
  const gaps = new Gaps();
  let state = 'connecting';
  let trouble: Outage | null = null;
  const tickers = channels.filter((channel) => channel.kind === 'ticker');
  const others = channels.filter((channel) => channel.kind !== 'ticker');
  return {
    profile,
    remains: true,
    state: () => state,
    trouble: () => trouble,
    take: (event) => {
      gaps.take(event);
      if (event.type !== 'state') return;
      // each new attempt reports that it connects
      if (event.state === 'connected') [state, trouble] = ['stream', null];
      else if (event.state !== 'connecting') trouble = { words: 'connection lost, reconnecting', reason: event.reason };
    },
    sections: [
      ...(tickers.length === 0 ? [] : [tickerSection(tickers, of)]),
      ...others.map((channel) => sectionOf(channel, of, gaps)),
    ],
  };
}

function sectionOf(channel: Channel, of: ExchangeStream['of'], gaps: Gaps): LiveSection {
  const view = viewOf(channel.kind);
  const key = channelKey(channel);
  return {
    key,
    title: key,
    freshness: () => of(channel),
    warning: () => gaps.warningOf(key),
    rows: () => {
      const known = of(channel);
      return known === undefined ? 0 : view.size(known.value);
    },
    show: (screen, rows) => {
      const known = of(channel);
      return known === undefined ? '' : view.show(screen, known.value, channel, rows);
    },
  };
}

function tickerSection(channels: readonly ChannelOf<'ticker'>[], of: ExchangeStream['of']): LiveSection {
  return {
    key: 'ticker',
    title: null,
    freshness: () => undefined,
    rows: () => channels.length,
    show: (screen: Screen) => {
      const rows = channels.flatMap((channel) => {
        const known = of(channel);
        if (known === undefined) return [];
        const { value, isCurrent, ageMs } = known;
        const age = `${isCurrent ? '' : 'NOT CURRENT, '}${ageText(ageMs)}`;
        return [{ ...tickerRow(channel.market, value), age, isCurrent }];
      });
      if (rows.length === 0) return screen.paint.faint('Waiting for the first ticker.');
      const age: Column<(typeof rows)[number]> = {
        title: 'age',
        value: (row) => row.age,
        align: 'right',
        importance: 7,
        onScreenOnly: true,
        paint: (text, { isCurrent }, paint) => (isCurrent ? text : paint.warn(text)),
      };
      return table(screen, [...TICKER_COLUMNS, age], rows);
    },
  };
}

/** What is missing of channels. */
class Gaps {
  /** The channels with an open gap. */
  readonly #open = new Set<string>();
  /** When the last permanent gap of a channel ended, in milliseconds since the Unix epoch. */
  readonly #lost = new Map<string, number>();

  take(event: StreamEvent): void {
    if (event.type !== 'gap') return;
    const key = channelKey(event.channel);
    const { to, resynchronised, permanent } = event.gap;
    if (permanent) this.#lost.set(key, to);
    if (permanent || resynchronised) this.#open.delete(key);
    else this.#open.add(key);
  }

  warningOf(key: string): string | null {
    if (this.#open.has(key)) return 'some events are missing';
    const lost = this.#lost.get(key);
    return lost === undefined ? null : `some events before ${zonedTime(lost)} are lost`;
  }
}
