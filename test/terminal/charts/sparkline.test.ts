import { describe, expect, it } from 'vitest';
import { sparkline } from '../../../src/terminal/charts/sparkline.js';

describe('a sparkline', () => {
  it('draws the lowest price at the bottom and the highest at the top, in eight steps', () => {
    expect(sparkline(['1', '2', '3', '4', '5', '6', '7', '8'], 8, true)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline(['28000.00', '28070.5', '27999.99'], 8, true)).toBe('▁█▁');
  });

  it('uses ASCII on a terminal that draws no blocks', () => {
    expect(sparkline(['1', '2', '3', '4'], 8, false)).toBe("_.-'");
  });

  it('shows the last price of each part of a longer time', () => {
    expect(sparkline(['1', '9', '1', '1', '9', '5'], 3, true)).toBe('█▁▅');
  });

  it('draws a price that never moved in the middle', () => {
    expect(sparkline(['3', '3.00'], 4, true)).toBe('▅▅');
  });
});
