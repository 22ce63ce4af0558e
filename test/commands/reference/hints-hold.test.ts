import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

beforeAll(async () => {
  await pit.done('order buy btc_usdt 0.01 --at bid-5% --id mine0001 --yes');
});

/** Runs a line that fails, and then each command that its hint names, with the market that it leaves to the user. */
async function hintedBy(line: string): Promise<readonly [line: string, code: number | null][]> {
  const { stderr } = await pit.run(line);
  const hinted = [...stderr.matchAll(/^→ .*: pit (.+)$/gm)].map(([, words = '']) =>
    words.replace('MARKET', 'btc_usdt'),
  );
  const ran: [string, number | null][] = [];
  for (const one of hinted) ran.push([one, (await pit.run(one)).code]);
  return ran;
}

describe('a command that an error names can be run as it is', () => {
  it.each([
    ['cancel btc_usdt', ['cancel --help']],
    ['cancel btc_usdt 17', ['orders btc_usdt --state all']],
    ['cancel btc_usdt mine0002', ['orders btc_usdt --state all']],
    ['order show btc_usdt', ['order show --help']],
    ['order show btc_usdt 17', ['orders btc_usdt --state all']],
    ['order show mine0001', ['order show btc_usdt mine0001']],
    ['order replace btc_usdt --at 5', ['order replace --help']],
    ['orders btc_usdt buy filled', ['orders btc_usdt --side buy --state filled']],
    ['balance BTC,ETH', ['balance BTC ETH']],
    ['resolve mine0001', []],
    ['trades btc_usd', ['markets']],
    ['deposits', ['deposits usdt', 'deposits --help']],
    ['algo resume aaaaaaa', ['algo list --all']],
    ['algo show aaaaaaa', ['algo list --all']],
    ['order by btc_usdt 0.1 --at ask --dry-run', ['order buy btc_usdt 0.1 --at ask --dry-run']],
    ['order buy btc_usdt 100 usdt --at ask --dry-run', ['order buy btc_usdt 100usdt --at ask --dry-run']],
    ['order buy 0.1 --at ask --dry-run', ['order buy btc_usdt 0.1 --at ask --dry-run']],
    ['order sell btc_usdt 0.1 30000 --dry-run', ['order sell btc_usdt 0.1 --at 30000 --dry-run']],
    ['order --dry-run', ['order buy btc_usdt 0.01 --at ask --dry-run']],
    ['order buy btc_usdt 10 --at bid --override order-notional --yes', ['balance']],
    ['order list', ['orders']],
    ['order show btc_usdt --id nope0001', ['orders btc_usdt --state all']],
    ['show btc_usdt mine0001', ['order show btc_usdt mine0001']],
    ['cancel nope_nope 17', ['markets']],
    ['cancel-after nope_nope --yes', ['markets']],
    ['orders nope_nope', ['markets']],
    ['fills nope_nope', ['markets']],
    ['history', ['fills']],
    ['pnl nope_nope', ['markets']],
    ['pnl --in nope', ['balance --all']],
    ['profit', ['pnl']],
    ['algo cancel aaaaaaa', ['algo list --all']],
    ['algo nope', ['algo --help']],
    ['algos', ['algo list']],
    ['resolve mine0001 --as notSent', ['resolve']],
    ['depth', ['depth btc_usdt', 'depth --help']],
    ['book btc_usdt --size 3', ['depth btc_usdt --size 3']],
    ['candles btc_usdt', ['kline btc_usdt']],
    ['kline btc_usdt 1m', ['kline btc_usdt --type 1m']],
    ['markets btc_usdt eth_usdt', ['markets', 'markets --help']],
    ['price btc_usdt', ['ticker btc_usdt']],
    ['ticker --nope', ['ticker --help']],
    ['trades', ['trades btc_usdt', 'trades --help']],
    ['stream depth:nope_nope', ['markets']],
    ['api', ['api depth market=btc_usdt size=5', 'api --help']],
    ['address', ['address usdt', 'address --help']],
    ['balances', ['balance']],
    ['bills nope', ['balance --all']],
    ['fees btc usdt', ['fees', 'fees --help']],
    ['withdraw', ['balance']],
    ['withdrawals nope', ['balance --all']],
    ['config', ['profile show']],
    ['profile', ['profile --help']],
    ['status', ['doctor']],
    ['sandbox fault', ['sandbox fault --help']],
    ['schema nope', ['--help']],
    ['version', ['--version']],
  ])('pit %s', async (line, hinted) => {
    expect(await hintedBy(line)).toEqual(hinted.map((one) => [one, 0]));
  });

  it('the one that finds an order by the id that is not in the journal', async () => {
    await pit.done('order buy btc_usdt 0.01 --at bid-6% --id mine0003 --yes');
    const { stderr } = await pit.run('order buy btc_usdt 0.01 --at bid-6% --id mine0003 --yes');
    expect(stderr).toMatch(/: pit order show btc_usdt \d+$/m);
    expect((await hintedBy('order buy btc_usdt 0.01 --at bid-6% --id mine0003 --yes')).map(([, code]) => code)).toEqual(
      [0],
    );
  });

  it('the one that cancels the order whose market was left out, and no other', async () => {
    const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.01 --at bid-7% --yes');
    expect(await hintedBy(`cancel ${id}`)).toContainEqual([`cancel btc_usdt ${id}`, 0]);
    expect(await pit.json('order show btc_usdt mine0001')).toMatchObject({ state: 'open' });
    expect(await pit.json(`order show btc_usdt ${id}`)).toMatchObject({ state: 'cancelled' });
  });

  it('the one that lifts a halt, with the name that it asks for', async () => {
    await pit.done('halt --yes');
    expect(await hintedBy('order buy btc_usdt 0.01 --at bid-5% --yes')).toEqual([['halt --lift', 8]]);
    expect(await hintedBy('halt --lift')).toEqual([['halt --lift --confirm sandbox', 0]]);
  });
});
