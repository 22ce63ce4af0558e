import { describe, expect, it } from 'vitest';
import { runRandomly } from './support/random-run.js';

// `npm run campaign:algo-decisions` runs 100,000 of them

const LIVES = 100;

describe('an algo order in a random market on a bad network', () => {
  it.each([
    ['a fixed seed', 1],
    ['a seed of its own', Math.floor(Math.random() * 2 ** 30)],
  ])(
    'never has more open than was asked, never two exits, sells when its stop is reached and not otherwise, and ends (%s: %i)',
    (_, first) => {
      const outcomes = Array.from({ length: LIVES }, (_unused, index) => runRandomly(first + index).outcome);
      expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(LIVES / 10);
    },
  );
});
