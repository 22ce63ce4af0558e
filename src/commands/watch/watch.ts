import type { Context } from '../../cli/context.js';
import { toggle } from '../../cli/definition.js';
import { suggest, usage } from '../../errors.js';
import type { Channel, ChannelData, ChannelKind, ChannelOf } from '../../exchange/stream/events.js';
import type { Answer, Live } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { MirroredAnswer } from './mirrored-answer.js';
import { PolledAnswer } from './polled-answer.js';
import { WatchPicture } from './watch-picture.js';

/** The flag of every command that can be watched. */
export const WATCH = toggle('--watch', 'show changes as they happen; q or Ctrl-C ends');

/** A command's answer as it is known at a moment. */
export interface Sight {
  readonly answer: Answer;
  readonly source: 'stream' | 'polling';
  /** How old the oldest part of it is at most, in milliseconds. */
  readonly ageMs: number;
  /** Whether nothing newer is missing. */
  readonly isCurrent: boolean;
}

/** A command's answer that is kept current until it is closed. */
export interface WatchedAnswer {
  sight(): Sight;
  /** Null if nothing is wrong. */
  readonly trouble: Trouble | null;
  /** Resolves when the answer or the trouble has changed, the signal is aborted, or it is closed. Call it before you read. */
  changed(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Why an answer may be out of date. */
export interface Trouble {
  readonly words: string;
  /** Null if it is not known. */
  readonly reason: string | null;
}

/** How a stream keeps an answer current. */
export interface Streamed {
  /** At least one. */
  readonly channels: readonly Channel[];
  /** Makes the answer from what is known of the channels. */
  answer(value: ValueOf): Answer;
}

export type ValueOf = <Kind extends ChannelKind>(channel: ChannelOf<Kind>) => ChannelData[Kind];

/**
 * Throws Failure `usage` for flags that a watch does not take, and for an output in which its answers could not be told apart.
 * @param excluded the values of the command's own flags that it does not take
 */
export function requireWatchable(
  { globals, output }: Pick<Context, 'globals' | 'output'>,
  excluded: Readonly<Record<string, unknown>> = {},
): void {
  for (const [name, value] of Object.entries(excluded))
    if (value !== undefined && value !== false)
      throw usage(`--watch and ${name} exclude each other.`, 'A watch shows what is now; give one of them.');
  if (globals.format === 'csv')
    throw usage('--watch and --csv exclude each other.', [
      'Each change would repeat all rows.',
      suggest('Print a row for each event instead', 'stream', '--help'),
    ]);
  if (globals.fields !== undefined && !output.canDraw)
    throw usage('--watch takes --fields only on a terminal.', 'JSON has every field; pick from it with jq.');
}

/**
 * Shows a command's answer and keeps it current: over the stream, or by repeating the command within the shared limits.
 *
 * @param read what the command does without `--watch`. Its failure is the command's; a later one is shown until it is over.
 * @param streamed absent if no channel carries the answer
 */
export async function watch(context: Context, read: () => Promise<Answer>, streamed?: Streamed): Promise<Live> {
  const { session, host } = context;
  session.keepStopped();
  const began = host.monotonic();
  const first = { answer: await read(), began };
  const { profile } = await session.connection();
  const watched =
    streamed === undefined
      ? new PolledAnswer(context, first, read)
      : new MirroredAnswer(host, first, streamed, await session.mirror(streamed.channels));
  return liveOf(context, watched, profile);
}

function liveOf(context: Context, watched: WatchedAnswer, profile: string, view?: View): Live {
  let last: string | undefined;
  return {
    events: changes(context, watched),
    line: () => {
      const text = toJson(watched.sight().answer.data);
      if (text === last) return undefined;
      last = text;
      return text;
    },
    picture: new WatchPicture(watched, profile, view),
    withView: (chosen) => liveOf(context, watched, profile, chosen),
  };
}

type View = (answer: Answer) => Answer;

/** Something for each change, and for each that is lost or back; said on stderr unless it is drawn. */
async function* changes({ host, output }: Context, watched: WatchedAnswer): AsyncGenerator<void> {
  const end = new AbortController();
  const forget = host.onInterrupt(() => end.abort());
  let isTroubled = false;
  try {
    while (!end.signal.aborted) {
      const changed = watched.changed(end.signal);
      const { trouble } = watched;
      if (!output.canDraw && (trouble !== null) !== isTroubled) {
        isTroubled = trouble !== null;
        output.note(trouble === null ? 'The connection is back.' : `${sentenceOf(trouble)}.`);
      }
      yield;
      await changed;
    }
  } finally {
    forget();
    end.abort();
    await watched.close();
  }
}

function sentenceOf({ words, reason }: Trouble): string {
  const sentence = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return reason === null ? sentence : `${sentence} (${reason})`;
}
