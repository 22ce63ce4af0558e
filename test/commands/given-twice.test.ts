import { describe, expect, it } from 'vitest';
import { runPit, temporaryHome } from '../support/pit.js';

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
  ])('rejects a repeated flag that takes one value: %s', async (line, flag) => {
    const { code, stdout, stderr } = await runPit(line.split(' '), { home });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${flag} is given more than once.`) });
    expect(stdout).toBe('');
  });

  it('accepts a repeated flag if each value counts or if it is a switch', async () => {
    const line = 'order buy btc_usdt 0.01 --at x --override price-band --override post-only --yes --yes';
    const { stderr } = await runPit(line.split(' '), { home });
    expect(stderr).toContain('"x" is not a price');
  });
});
