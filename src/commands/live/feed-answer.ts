import type { ChannelKind, ChannelOf, Feeds } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { Outage } from '../../terminal/live/live-picture.js';
import type { AnswerSnapshot, FirstAnswer, Streamed, WatchedAnswer } from './watched-answer.js';

/** The first answer is replaced within this time, or it is too old to be called current. */
const REPLACED_MS = 10_000;

/** An answer from the feeds of its channels; the first answer until all of them are known. */
export class FeedAnswer implements WatchedAnswer {
  readonly #host: Pick<Host, 'monotonic'>;
  readonly #first: FirstAnswer;
  readonly #streamed: Streamed;
  readonly #feeds: Pick<Feeds, 'of' | 'changed' | 'close' | 'state' | 'problem'>;

  constructor(
    host: Pick<Host, 'monotonic'>,
    first: FirstAnswer,
    streamed: Streamed,
    feeds: Pick<Feeds, 'of' | 'changed' | 'close' | 'state' | 'problem'>,
  ) {
    this.#host = host;
    this.#first = first;
    this.#streamed = streamed;
    this.#feeds = feeds;
  }

  snapshot(): AnswerSnapshot {
    const feeds = this.#feeds;
    const streamed = this.#streamed;
    const first = this.#first;
    const known = streamed.channels.flatMap((channel) => feeds.of(channel as ChannelOf<ChannelKind>) ?? []);
    if (known.length < streamed.channels.length) {
      const ageMs = this.#host.monotonic() - first.began;
      return { answer: first.answer, source: 'polling', ageMs, isCurrent: ageMs <= REPLACED_MS };
    }
    const answer = streamed.answer((channel) => {
      const aged = feeds.of(channel);
      if (aged === undefined) throw new Error('an answer takes only the values of its own channels');
      return aged.value;
    });
    return {
      answer,
      source: known.every(({ source }) => source === 'stream') && feeds.state === 'connected' ? 'stream' : 'polling',
      ageMs: Math.max(...known.map(({ ageMs }) => ageMs)),
      isCurrent: known.every(({ isCurrent }) => isCurrent),
    };
  }

  get trouble(): Outage | null {
    const { state, problem } = this.#feeds;
    const missing = this.#streamed.channels.map(
      (channel) => this.#feeds.of(channel as ChannelOf<ChannelKind>)?.missing,
    );
    const cut = missing.find((one) => one !== undefined);
    if (state === 'reconnecting' || state === 'silent')
      return { words: 'connection lost, reconnecting', reason: problem };
    if (problem !== null && state !== 'connected') return { words: 'no answer, trying again', reason: problem };
    return cut === undefined ? null : { words: 'not all is shown', reason: cut };
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#feeds.changed(signal);
  }

  close(): Promise<void> {
    return this.#feeds.close();
  }
}
