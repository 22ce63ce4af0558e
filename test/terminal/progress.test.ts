import { describe, expect, it } from 'vitest';
import { progressBar } from '../../src/terminal/progress.js';
import { terminal } from './screens.js';

const screen = terminal(80);

describe('a progress bar', () => {
  it.each([20, 30, 40, 80, 200])('fits %i columns', (columns) => {
    for (let done = 0; done <= 10_000; done += 250) {
      const bar = progressBar(
        screen,
        { done, total: 10_000, note: `${Math.ceil((10_000 - done) / 1_200)} s` },
        columns,
      );
      expect([...bar].length).toBeLessThanOrEqual(columns);
      expect(bar).toMatch(/^[\d,]+\/10,000 .*%/);
    }
  });

  it.each([
    [0, `0/10,000 ${' '.repeat(30)}   0% 7 s`],
    [2_500, `2,500/10,000 ${'█'.repeat(7)}▌${' '.repeat(22)}  25% 7 s`],
    [10_000, `10,000/10,000 ${'█'.repeat(30)} 100% 7 s`],
  ])('grows with the finished part: %i', (done, bar) => {
    expect(progressBar(screen, { done, total: 10_000, note: '7 s' }, 79)).toBe(bar);
  });

  it('shows only text without room for a bar', () => {
    expect(progressBar(screen, { done: 5, total: 10, note: '1 s' }, 16)).toBe('5/10 50%');
  });
});
