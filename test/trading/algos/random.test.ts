import { describe, expect, it } from 'vitest';
import { runRandomly } from './support/random-run.js';

// `npm run campaign:algo-decisions` runs 100,000 of them, from a seed of its own

const LIVES = 100;

describe('an algo order in a random market on a bad network', () => {
  it('never has more open than was asked, never two exits, sells when its stop is reached and not otherwise, and ends', () => {
    const outcomes = Array.from({ length: LIVES }, (_unused, index) => runRandomly(1 + index).outcome);
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(LIVES / 10);
  });

  it('takes in the best price of the silence after a late book', () => {
    expect(runRandomly(500_003_445).outcome).toBe('done');
  });
});
