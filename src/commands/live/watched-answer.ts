import type { Channel, ChannelData, ChannelKind, ChannelOf } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Freshness } from '../../terminal/live/freshness.js';
import type { Outage } from '../../terminal/live/live-picture.js';

/** A command's answer at one moment. Its age is that of its oldest part. */
export interface AnswerSnapshot extends Freshness {
  readonly answer: Answer;
}

/** A command's answer that is kept current until it is closed. */
export interface WatchedAnswer {
  snapshot(): AnswerSnapshot;
  /** Null if nothing is wrong. */
  readonly trouble: Outage | null;
  /** Resolves when the answer or the trouble has changed, the signal is aborted, or it is closed. Call it before you read. */
  changed(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What the command read at first, and when that began on the monotonic clock. */
export interface FirstAnswer {
  readonly answer: Answer;
  readonly began: number;
}

/** How a stream keeps an answer current. */
export interface Streamed {
  /** At least one. */
  readonly channels: readonly Channel[];
  /** Makes the answer from what is known of the channels. */
  answer(value: ValueOf): Answer;
}

type ValueOf = <Kind extends ChannelKind>(channel: ChannelOf<Kind>) => ChannelData[Kind];
