import { describe, expect, it } from 'vitest';
import { RecentChanges } from '../../../src/terminal/live/recent-changes.js';

function drawings() {
  const clock = { ms: 0 };
  const changes = new RecentChanges(() => clock.ms);
  /** Draws these values, a while after the last drawing. */
  const draw = (values: Readonly<Record<string, string>>, afterMs = 100) => {
    clock.ms += afterMs;
    changes.begin();
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, changes.of(key, value)]));
  };
  return draw;
}

describe('the changes of a view', () => {
  it('reports nothing of the first drawing, and nothing of what stays the same', () => {
    const draw = drawings();
    expect(draw({ bid: '1' })).toEqual({ bid: undefined });
    expect(draw({ bid: '1' })).toEqual({ bid: undefined });
  });

  it.each([
    ['9.5', '10', 'up'],
    ['1,000.00', '999.99', 'down'],
    ['+1.00%', '-1.00%', 'down'],
    ['open', 'filled', null],
  ] as const)('says that %s to %s goes %s', (before, after, direction) => {
    const draw = drawings();
    draw({ value: before });
    expect(draw({ value: after }).value).toEqual({ isFresh: true, isNew: false, direction });
  });

  it('changes are fresh for a second, fade for two more, and are gone', () => {
    const draw = drawings();
    draw({ bid: '1' });
    draw({ bid: '2' });
    expect(draw({ bid: '2' }, 999).bid?.isFresh).toBe(true);
    expect(draw({ bid: '2' }, 1).bid?.isFresh).toBe(false);
    expect(draw({ bid: '2' }, 1_999).bid?.isFresh).toBe(false);
    expect(draw({ bid: '2' }, 1).bid).toBeUndefined();
  });

  it('a value that was not there before is new, also one that comes back', () => {
    const draw = drawings();
    draw({ bid: '1' });
    expect(draw({ bid: '1', ask: '2' }).ask).toEqual({ isFresh: true, isNew: true, direction: null });
    draw({ bid: '1' });
    draw({ bid: '1' });
    expect(draw({ bid: '1', ask: '2' }, 10_000).ask?.isNew).toBe(true);
  });
});
