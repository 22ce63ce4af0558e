import { Decimal } from '../../domain/decimal.js';
import type { Answer, Live } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { LivePicture } from '../../terminal/live/live-picture.js';
import type { AlgoView } from '../../trading/algos/service/algo-views.js';
import { requireWatchable } from '../live/watch-flag.js';
import type { Context } from '../session/command.js';
import { algoService } from './algo-service.js';
import { algoDocument } from './view/algo-fields.js';

/** What a watch of algo orders shows. */
interface Watched {
  readonly isOf: (view: AlgoView) => boolean;
  /** The picture for people. */
  readonly answer: (views: readonly AlgoView[]) => Answer;
  /** Whether nothing more can change. */
  readonly isOver: (view: AlgoView) => boolean;
}

/** Shows algo orders and keeps them current; programs get a document for each change of one. */
export async function watchAlgos(context: Context, { isOf, answer, isOver }: Watched): Promise<Live<AlgoView>> {
  requireWatchable(context);
  const { host, session } = context;
  const { profile } = await session.connection();
  const end = new AbortController();
  const views = new Map<string, AlgoView>();
  async function* events(): AsyncGenerator<AlgoView> {
    const forget = host.onInterrupt(() => end.abort());
    try {
      for await (const view of changes(context, end.signal)) {
        if (!isOf(view)) {
          views.delete(view.id);
          continue;
        }
        yield view;
        if (isOver(view)) return;
      }
    } finally {
      forget();
    }
  }
  return {
    events: events(),
    line: (view) => toJson(algoDocument(view, host.now())),
    picture: new LivePicture<AlgoView>(
      {
        sections: [
          {
            key: '',
            title: null,
            freshness: () => undefined,
            rows: () => 0,
            show: (screen) => answer([...views.values()]).show(screen),
          },
        ],
        trouble: () => null,
        state: () => 'following',
        profile,
        take: (view) => views.set(view.id, view),
        remains: true,
      },
      host,
    ),
    end: () => end.abort(),
  };
}

/** How often a watch looks for changes, in milliseconds. */
const WATCH_MS = 1_000;

/** Each algo order that has not ended, and then each whenever something of it changes; until the signal aborts. */
async function* changes(context: Context, signal: AbortSignal): AsyncGenerator<AlgoView> {
  const { host, budget } = context;
  host.holdProgram();
  const bind = budget.disableDeadline();
  const shown = new Map<string, string>();
  const { options, views } = await algoService(context);
  try {
    while (!signal.aborted) {
      budget.restart();
      const ids = [...new Set([...options.store.openIds(), ...shown.keys()])];
      for (const view of await views.of(ids)) {
        const text = JSON.stringify(view, (_, value: unknown) => (value instanceof Decimal ? String(value) : value));
        if (shown.get(view.id) === text) continue;
        shown.set(view.id, text);
        yield view;
      }
      await host.sleep(WATCH_MS, signal);
    }
  } finally {
    bind();
  }
}
