import type { Answer, Live } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { LivePicture, type Outage } from '../../terminal/live/live-picture.js';
import type { Context } from '../session/command.js';
import { FeedAnswer } from './feed-answer.js';
import { PolledAnswer } from './polled-answer.js';
import type { Streamed, WatchedAnswer } from './watched-answer.js';

/** As `watch` in watch-flag.ts; loaded only if a command is watched. */
export async function liveAnswer(
  context: Context,
  read: () => Promise<Answer>,
  streamed: Streamed | undefined,
): Promise<Live> {
  const { session, host } = context;
  host.holdProgram();
  const began = host.monotonic();
  const first = { answer: await read(), began };
  session.keepSandboxStopped();
  const { profile } = await session.connection();
  const watched =
    streamed === undefined
      ? new PolledAnswer(context, first, read)
      : new FeedAnswer(host, first, streamed, await session.feeds(streamed.channels));
  return liveOf(context, watched, profile);
}

/** @param view changes each answer before it is shown, as `--fields` does */
function liveOf(context: Context, watched: WatchedAnswer, profile: string, view: View = (answer) => answer): Live {
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
    picture: new LivePicture(
      {
        sections: [
          {
            key: '',
            title: null,
            rows: () => 0,
            freshness: () => watched.snapshot(),
            show: (screen) => view(watched.snapshot().answer).show(screen),
          },
        ],
        profile,
        remains: false,
        trouble: () => watched.trouble,
        state: () => watched.snapshot().source,
      },
      context.host,
    ),
    end: () => end.abort(),
    withView: (chosen) => liveOf(context, watched, profile, chosen),
  };
}

type View = (answer: Answer) => Answer;

/** Yields at each change. Reports on stderr that the connection is lost, and that it is back, unless the answer is drawn. */
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
