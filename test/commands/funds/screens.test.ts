import { beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../../src/terminal/text.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';
import { withdraw } from './funds.js';

const pit = useWorld({ markets: STILL_MARKETS });

const BILLS = 400;
const ERASED = '\r\u001b[2K';

beforeAll(async () => {
  await pit.administer('POST /accounts/add', { name: 'alice' });
  for (let count = 0; count < BILLS; count += 1)
    await pit.administer('POST /transfer', { coin: 'usdt', amount: count < 300 ? '1' : '0.00000001', to: 'alice' });
  await pit.administer('POST /deposit', { coin: 'usdt', amount: '100' });
  await withdraw(pit, 'usdt', '50', '1');
  // pending transfers stay pending however long the test takes
  await pit.administer('POST /clock/stop');
});

/** Text that each command prints at any width. */
const SCREENS: readonly (readonly [line: string, shows: RegExp])[] = [
  ['balance --in btc', /^sum +[\d.]+/m],
  ['account', /money +yes/],
  ['bills', /usdt +(Withdrawal)?/],
  ['bills --all', /usdt +.*-0\.00000001/],
  ['bills --summary', /^usdt/m],
  ['fees', /usdt +omni/],
  ['deposits usdt', /100\.0+ +waiting/],
  ['withdrawals usdt --all', /50\.0+ .*submitted/],
];

describe('funds commands on a terminal', () => {
  function at(line: string, job: { columns?: number; pipedOutput?: true } = {}) {
    return pit.world.run(line, { environment: { NO_COLOR: '1' }, steps: [], ...job });
  }

  /** The lines on the screen after erasing. */
  function left(screen: string): string[] {
    return screen.split('\r\n').map((line) => line.split(ERASED).at(-1) ?? '');
  }

  describe.each(SCREENS)('pit %s', (line, shows) => {
    it.each([40, 80, 200])('fits into %i columns', async (columns) => {
      const { screen, code } = await at(line, { columns });
      expect(code).toBe(0);
      const lines = left(screen);
      expect(lines.join('\n')).toMatch(shows);
      expect(lines.filter((text) => displayWidth(text) > columns)).toEqual([]);
      if (columns === 200) expect(screen).not.toContain('No room for');
    });
  });

  it('a long listing shows its progress, even in a pipe, and erases it', async () => {
    const { screen, stdout } = await at('bills --summary --json', { pipedOutput: true });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ type: 'Transfer out', count: BILLS }));
    expect(screen.startsWith(`${ERASED}150 bills …${ERASED}`)).toBe(true);
    expect(left(screen)).toEqual(['']);
    expect(left((await at('bills --all')).screen).join('\n')).not.toContain('…');
    // JSON output has no live lines to erase
    const written = await at('bills --all --json');
    expect(JSON.parse(written.screen)).toHaveLength(7 + BILLS + 2);
  });

  it('columns widen for later rows and repeat their titles', async () => {
    const lines = left((await at('bills --all', { columns: 100 })).screen);
    const titles = lines.filter((line) => line.startsWith('time'));
    expect(titles.length).toBeGreaterThan(1);
    const changes = lines.filter((line) => /Transfer out/.test(line));
    expect(changes).toHaveLength(BILLS);
  });
});
