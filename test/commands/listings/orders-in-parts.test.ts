import { describe, expect, it } from 'vitest';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { marketList, NO_ORDER, orderRow, parametersOf } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';

const NOON = Date.UTC(2026, 10, 21, 12);
/** More than are read before a person is shown what is known. */
const PAGES = 12;
const MARKETS = marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } });

let openIds: readonly number[] = [];
const COUNT = PAGES * 10;

/** A page of buys, newest first: those of `openIds` are open. */
function page(parameters: URLSearchParams): string {
  const { side, pageNumber } = parametersOf(parameters);
  if (side !== 'buy') return NO_ORDER;
  const from = (Number(pageNumber) - 1) * 10;
  const rows = Array.from({ length: Math.min(10, Math.max(0, COUNT - from)) }, (_, at) => {
    const id = COUNT - from - at;
    const filled = openIds.includes(id) ? { filled: 0, status: 3 } : { filled: 2, status: 2 };
    return orderRow({ id: String(id), price: 1, amount: 2, filledValue: 2, time: NOON + id, fee: '0', ...filled });
  });
  return rows.length === 0 ? NO_ORDER : JSON.stringify(rows);
}

const exchange = useLiteralExchange({ '/data/v1/markets': MARKETS, '/api/getOrders': page });

/** What a person at a terminal is shown, or a pipe gets. */
async function shown(columns: number | undefined, ...flags: readonly string[]) {
  const environment = plainEnvironment(temporaryHome(), {
    ...exchange.extra.environment,
    TERM: 'xterm',
    NO_COLOR: '1',
  });
  const command = startInProcess(
    ['orders', 'btc_usdt', ...flags],
    environment,
    columns === undefined ? {} : { columns },
  );
  const code = await command.ended;
  const { stdout, stderr } = command.printed;
  const ids = stdout.split('\n').flatMap((line) => /^2026\S+ \S+ +(\d+)/.exec(line)?.[1] ?? []);
  return { code, stdout, stderr, ids };
}

describe('open orders of a long list, on a terminal', () => {
  it('are shown as far as they are known while older ones are read, and then with those', async () => {
    openIds = [118, 117, 3];
    const { code, stderr, ids } = await shown(120);
    expect([code, ids]).toEqual([0, ['118', '117', '118', '117', '3']]);
    expect(stderr).toContain('Older orders are still being read.');
  });

  it('are shown once if there are no older ones', async () => {
    openIds = [118];
    const { code, stdout, ids } = await shown(120);
    expect([code, ids]).toEqual([0, ['118']]);
    expect(stdout).toContain('There are no others.');
  });

  it('are not called none while older ones are read', async () => {
    openIds = [3];
    const { stdout, ids } = await shown(120);
    expect(stdout).toContain('No open orders in btc_usdt were read, but there may be some.');
    expect(ids).toEqual(['3']);
  });
});

it('a pipe gets the list once', async () => {
  openIds = [118, 3];
  const { stdout, stderr } = await shown(undefined, '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ id: '118' }, { id: '3' }]);
  expect(stderr).toBe('');
});
