import { expect, it } from 'vitest';
import { FeedAnswer } from '../../../src/commands/live/feed-answer.js';
import type { Answer } from '../../../src/terminal/answer.js';

const answer: Answer = { data: [], show: () => '' };

it.each(['connected', 'none'] as const)(
  'says that not all is shown when a channel could not be read whole: %s',
  (state) => {
    const known = { value: [], time: null, received: 0, ageMs: 0, isCurrent: true, source: 'stream' } as const;
    const troubleOf = (missing: object) => {
      const feeds = { of: () => ({ ...known, ...missing }) as never, state, problem: null };
      const unused = { changed: () => Promise.resolve(), close: () => Promise.resolve() };
      const streamed = { channels: [{ kind: 'orders' }] as const, answer: () => answer };
      return new FeedAnswer({ monotonic: () => 0 }, { answer, began: 0 }, streamed, { ...feeds, ...unused }).trouble;
    };
    expect(troubleOf({})).toBeNull();
    expect(troubleOf({ missing: 'older orders' })).toEqual({ words: 'not all is shown', reason: 'older orders' });
  },
);
