import { describe, expect, it } from 'vitest';
import { type Answer, respond, serveFaults } from '../support/fault-server.js';
import { brokenPeers, endlessPeers, interimPeers, unusualPeers } from './peers.js';
import { clientOf, failureOf, ORDER } from './support.js';

const PLACED = '{"code":1000,"message":"ok","id":"202202224851151555"}';
const MARKETS = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';

async function clientAt(answer: Answer, budgetMs: number) {
  const server = await serveFaults({ answer: () => answer });
  return { server, client: clientOf(server.url, budgetMs).client };
}

describe('a write to a peer that', () => {
  it.each(Object.entries(endlessPeers()))('%s ends in time, its outcome unknown', async (_, answer) => {
    const { client, server } = await clientAt(answer, 1_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(Object.entries({ ...brokenPeers(PLACED), ...interimPeers(PLACED) }))(
    '%s has an unknown outcome',
    async (_, answer) => {
      const { client, server } = await clientAt(answer, 30_000);
      expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(Object.entries(unusualPeers(PLACED)))('%s is done', async (_, answer) => {
    const { client } = await clientAt(answer, 30_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({
      kind: 'done',
      answer: { id: '202202224851151555' },
    });
  });

  it('switches the protocol says so', async () => {
    const { client } = await clientAt(brokenPeers(PLACED)['switches the protocol'] ?? respond(''), 30_000);
    const reason = 'the host changed the protocol (HTTP 101)';
    expect(await client.api.write('order', ORDER)).toEqual({ kind: 'lost', reason });
  });
});

describe('a read from a peer that', () => {
  it.each(Object.entries({ ...endlessPeers(), ...brokenPeers(MARKETS) }))('%s fails in time', async (_, answer) => {
    const { client } = await clientAt(answer, 300);
    const failure = await failureOf(client.api.read('markets', {}));
    expect(['unreachable', 'internal']).toContain(failure.kind);
  });

  it.each(Object.entries({ ...unusualPeers(MARKETS), ...interimPeers(MARKETS) }))('%s succeeds', async (_, answer) => {
    const { client } = await clientAt(answer, 30_000);
    expect(await client.api.read('markets', {})).toHaveProperty('btc_usdt');
  });
});
