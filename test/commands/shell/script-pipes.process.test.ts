import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPit } from '../../support/pit.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();

function run(lines: readonly string[]) {
  return runPit(['shell'], { home: pit.home, input: lines.map((line) => `${line}\n`).join('') });
}

describe('pit shell with programs behind its commands', () => {
  it('sends an answer to a program or a file of the user’s shell', async () => {
    const file = path.join(pit.home, 'tickers.json');
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
});
