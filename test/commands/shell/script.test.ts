import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPit } from '../../support/pit.js';
import { useStillSandbox } from '../../support/still-sandbox.js';

const sandbox = useStillSandbox();
const { home } = sandbox;

function run(lines: readonly string[], words: readonly string[] = []) {
  return runPit(['shell', ...words], { ...sandbox, input: lines.map((line) => `${line}\n`).join('') });
}

describe('pit shell with lines from a pipe', () => {
  it('prints what each command prints, and nothing else', async () => {
    const lines = ['# the book', '', 'depth btc_usdt --size 1 --csv', 'pit ticker btc_usdt --json'];
    const { code, stdout, stderr } = await run(lines);
    const book = await runPit(['depth', 'btc_usdt', '--size', '1', '--csv'], sandbox);
    const ticker = await runPit(['ticker', 'btc_usdt', '--json'], sandbox);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: book.stdout + ticker.stdout, stderr: '' });
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
    const [eth, btc] = await Promise.all(
      ['eth_usdt', 'btc_usdt'].map(async (market) => (await runPit(['depth', market, '--csv'], sandbox)).stdout),
    );
    const used = await run(['use ETH/USDT', 'depth --csv', 'depth btc_usdt --csv', 'depth --csv']);
    expect(used.stdout).toBe(`${eth}${btc}${btc}`);
  });

  it('gives a write no market: it has to name one', async () => {
    const { code, stderr } = await run(['use btc_usdt', 'cancel --all --yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('--all needs MARKET or --all-markets.');
  });

  it('sends an answer to a program or a file of the user’s shell', async () => {
    const file = path.join(home, 'tickers.json');
    const { code, stdout } = await run([`ticker btc_usdt --json > ${file}`, 'markets --csv | head -n 1 | tr a-z A-Z']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^MARKET,BASE/) });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([{ market: 'btc_usdt' }]);
  });

  it('ends with the code of the program behind a pipe if the command was done, else with its own', async () => {
    expect((await run(['markets | exit 5'])).code).toBe(5);
    expect((await run(['depth nope_usdt | cat'])).code).toBe(2);
  });

  it.each([
    ["ticker btc_usdt | sh -c 'exit 7'", 7],
    ['stream ticker:btc_usdt ticker:eth_usdt --count 2 | head -c 30', 0],
    ['kline btc_usdt --size 400 --json | head -c 30', 0],
  ])('reports nothing of a program behind a pipe that ends before it has read all: %s', async (line, code) => {
    expect(await run([line])).toMatchObject({ code, stderr: code === 0 ? '' : 'Stopped at line 1.\n' });
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
