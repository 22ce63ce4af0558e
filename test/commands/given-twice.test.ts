import { describe, expect, it, vi } from 'vitest';
import { runInside } from '../support/inside.js';
import { temporaryHome } from '../support/pit.js';

vi.mock('../../src/version.js', () => ({ version: 'test' }));

const home = temporaryHome();

describe('a repeated flag', () => {
  it.each([
    ['cancel btc_usdt --id mine0001 --id mine0002', '--id'],
    ['order buy btc_usdt 0.01 --at 20000 --at 21000 --yes', '--at'],
    ['orders --side buy --side=sell', '--side'],
    ['order show btc_usdt --id mine0001 --id mine0001', '--id'],
    ['ticker --profile sandbox --profile other', '--profile'],
    ['--profile sandbox ticker --profile=sandbox', '--profile'],
    ['depth btc_usdt --timeout 5 --timeout 9', '--timeout'],
    ['markets --fields market --fields base', '--fields'],
  ])('is rejected if it takes one value: %s', async (line, flag) => {
    const { failure, stdout } = await runInside(line.split(' '), { home });
    expect(failure).toMatchObject({ kind: 'usage', message: `${flag} is given more than once.`, exitCode: 2 });
    expect(stdout).toBe('');
  });

  it('is accepted if each value counts or if it is a switch', async () => {
    const line = 'order buy btc_usdt 0.01 --at x --override price-band --override post-only --yes --yes';
    const { failure } = await runInside(line.split(' '), { home });
    expect(failure?.message).toContain('"x" is not a price');
  });
});
