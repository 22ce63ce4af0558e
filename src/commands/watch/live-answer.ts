import type { Answer, Live } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import type { Context } from '../command.js';
import { MirroredAnswer } from './mirrored-answer.js';
import { PolledAnswer } from './polled-answer.js';
import { WatchPicture } from './watch-picture.js';
import type { Outage, Streamed, WatchedAnswer } from './watched-answer.js';

export async function liveAnswer(
  context: Context,
  read: () => Promise<Answer>,
  streamed: Streamed | undefined,
): Promise<Live> {
  const { session, host } = context;
  const began = host.monotonic();
  const first = { answer: await read(), began };
  session.exchange.keepStopped();
  const { profile } = await session.profile.connection();
  const watched =
    streamed === undefined
      ? new PolledAnswer(context, first, read)
      : new MirroredAnswer(
          host,
          first,
          streamed,
          await session.live.mirror([...streamed.channels, ...(streamed.optionalChannels ?? [])]),
        );
  return liveOf(context, watched, profile);
}

function liveOf(context: Context, watched: WatchedAnswer, profile: string, view?: View): Live {
  const end = new AbortController();
  let last: string | undefined;
  return {
    events: changes(context, watched, end),
    line: () => {
      const text = toJson(watched.snapshot().answer.data);
      if (text === last) return undefined;
      last = text;
      return text;
    },
    picture: new WatchPicture(watched, context.host.monotonic, profile, view),
    end: () => end.abort(),
    withView: (chosen) => liveOf(context, watched, profile, chosen),
  };
}

type View = (answer: Answer) => Answer;

/** Something for each change, and for each that is lost or back; said on stderr unless it is drawn. */
async function* changes({ host, output }: Context, watched: WatchedAnswer, end: AbortController): AsyncGenerator<void> {
  const forget = host.onInterrupt(() => end.abort());
  let isTroubled = false;
  try {
    while (!end.signal.aborted) {
      const changed = watched.changed(end.signal);
      const { trouble } = watched;
      if (!output.canDraw && (trouble !== null) !== isTroubled) {
        isTroubled = trouble !== null;
        if (trouble === null) output.note('The connection is back.');
        else output.warn(`${sentenceOf(trouble)}.`);
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

function sentenceOf({ words, reason }: Outage): string {
  const sentence = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return reason === null ? sentence : `${sentence} (${reason})`;
}
