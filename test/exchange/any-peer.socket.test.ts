import { describe, expect, it } from 'vitest';
import { environmentAt } from '../commands/literal-exchange.js';
import { timedFrom } from '../support/command-clocks.js';
import { type Answer, respond, serveFaults } from '../support/fault-server.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { brokenPeers, endlessPeers, interimPeers, unusualPeers } from './peers.js';
import { clientOf, failureOf, ORDER } from './support.js';

const PLACED = '{"code":1000,"message":"ok","id":"202202224851151555"}';
const MARKETS = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';

async function clientAt(answer: Answer, budgetMs: number) {
  const server = await serveFaults({ answer: () => answer });
  return { server, client: clientOf(server.url, budgetMs).client };
}

describe('a write to a peer that', () => {
  it.each(Object.entries(endlessPeers()))(
    'a write to a peer that %s ends in time, its outcome unknown',
    async (_, answer) => {
      const { client, server } = await clientAt(answer, 3_000);
      expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(Object.entries({ ...brokenPeers(PLACED), ...interimPeers(PLACED) }))(
    'a write to a peer that %s has an unknown outcome',
    async (_, answer) => {
      const { client, server } = await clientAt(answer, 30_000);
      expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(Object.entries(unusualPeers(PLACED)))('a write to a peer that %s is done', async (_, answer) => {
    const { client } = await clientAt(answer, 30_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({
      kind: 'done',
      value: { id: '202202224851151555' },
    });
  });

  it('answers with 201 Created is done', async () => {
    const { client } = await clientAt(respond(PLACED, '201 Created'), 30_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'done' });
  });

  it('switches the protocol says so', async () => {
    const { client } = await clientAt(brokenPeers(PLACED)['switches the protocol'] ?? respond(''), 30_000);
    const reason = 'the host changed the protocol (HTTP 101)';
    expect(await client.api.write('order', ORDER)).toEqual({ kind: 'lost', reason });
  });
});

describe('a read from a peer that', () => {
  it.each(Object.entries({ ...endlessPeers(), ...brokenPeers(MARKETS) }))(
    'a read from a peer that %s fails in time',
    async (_, answer) => {
      const { client } = await clientAt(answer, 300);
      const failure = await failureOf(client.api.read('markets', {}));
      expect(['unreachable', 'internal']).toContain(failure.kind);
    },
  );

  it.each(Object.entries({ ...unusualPeers(MARKETS), ...interimPeers(MARKETS) }))(
    'a read from a peer that %s succeeds',
    async (_, answer) => {
      const { client } = await clientAt(answer, 30_000);
      expect(await client.api.read('markets', {})).toHaveProperty('btc_usdt');
    },
  );

  it('answers with 201 Created succeeds', async () => {
    const { client } = await clientAt(respond(MARKETS, '201 Created'), 30_000);
    expect(await client.api.read('markets', {})).toHaveProperty('btc_usdt');
  });
});

describe('a command', () => {
  const BOOK = '{"asks":[[31001.5,2]],"bids":[[31000.5,1]],"timestamp":1540295995}';
  const ORDERING = ['order', 'buy', 'btc_usdt', '0.01', '--at', '31000', '--yes', '--json', '--timeout', '4'];

  /** Market data is served; every signed request meets the peer, and the time begins with the first of an operation. */
  async function run(words: readonly string[], answer: Answer, first: string) {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/api/')) return answer;
        return respond(target.startsWith('/data/v1/markets') ? MARKETS : BOOK);
      },
    });
    const options = { home: temporaryHome(), environment: environmentAt(server.url) };
    const ran = await timedFrom(first, (host) => runPit(words, { ...options, host }));
    const sent = server.requests.filter(({ target }) => target.startsWith('/api/order?'));
    return { ...ran, sent: sent.length };
  }

  // all at once, as each takes all of its time
  it('ends within its time with exit code 6 if an order gets any of these answers', async () => {
    const peers = Object.entries({ ...endlessPeers(), ...brokenPeers('{"code":1000,"id":"7"}') });
    const ends = await Promise.all(peers.map(([, answer]) => run(ORDERING, answer, 'order')));
    const shown = ends.map(({ code, stdout, sent }, index) => [
      peers[index]?.[0],
      code,
      JSON.parse(stdout).outcome,
      sent,
    ]);
    expect(shown).toEqual(peers.map(([name]) => [name, 6, 'unknown', 1]));
  });

  it('ends within its time with exit code 6 if a cancellation gets any of these answers', async () => {
    const peers = Object.entries(endlessPeers());
    const cancelling = ['cancel', 'btc_usdt', '7', '--yes', '--json', '--timeout', '1'];
    const ends = await Promise.all(peers.map(([, answer]) => run(cancelling, answer, 'cancelOrder')));
    expect(ends.map(({ code }, index) => [peers[index]?.[0], code])).toEqual(peers.map(([name]) => [name, 6]));
  });

  it.concurrent.for<[string, number]>([
    ['ticker btc_usdt', 5],
    ['kline btc_usdt', 5],
    ['orders btc_usdt', 5],
    ['order show btc_usdt 7', 5],
    ['bills --all', 5],
    ['withdrawals usdt', 5],
    ['api getAccountInfo', 5],
    ['cancel-after btc_usdt', 5],
    ['doctor', 9],
  ])('pit %s ends with %i whatever the exchange does', async ([line, expected], { onTestFinished: atEnd }) => {
    const ends = Object.entries(endlessPeers()).map(async ([name, answer]) => {
      const server = await serveFaults({ answer: () => answer, atEnd });
      const words = [...line.split(' '), '--yes', '--json', '--timeout', '1'];
      const { code } = await runPit(words, { home: temporaryHome(), environment: environmentAt(server.url) });
      return [name, code];
    });
    expect(await Promise.all(ends)).toEqual(Object.keys(endlessPeers()).map((name) => [name, expected]));
  });

  it('a command that reads ends within its time if the exchange never ends its answer', async () => {
    const peers = Object.entries(endlessPeers());
    const ends = await Promise.all(
      peers.map(([, answer]) => run(['balance', '--json', '--timeout', '1'], answer, 'getAccountInfo')),
    );
    expect(ends.map(({ code, stdout }, index) => [peers[index]?.[0], code, stdout])).toEqual(
      peers.map(([name]) => [name, 5, '']),
    );
  });
});
