import type { Aged } from '../../../domain/aged.js';
import type { BestPrices } from '../../../domain/book.js';
import type { Depth, Trade } from '../../../domain/market-data.js';
import { Failure } from '../../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  type ExchangeStream,
  type GapEvent,
  isKind,
  type OrderUpdate,
} from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';

export interface MarketStreamOptions {
  readonly host: Pick<Host, 'sleep'>;
  readonly market: string;
  /** Follows channels, over HTTP while there is no stream. */
  readonly follow: (channels: readonly Channel[], signal: AbortSignal) => Promise<ExchangeStream>;
  /** Called before what came is used: after a sleep of the machine it ends this stream first. */
  readonly checkAwake: () => void;
  /** Whether a book with these prices, and trades beside it, change nothing. */
  readonly isUnmovedBy: (best: BestPrices) => boolean;
  readonly take: (event: AnyDataEvent) => void;
  /** Called when books may have been missed since this time of the wall clock, and will not be pushed any more. */
  readonly missed: (since: number) => void;
  readonly warn: (message: string) => void;
}

/** After a stream that failed, in milliseconds. */
const PAUSE_MS = 1_000;

/** What is pushed of a market, until it is ended: a stream that fails is followed by another one. */
export class MarketStream {
  readonly #options: MarketStreamOptions;

  readonly #ending = new AbortController();
  #stream: ExchangeStream | undefined;
  /** The trades that were pushed together last; of those that HTTP has shown, only the newest. */
  newestPush: readonly Trade[] = [];

  constructor(options: MarketStreamOptions) {
    this.#options = options;
  }

  get book(): Aged<Depth> | undefined {
    return this.#stream?.of({ kind: 'depth', market: this.#options.market });
  }

  get trades(): Aged<readonly Trade[]> | undefined {
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
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.message !== said) warn(`${market} cannot be followed: ${error.message}`);
        said = error.message;
      }
      await host.sleep(PAUSE_MS, signal);
    }
  }

  end(): void {
    this.#ending.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { follow, market, checkAwake, isUnmovedBy, take, missed, warn } = this.#options;
    const channels = [
      { kind: 'depth', market },
      { kind: 'trades', market },
      { kind: 'orders', market },
    ] as const;
    const stream = await follow(channels, signal);
    if (signal.aborted) return void stream.close();
    this.#stream = stream;
    stream.skipWhile?.(market, isUnmovedBy);
    for await (const event of stream) {
      // what came while this process slept is handed over before any timer fires
      checkAwake();
      if (signal.aborted) return;
      if (event.type === 'data') {
        if (isKind(event, 'trades')) this.newestPush = event.source === 'push' ? event.data : event.data.slice(-1);
        take(event);
      }
      if (event.type === 'gap' && event.channel.kind === 'depth' && isOver(event)) missed(event.gap.from);
      if (event.type === 'refused') warn(`The exchange rejected the stream of ${market}: ${event.message}. pit polls.`);
    }
  }
}

/** Whether no other event of this gap follows. */
function isOver({ gap }: GapEvent): boolean {
  return gap.resynchronised || gap.permanent;
}
