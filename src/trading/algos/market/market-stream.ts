import type { Aged } from '../../../domain/aged.js';
import type { BestPrices } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import { compareIds, type Depth, type Trade } from '../../../domain/market-data.js';
import { Failure } from '../../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  type ExchangeStream,
  type GapEvent,
  isKind,
  type OrderUpdate,
  type WantedSince,
} from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';

export interface MarketStreamOptions {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  readonly market: string;
  /** Follows channels, over HTTP while there is no stream. */
  readonly follow: (
    channels: readonly Channel[],
    choices: { readonly signal: AbortSignal; readonly wantedSince: WantedSince },
  ) => Promise<ExchangeStream>;
  readonly wantedSince: WantedSince;
  /** Called before what came is used: after a sleep of the machine it ends this stream first. */
  readonly checkAwake: () => void;
  /** Whether a book with these prices, and trades beside it, change nothing. */
  readonly isUnmovedBy: (best: BestPrices) => boolean;
  readonly take: (event: AnyDataEvent) => void;
  /** Called when a channel was read over HTTP because of `wantedSince`, and nothing new came of it. */
  readonly checked: (channel: Channel) => void;
  /** Called when books may have been missed since this time of the wall clock, and will not be pushed any more. */
  readonly missed: (since: number) => void;
  readonly warn: (message: string) => void;
}

/** What was seen, and when it was last known to be so, on the monotonic clock. */
export interface Seen<Value> {
  readonly value: Value;
  readonly at: number;
}

/** Prices of trades, with the age of what is known of them in milliseconds. */
export interface LastTrades {
  readonly prices: readonly Decimal[];
  readonly ageMs: number;
}

/** After a stream that failed, in milliseconds. */
const PAUSE_MS = 1_000;

/** So long a connection may take until it pushes, in milliseconds. What polls show meanwhile is not all that was. */
const BEGINNING_MS = 1_000;

/** What is pushed of a market, until it is ended: a stream that fails is followed by another one. */
export class MarketStream {
  readonly #options: MarketStreamOptions;

  readonly #ending = new AbortController();
  #stream: ExchangeStream | undefined;
  /** The trades that were pushed together last; of those that HTTP has shown, only the newest. */
  #newestPush: readonly Trade[] = [];
  /** Since when no book was pushed, on the wall clock; null while they are. */
  #unpushedSince: number | null = null;

  constructor(options: MarketStreamOptions) {
    this.#options = options;
  }

  /** The newest book, as it was pushed or as HTTP shows it. */
  get book(): Seen<Depth> | undefined {
    const known = this.#stream?.of({ kind: 'depth', market: this.#options.market });
    if (known === undefined) return undefined;
    const now = this.#options.host.monotonic();
    const { ahead } = known;
    if (ahead !== undefined) return { value: ahead.value, at: now - ahead.ageMs };
    return { value: known.value, at: now - known.provenMs };
  }

  /** The trades that are known, oldest first. */
  get trades(): readonly Trade[] {
    return this.#trades?.value ?? [];
  }

  /** What HTTP shows of trades that may still be on their way as pushes. */
  get tradesAhead(): readonly Trade[] {
    return this.#trades?.ahead?.value ?? [];
  }

  /** The trades that came together last: of what a gap brought, only the newest counts. */
  lastTrades(): LastTrades | null {
    const known = this.#trades;
    if (known === undefined) return null;
    const newest = newestOf([...known.value.slice(-1), ...this.tradesAhead]);
    if (newest === undefined) return null;
    // a push that was held up on its way is of the past
    const isPushed = this.#newestPush.some(({ id }) => id === newest.id);
    const trades = isPushed ? this.#newestPush : [newest];
    return { prices: trades.map(({ price }) => Decimal.of(price)), ageMs: known.ahead?.ageMs ?? known.provenMs };
  }

  get #trades(): Aged<readonly Trade[]> | undefined {
    return this.#stream?.of({ kind: 'trades', market: this.#options.market });
  }

  /** The account's orders in the market. */
  get orders(): Aged<readonly OrderUpdate[]> | undefined {
    return this.#stream?.of({ kind: 'orders', market: this.#options.market });
  }

  async run(): Promise<void> {
    const { host, market, warn } = this.#options;
    const { signal } = this.#ending;
    let said = '';
    this.#unpushedSince = host.now();
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.message !== said) warn(`${market} cannot be followed: ${error.message}`);
        said = error.message;
      }
      this.#unpushedSince ??= host.now();
      await host.sleep(PAUSE_MS, signal);
    }
  }

  end(): void {
    this.#ending.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { follow, market, checkAwake, isUnmovedBy, wantedSince, take, checked, missed, warn } = this.#options;
    const channels = [
      { kind: 'depth', market },
      { kind: 'trades', market },
      { kind: 'orders', market },
    ] as const;
    const stream = await follow(channels, { signal, wantedSince });
    if (signal.aborted) return void stream.close();
    this.#stream = stream;
    stream.skipWhile?.(market, isUnmovedBy);
    for await (const event of stream) {
      // what came while this process slept is handed over before any timer fires
      checkAwake();
      if (signal.aborted) return;
      if (event.type === 'data') {
        if (isKind(event, 'trades')) this.#newestPush = event.source === 'push' ? event.data : event.data.slice(-1);
        if (isKind(event, 'depth') && event.source === 'push') this.#begin();
        take(event);
      }
      if (event.type === 'checked') checked(event.channel);
      if (event.type === 'gap' && event.channel.kind === 'depth' && isOver(event)) missed(event.gap.from);
      if (event.type === 'refused') warn(`The exchange rejected the stream of ${market}: ${event.message}. pit polls.`);
    }
  }

  /** A feed that has pushed nothing yet reports no gap of its own. */
  #begin(): void {
    const since = this.#unpushedSince;
    this.#unpushedSince = null;
    const { host, missed } = this.#options;
    if (since !== null && host.now() - since > BEGINNING_MS) missed(since);
  }
}

/** Whether no other event of this gap follows. */
function isOver({ gap }: GapEvent): boolean {
  return gap.resynchronised || gap.permanent;
}

export function newestOf(trades: readonly Trade[]): Trade | undefined {
  return trades.reduce<Trade | undefined>(
    (newest, trade) => (newest === undefined || compareIds(trade.id, newest.id) > 0 ? trade : newest),
    undefined,
  );
}
