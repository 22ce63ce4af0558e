import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPit } from '../../support/pit.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();

const LOST = 'This could not be printed: ';
const ORDER = 'order buy eth_usdt 0.1 --at bid-5% --yes';

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

  it.each([
    { outside: "| sh -c 'cat > /dev/null; exit 3'", outsideCode: 3 },
    { outside: '| false', outsideCode: 1 },
    ...(existsSync('/dev/full') ? [{ outside: '> /dev/full', outsideCode: 1 }] : []),
  ])(
    'prints an order on stderr if the program or file does not take it: $outside',
    async ({ outside, outsideCode }) => {
      const { code, stderr } = await run([`${ORDER} --json ${outside}`]);
      // the program prints lines of its own
      const [warning = '', ...others] = stderr.split('\n').filter((line) => line.startsWith('{'));
      const { message } = (JSON.parse(warning) as { readonly warning: { readonly message: string } }).warning;
      expect([others, message]).toEqual([[], expect.stringMatching(`^${LOST}`)]);
      const { id } = JSON.parse(message.slice(LOST.length)) as { readonly id: string };
      expect(await pit.json(`order show eth_usdt ${id}`)).toMatchObject({ id });
      expect([code, stderr]).toEqual([outsideCode, expect.stringMatching(/\nStopped at line 1\.\n$/)]);
    },
  );

  it('prints an order on stderr as text without --json', async () => {
    const { code, stderr } = await run([`${ORDER} | sh -c 'cat > /dev/null; exit 3'`]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`Warning: ${LOST}{"outcome":"placed",`)]);
  });

  it('prints an order on stderr also if it failed, with the exit code of that', async () => {
    await pit.done('sandbox fault add twice --operation order --count 1');
    const { code, stderr } = await run([`${ORDER} --json | sh -c 'cat > /dev/null; exit 3'`]);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`"message":"${LOST}`)]);
  });

  it('prints an order nowhere else if it was taken', async () => {
    const { code, stdout, stderr } = await run([`${ORDER} --json | cat`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'placed', market: 'eth_usdt' });
  });
});
