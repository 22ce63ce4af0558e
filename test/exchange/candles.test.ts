import { describe, expect, it } from 'vitest';
import { readCandles } from '../../src/exchange/lists/candles.js';
import { type Answer, FAULTS, respond, serveFaults } from '../support/fault-server.js';
import { clientOf } from './support.js';

const MINUTE = 60_000;
const START = 1_540_292_400_000;

function page(from: number, count: number): Answer {
  const rows = Array.from({ length: count }, (_, row) => [START + (from + row) * MINUTE, 1, 2, 0.5, 1.5, 10]);
  return respond(JSON.stringify({ data: rows, moneyType: 'USDT', symbol: 'BTC' }));
}

async function read(answers: Answer[], range: { since?: number; until?: number; size?: number }) {
  const server = await serveFaults({ answer: () => answers.shift() ?? FAULTS['an HTML page with 502'] });
  const { since = START, until = START + 5_000 * MINUTE, size } = range;
  const found = await readCandles(clientOf(server.url).client, {
    market: 'btc_usdt',
    type: '1min',
    since: () => since,
    until: () => until,
    size,
  });
  return {
    ...found,
    requests: server.requests.map(({ target }) => new URL(target, 'http://localhost').searchParams.get('since')),
  };
}

it('reads further pages if the deployment returns the first rows', async () => {
  const { candles, failure, requests } = await read([page(0, 1000), page(1000, 1000), page(2000, 7)], {});
  expect(candles).toHaveLength(2007);
  expect(failure).toBeNull();
  expect(requests).toEqual([START - 1, START + 999 * MINUTE, START + 1999 * MINUTE].map(String));
});

it('stops as soon as it has the rows that were asked for', async () => {
  const { candles, requests } = await read([page(0, 1000), page(1000, 1000)], { size: 5 });
  expect(candles.map(({ time }) => time)).toEqual([0, 1, 2, 3, 4].map((row) => START + row * MINUTE));
  expect(requests).toHaveLength(1);
});

it('reports the missing candles if only the latest rows are returned', async () => {
  const { candles, failure } = await read([page(4000, 1000)], {});
  expect(candles).toHaveLength(1000);
  expect(failure).toMatchObject({ kind: 'partial', message: expect.stringContaining('2018-10-26T05:40:00.000Z') });
});

it('reads the newest candles that there are, however old they are', async () => {
  const server = await serveFaults({ answer: () => page(0, 2) });
  const range = { market: 'btc_usdt', type: '1min', size: 2 } as const;
  const { candles, failure } = await readCandles(clientOf(server.url).client, range);
  expect(candles.map(({ time }) => time)).toEqual([START, START + MINUTE]);
  expect(failure).toBeNull();
  expect(server.requests.map(({ target }) => target)).toEqual(['/data/v1/kline?market=btc_usdt&type=1min&size=2']);
});

it('keeps what it has if a later page fails', async () => {
  const { candles, failure } = await read([page(0, 1000)], {});
  expect(candles).toHaveLength(1000);
  expect(failure).toMatchObject({ kind: 'partial', message: expect.stringContaining('HTTP 502') });
});

it.each([
  ['that the exchange sent just now', [], -600_000],
  ['that was in a cache for ten minutes', ['Age: 600'], 0],
])("sets the market-data host's clock by an answer %s", async (_, headers, ahead) => {
  const answer = () =>
    respond('{"data":[],"moneyType":"USDT","symbol":"BTC"}', '200 OK', [
      `Date: ${new Date(host.now() - 600_000).toUTCString()}`,
      ...headers,
    ]);
  const { client, host } = clientOf((await serveFaults({ answer })).url);
  expect(client.marketNow()).toBe(host.now());
  await readCandles(client, { market: 'btc_usdt', type: '1min', since: () => START });
  expect(Math.round((client.marketNow() - host.now()) / 10_000) * 10_000).toBe(ahead);
});

describe('a candle is closed only if the answer proves it', () => {
  const END = START + 2 * MINUTE;

  async function closedOf(headers: string[]) {
    const rows = [0, 1].map((row) => [START + row * MINUTE, 1, 2, 0.5, 1.5, 10]);
    const body = JSON.stringify({ data: rows, moneyType: 'USDT', symbol: 'BTC' });
    let pass = () => {};
    const answer = () => {
      pass();
      return respond(body, '200 OK', headers);
    };
    const { client, host } = clientOf((await serveFaults({ answer })).url);
    // how long the exchange took for its answer
    pass = () => void host.sleep(500);
    const { candles } = await readCandles(client, { market: 'btc_usdt', type: '1min', since: () => START });
    return candles.map(({ closed }) => closed);
  }

  const dated = (time: number) => `Date: ${new Date(time).toUTCString()}`;

  it.each([
    [[dated(END + 10_000)], true, 'it was answered after its end'],
    [[dated(END - 1_000)], false, 'it was answered before its end'],
    [[dated(END)], false, 'the answer may be of the half second before its end'],
    [[dated(END + 10_000), 'Age: 60'], false, 'the answer was in a cache since before its end'],
    [[], false, 'the answer is not dated'],
  ])('%j: the last one is %s, as %s; the one before it is closed', async (headers, isClosed) => {
    expect(await closedOf(headers)).toEqual([true, isClosed]);
  });
});
