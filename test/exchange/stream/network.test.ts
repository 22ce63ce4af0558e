import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Network } from '../../../src/exchange/requests/transport.js';
import type { Channel } from '../../../src/exchange/stream/events.js';
import { adviceText } from '../../support/advice.js';
import { Authority, hasOpenssl } from '../../support/authority.js';
import { serveConnectProxy } from '../../support/connect-proxy.js';
import { dataOf, follow, manualHost, type ScriptedExchange, serveStream } from './support.js';

const DEPTH: Channel = { kind: 'depth', market: 'btc_usdt' };
const BOOK = '{"asks":[],"bids":[[1,2]],"channel":"btcusdt_depth","timestamp":1653997711}';

describe.skipIf(!hasOpenssl)('a stream', () => {
  let authority: Authority;
  let tls: { readonly key: string; readonly cert: string };

  beforeAll(() => {
    authority = new Authority();
    tls = authority.sign('IP:127.0.0.1,DNS:exchange.test');
  });
  afterAll(() => authority.remove());
  afterEach(() => void vi.unstubAllEnvs());

  async function book(exchange: ScriptedExchange, address: string, network: Network): Promise<unknown> {
    const { next } = await follow([DEPTH], {}, { exchange, network, address: async () => address });
    const peer = await exchange.peer();
    while (!peer.received.includes('ping')) await new Promise(setImmediate);
    peer.send(BOOK);
    return dataOf(await next());
  }

  const failed = async (exchange: ScriptedExchange, address: string, network: Network) => {
    const { next } = await follow([DEPTH], {}, { exchange, network, address: async () => address, connectMs: 0 });
    return next('data').catch((thrown: unknown) => thrown);
  };

  it('trusts a private authority if the profile names it', async () => {
    const exchange = await serveStream({ tls });
    const network = new Network(authority.file);
    expect(await book(exchange, exchange.url, network)).toMatchObject({ bids: [{ price: '1' }] });
  });

  it('ends at once at a host that a private authority signed for which is not trusted, and says how to trust it', async () => {
    const exchange = await serveStream({ tls });
    const failure = await failed(exchange, exchange.url, new Network());
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/authority this machine does not know/),
    });
    expect(adviceText(Reflect.get(failure as object, 'hints'))).toMatch(/caFile/);
    expect(exchange.peers).toEqual([]);
  });

  it('goes through the proxy of the environment, which sees only encrypted bytes', async () => {
    const exchange = await serveStream({ tls });
    const proxy = await serveConnectProxy('through', { to: exchange.port });
    vi.stubEnv('https_proxy', proxy.url.replace('http://', 'http://me:secret@'));
    const network = new Network(authority.file);
    expect(await book(exchange, 'wss://exchange.test/websocket', network)).toMatchObject({ bids: [{ price: '1' }] });
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(proxy.asked).toEqual([{ authority: 'exchange.test:443', authorization }]);
    expect(proxy.bytes()).not.toMatch(/websocket|btcusdt/i);
  });

  it('names the proxy that does not connect, without its password', async () => {
    const exchange = await serveStream({ tls });
    const proxy = await serveConnectProxy('refuses', { to: exchange.port });
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('http://', 'http://me:secret@'));
    const failure = await failed(exchange, 'wss://exchange.test/websocket', new Network(authority.file));
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringMatching(/the proxy http:.*HTTP 407/) });
    expect(failure).toMatchObject({ hints: [expect.stringContaining('http://USER:PASSWORD@HOST:PORT')] });
    expect(String(failure)).not.toMatch(/secret/);
  });

  it('signs nothing if certificates are not checked', async () => {
    const exchange = await serveStream({ tls });
    const host = { ...manualHost(), environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } };
    const signed = await follow([{ kind: 'balances' }], {}, { exchange, host });
    const failure = await signed.next('data').catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      kind: 'credentials',
      message: expect.stringMatching(/NODE_TLS_REJECT_UNAUTHORIZED/),
    });
  });
});
