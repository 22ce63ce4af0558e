import type { ConnectionUser } from '../../../src/exchange/stream/connection.js';
import type { Feed } from '../../../src/exchange/stream/feed.js';
import { parseJson } from '../../../src/platform/json.js';

/** A connection to streams that are the test's own. @param now the wall clock */
export function scriptedConnection(now: () => number) {
  let user: ConnectionUser | undefined;
  const feeds = () => [...(user?.feeds() ?? [])];
  const subscribe = (some: readonly Feed[], isHeard = true) => {
    for (const feed of some) feed.subscribing();
    for (const feed of some) feed.confirmed(isHeard);
  };
  return {
    open: (given: ConnectionUser) => {
      user = given;
      return {
        ...{
          subscribe: (some: readonly Feed[]) => subscribe(some),
          subscribeAgain: () => undefined,
          unsubscribe: () => undefined,
          latencyMs: null,
          unreadable: 0,
        },
        run: () => new Promise<void>((resolve) => given.ending.addEventListener('abort', () => resolve())),
      };
    },
    /** All channels are subscribed to at once; if it is mute, only the time confirms that. */
    connect: ({ isMute = false } = {}) => {
      user?.enter('connected', null);
      subscribe(feeds(), !isMute);
    },
    /** The exchange rejects all subscriptions, and then answers the heartbeat that followed them. */
    refuse: () => {
      for (const feed of feeds()) feed.refused();
      for (const feed of feeds()) feed.confirmed();
    },
    lose: (reason: string) => {
      user?.enter('reconnecting', reason);
      for (const feed of feeds()) feed.disconnected(now(), reason);
    },
    /** The exchange is replaced by another one, and its connections end. */
    startOver: () => {
      user?.startOver(now(), 'the exchange has started over');
      user?.enter('reconnecting', 'the exchange has started over');
    },
    /** A frame of a channel. */
    push: (text: string) => {
      const frame = parseJson(text) as { readonly channel: string };
      for (const feed of user?.named(frame.channel) ?? []) feed.push(frame, text, now());
    },
    /** A frame of any channel that cannot be read. */
    pushUnreadable: () => {
      for (const feed of feeds()) feed.markIncomplete('a frame could not be read', now());
    },
  };
}
