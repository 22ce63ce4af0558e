import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { get, Network } from '../../../src/exchange/requests/transport.js';
import { adviceText, saying } from '../../support/advice.js';
import { Authority, hasOpenssl } from '../../support/authority.js';
import { type Manner, serveConnectProxy } from '../../support/connect-proxy.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { lacks } from '../../support/tools.js';
import { clientOf, failureOf, ORDER } from '../support.js';

const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';
const DONE = { kind: 'done', value: { code: 1000, message: 'ok', id: '202202224851151555' } };

/** A machine without IPv6 reports the tests that it cannot run. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

if (!hasIpv6) lacks('IPv6 (::1)');

afterEach(() => void vi.unstubAllEnvs());

type Looked = (error: null, addresses: unknown, family: number) => void;

describe.skipIf(!hasOpenssl)('certificates', () => {
  let authority: Authority;
  let certificate: { readonly key: string; readonly cert: string };

  beforeAll(() => {
    authority = new Authority();
    certificate = authority.sign('IP:127.0.0.1,IP:::1,DNS:localhost,DNS:exchange.test');
  });
  afterAll(() => authority.remove());

  const serve = (answer: Answer = respond(PLACED)): Promise<FaultServer> =>
    serveFaults({ answer: () => answer, tls: certificate });
  const trusting = () => new Network(authority.file);

  it('accepts a certificate of a private authority if the profile names it', async () => {
    const server = await serve();
    expect(await clientOf(server.url, 9_000, trusting()).client.api.write('order', ORDER)).toEqual(DONE);
    const { certificateExpires } = await clientOf(server.url, 9_000, trusting()).client.api.probe('getFeeInfo', {});
    const days = ((certificateExpires ?? 0) - Date.now()) / 86_400_000;
    expect([days > 28, days < 31]).toEqual([true, true]);
  });

  it.each<[string, () => Promise<FaultServer>, string, RegExp, RegExp]>([
    [
      'an unknown authority',
      () => serve(),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      /signed by an authority this machine does not know/,
      /caFile \/path\/to\/ca\.pem.*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'a certificate that has expired',
      () => serveFaults({ answer: () => respond(PLACED), tls: authority.sign('IP:127.0.0.1', 0) }),
      'CERT_HAS_EXPIRED',
      /has expired/,
      /this machine's clock/,
    ],
    [
      'one for another name',
      () => serveFaults({ answer: () => respond(PLACED), tls: authority.sign('DNS:other.test') }),
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /is for another host name/,
      /how the host is written/,
    ],
    [
      'one that signed itself',
      () => serveFaults({ answer: () => respond(PLACED), tls: true }),
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      /self-signed/,
      /caFile/,
    ],
  ])('explains a refused certificate and sends nothing: %s', async (_, make, code, words, advice) => {
    const server = await make();
    const network = code.startsWith('UNABLE') || code.startsWith('DEPTH') ? new Network() : trusting();
    const { client } = clientOf(server.url, 9_000, network);
    expect(await client.api.write('order', ORDER)).toMatchObject({
      kind: 'notSent',
      reason: expect.stringMatching(words),
    });
    const failure = await failureOf(client.api.read('getAccountInfo', {}));
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining(code) });
    expect(adviceText(failure.hints)).toMatch(advice);
    expect(server.bytes).toBe('');
  });

  it('explains a host that does not speak TLS', async () => {
    const plain = createServer((_, response) => response.end(PLACED));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void plain.close());
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
    const response = await clientOf(url, 9_000).client.api.write('order', ORDER);
    expect(response).toMatchObject({ kind: 'notSent', reason: expect.stringContaining('does not speak TLS there') });
  });

  it.each([
    ['/nowhere/ca.pem', /cannot be read \(ENOENT\)/],
    [import.meta.filename, /holds no certificate/],
  ])('fails with the name of the file %s', async (file, message) => {
    const failure = await failureOf(
      clientOf('https://127.0.0.1:1', 9_000, new Network(file)).client.api.read('markets', {}),
    );
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringMatching(message) });
  });

  describe('through a proxy', () => {
    // this machine is never reached through a proxy, so the proxy takes every name for it
    const at = async (manner: Manner, answer?: Answer, options = {}) => {
      const server = await serve(answer);
      const tunnel = await serveConnectProxy(manner, { to: server.port, ...options });
      const url = `https://exchange.test:${server.port}`;
      vi.stubEnv('HTTPS_PROXY', tunnel.url.replace('://', '://me:geheimnis@'));
      return { server, tunnel, url, network: trusting() };
    };

    it('an order arrives unread, with the login of the proxy URL', async () => {
      const { server, tunnel, url, network } = await at('through');
      const { client, host, lines } = clientOf(url, 9_000, network);
      expect(await client.api.write('order', ORDER)).toEqual(DONE);
      expect(tunnel.asked).toEqual([
        { authority: `exchange.test:${server.port}`, authorization: `Basic ${btoa('me:geheimnis')}` },
      ]);
      expect(tunnel.bytes()).not.toMatch(/accesskey|api\/order/);
      expect(lines.join() + host.printed()).not.toContain('geheimnis');
    });

    it('each write has its own connection, and reads share one', async () => {
      const { server, tunnel, url, network } = await at('through', respond('{"code":1000,"message":"","result":{}}'));
      const { client } = clientOf(url, 9_000, network);
      for (let count = 0; count < 3; count += 1) await client.api.read('getFeeInfo', {});
      expect([tunnel.asked.length, server.requests.length]).toEqual([1, 3]);
      for (let count = 0; count < 3; count += 1)
        await client.api.write('cancelAllOrdersAfter', { currency: 'btc_usdt' });
      expect([tunnel.asked.length, server.requests.length]).toEqual([4, 6]);
      expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 1, 2, 3]);
    });

    it.each<[Manner, RegExp, number]>([
      ['refuses', /the proxy http:\/\/127\.0\.0\.1:\d+ refused to connect to exchange\.test \(HTTP 407\)/, 9_000],
      ['fails', /the proxy http:\/\/127\.0\.0\.1:\d+ refused to connect to exchange\.test \(HTTP 502\)/, 9_000],
      ['hangs up', /could not be reached, or closed the connection/, 9_000],
      ['resets', /could not be reached, or closed the connection \(ECONNRESET\)/, 9_000],
      ['stays silent', /did not answer in time|no answer in time|no connection/, 1_000],
      ['speaks no TLS', /gave no secure connection in time|no answer in time|no connection/, 1_000],
      ['talks', /no connection|does not speak TLS there/, 9_000],
    ])('an order is not sent, not repeated, and no password shown if the proxy %s', async (manner, words, budgetMs) => {
      const { server, tunnel, url, network } = await at(manner);
      const { client, host, lines } = clientOf(url, budgetMs, network);
      const response = await client.api.write('order', ORDER);
      expect(response).toMatchObject({ kind: 'notSent', reason: expect.stringMatching(words) });
      expect(lines.join() + JSON.stringify(response) + host.printed()).not.toMatch(/geheimnis|bWU6Z2VoZWltbmlz/);
      expect([tunnel.asked.length, tunnel.bytes(), server.requests]).toEqual([1, '', []]);
      await eventually(async () => expect(await tunnel.connections()).toBe(0));
    });

    it.each<[Manner, RegExp]>([
      ['refuses', /http:\/\/USER:PASSWORD@HOST:PORT/],
      ['fails', /^Write HTTPS_PROXY or ALL_PROXY like http:\/\/proxy\.example\.com:3128\./],
    ])(
      'the hint says how a proxy is written, with a user name and a password only if it asks for them: %s',
      async (manner, hint) => {
        const { url, network } = await at(manner);
        const failure = await clientOf(url, 9_000, network)
          .client.api.read('getFeeInfo', {})
          .catch((thrown: unknown) => thrown);
        expect(failure).toMatchObject({ kind: 'unreachable', hints: [expect.stringMatching(hint)] });
      },
    );

    it('an order is sent once if the proxy answers twice', async () => {
      const { server, tunnel, url, network } = await at('answers twice');
      expect(await clientOf(url, 9_000, network).client.api.write('order', ORDER)).toEqual(DONE);
      expect([tunnel.asked.length, server.requests.length]).toEqual([1, 1]);
    });

    it('nothing is sent over a connection that opens too late', async () => {
      let open = () => {};
      const release = new Promise<void>((resolve) => {
        open = resolve;
      });
      const { server, url, network, tunnel } = await at('late', respond(PLACED), { release });
      expect(await clientOf(url, 2_000, network).client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent' });
      open();
      // a whole exchange through the same proxy, after which the first would have come
      expect(await clientOf(url, 9_000, network).client.api.write('order', ORDER)).toEqual(DONE);
      expect([tunnel.asked.length, server.requests.length]).toEqual([2, 1]);
    });

    it('nothing is sent over a connection that opens after the request was cancelled', async () => {
      let open = () => {};
      const release = new Promise<void>((resolve) => {
        open = resolve;
      });
      const { server, url, network, tunnel } = await at('late', respond(PLACED), { release });
      const stop = new AbortController();
      const options = { freshConnection: true, timeoutMs: 60_000, maxBytes: 1_000, network, signal: stop.signal };
      const response = get(`${url}/api/order`, options);
      await eventually(() => expect(tunnel.asked).toHaveLength(1));
      stop.abort();
      await expect(response).rejects.toMatchObject({ fault: 'cancelled', mayHaveBeenSent: false });
      open();
      // TLS is set up, and the connection is closed
      await eventually(async () => expect([tunnel.bytes() === '', await tunnel.connections()]).toEqual([false, 0]));
      expect(server.requests).toEqual([]);
    });

    it.each<[string, (cut: () => void) => Answer, number]>([
      ['the way breaks after the request', (cut) => () => cut(), 9_000],
      ['the exchange hangs up', () => FAULTS['a close without an answer'], 9_000],
      ['the exchange is silent', () => FAULTS['a hang'], 4_000],
    ])('the outcome is unknown after %s', async (_, make, budgetMs) => {
      let cut = () => {};
      const { server, url, network, tunnel } = await at('through', (socket) => make(cut)(socket));
      cut = tunnel.cut;
      expect(await clientOf(url, budgetMs, network).client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
      expect([tunnel.asked.length, server.requests.length]).toEqual([1, 1]);
    });

    it('nothing is sent if nothing listens at the proxy', async () => {
      vi.stubEnv('HTTPS_PROXY', 'http://me:geheimnis@127.0.0.1:1');
      const { client } = clientOf('https://exchange.test', 1_500, trusting());
      const failure = await failureOf(client.api.read('markets', {}));
      expect(failure).toMatchObject({
        kind: 'unreachable',
        message: expect.stringMatching(/the proxy http:\/\/127\.0\.0\.1:1 could not be reached.*ECONNREFUSED/),
        hints: saying('NO_PROXY'),
      });
    });

    it('the certificate is checked against the host, not the proxy', async () => {
      const { server, network } = await at('through');
      const response = await clientOf(`https://127.0.0.2.evil.test:${server.port}`, 9_000, network).client.api.write(
        'order',
        ORDER,
      );
      expect(response).toMatchObject({ kind: 'notSent', reason: expect.stringContaining('another host name') });
      const byAddress = await clientOf(`https://10.9.8.7:${server.port}`, 9_000, network).client.api.write(
        'order',
        ORDER,
      );
      expect(byAddress).toMatchObject({ kind: 'notSent', reason: expect.stringContaining('another host name') });
      expect(server.bytes).toBe('');
    });
  });

  describe.skipIf(!hasIpv6)('IPv6', () => {
    it('works with an address in the URL and its certificate', async () => {
      const server = await serveFaults({ answer: () => respond(PLACED), tls: certificate, host: '::1' });
      expect(await clientOf(server.url, 9_000, trusting()).client.api.write('order', ORDER)).toEqual(DONE);
    });

    it.each(['::1', '127.0.0.1'])(
      'reaches a host that listens on %s only by a name with both families',
      async (host) => {
        const both = [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ];
        const server = await serveFaults({ answer: () => respond(PLACED), tls: certificate, host });
        const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((_name: string, options: unknown, done: Looked) => {
          done(null, Reflect.get(Object(options), 'all') === true ? both : '::1', 6);
        }) as typeof dns.lookup);
        onTestFinished(() => lookup.mockRestore());
        const url = `https://exchange.test:${server.port}`;
        expect(await clientOf(url, 9_000, trusting()).client.api.write('order', ORDER)).toEqual(DONE);
        expect(lookup).toHaveBeenCalled();
        expect(server.requests).toHaveLength(1);
      },
    );

    it('works with a proxy by its address', async () => {
      const server = await serveFaults({ answer: () => respond(PLACED), tls: certificate });
      const tunnel = await serveConnectProxy('through', { host: '::1', to: server.port });
      vi.stubEnv('ALL_PROXY', tunnel.url);
      const { client } = clientOf(`https://exchange.test:${server.port}`, 9_000, trusting());
      expect(await client.api.write('order', ORDER)).toEqual(DONE);
    });
  });
});

describe('without certificate checks', () => {
  it('nothing is signed for any host', async () => {
    const { client, host } = clientOf('https://exchange.test');
    Object.assign(host, { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    for (const work of [client.api.read('getAccountInfo', {}), client.api.write('order', ORDER)])
      expect(await failureOf(work)).toMatchObject({ kind: 'credentials', exitCode: 4 });
  });
});
