import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });
// its markets stand still
beforeAll(() => pit.done('sandbox clock stop'));

function run(lines: readonly string[], words: readonly string[] = []) {
  return pit.world.run(['shell', ...words], { input: lines.map((line) => `${line}\n`).join('') });
}

describe('pit shell with lines from a pipe', () => {
  it('prints what each command prints, and nothing else', async () => {
    const lines = ['# the book', '', 'depth btc_usdt --size 1 --csv', 'pit ticker btc_usdt --json'];
    const { code, stdout, stderr } = await run(lines);
    const book = await pit.done('depth btc_usdt --size 1 --csv');
    const ticker = await pit.done('ticker btc_usdt --json');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: book + ticker, stderr: '' });
  });

  it('stops at the first failure, with its exit code', async () => {
    const { code, stdout, stderr } = await run(['ticker btc_usdt --csv', 'depth nope_usdt', 'markets']);
    expect(code).toBe(2);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toContain('no market nope_usdt');
    expect(stderr).toMatch(/Stopped at line 2\.\n$/);
  });

  it('ends with 0 at exit, whatever follows', async () => {
    const { code, stdout } = await run(['exit', 'depth nope_usdt']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('gives a read the current market: of use, and of the last command that named one', async () => {
    const eth = await pit.done('depth eth_usdt --csv');
    const btc = await pit.done('depth btc_usdt --csv');
    const used = await run(['use ETH/USDT', 'depth --csv', 'depth btc_usdt --csv', 'depth --csv']);
    expect(used.stdout).toBe(`${eth}${btc}${btc}`);
  });

  it('gives a write no market: it has to name one', async () => {
    const { code, stderr } = await run(['use btc_usdt', 'cancel --all --yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('--all needs MARKET or --all-markets.');
  });

  it('gives its commands its own flags, unless they have others', async () => {
    const { stdout } = await run(
      ['order buy btc_usdt 0.01 --at bid-5%', 'ticker btc_usdt --csv'],
      ['--dry-run', '--json'],
    );
    const [first = '', header] = stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({ dryRun: true });
    expect(header).toMatch(/^market,/);
  });

  it('refuses in a dry run what can only trade', async () => {
    const { code, stderr } = await run(['algo run --timeout 5'], ['--dry-run']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pit algo run does not take --dry-run.')]);
  });

  it('confirms nothing for its commands', async () => {
    expect((await run(['markets'], ['--yes'])).code).toBe(2);
    expect((await run(['order buy btc_usdt 0.01 --at bid-5%', 'y'])).code).toBe(8);
  });

  it('keeps its lines from a command that reads stdin', async () => {
    const { code, stderr } = await run(['order batch buy btc_usdt --file - --yes', '100,0.1']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('100');
  });

  it('refuses to start in itself', async () => expect((await run(['shell'])).code).toBe(2));
});
