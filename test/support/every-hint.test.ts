import { describe, expect, it } from 'vitest';
import { recordHint, wrongHints } from './every-hint.js';

/** What the check says about a hint that this line printed. */
async function saidOf(given: string, hint: string): Promise<string> {
  recordHint(given.split(' '), hint.split(' '));
  return (await wrongHints()).join('\n');
}

describe('the check of every hint that the tests print', () => {
  it.each([
    ['cancel btc_usdt 12345', 'orders btc_usdt --state all'],
    ['cancel --id mine0001', 'cancel MARKET --id mine0001'],
    ['cancel btc_usdt --all', 'cancel btc_usdt --all'],
    ['resolve mine0001', 'resolve mine0001 --as placed=ORDERID'],
    ['algo show', 'algo show ID --watch'],
    ['orders', 'algo list --all'],
    ['order buy btc_usdt 1 --at 5 --dry-run', 'order buy btc_usdt 1 --at 6 --dry-run'],
    ['halt --cancel', 'halt --cancel'],
    ['halt', 'halt --lift'],
    ['nope', '--help'],
  ])('has nothing against "pit %s" that hints "pit %s"', async (given, hint) => {
    expect(await saidOf(given, hint)).toBe('');
  });

  it.each([
    ['orders', 'order list', 'unknown command'],
    ['cancel 12345', 'cancel MARKET 12345 --every', 'unknown option'],
    ['depth', 'depth', 'missing required argument'],
    ['order show btc_usdt', 'order show btc_usdt NUMBER!', 'has other characters'],
    ['cancel 12345', 'cancel MARKET --all', 'Adds --all'],
    ['cancel btc_usdt --all', 'cancel --all --all-markets', 'Adds --all-markets'],
    ['order buy btc_usdt 1 --at 5', 'halt', 'Adds halt'],
    ['order buy btc_usdt 1 --at 5', 'order buy btc_usdt 1 --at 5 --yes', 'Adds --yes'],
    ['order buy btc_usdt 1 --at 5 --dry-run', 'order buy btc_usdt 1 --at 6', 'Not dry'],
    ['depth btc_usdt', 'depth eth_usdt', 'Other market'],
    ['cancel btc_usdt 12345', 'cancel btc_usdt 12345 67890', 'Other order'],
    ['--profile far orders', 'keys set --profile near', 'Other profile'],
  ])('finds what is wrong if "pit %s" hints "pit %s"', async (given, hint, problem) => {
    expect(await saidOf(given, hint)).toContain(problem);
  });
});
