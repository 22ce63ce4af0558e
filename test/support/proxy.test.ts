import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Moment, PASS, startProxy, type Treatment } from './proxy.js';

const BODY = '{"code":"1000","message":"success","id":"202202224851151555"}';

/** An exchange with one answer for everything, behind a proxy with one treatment for every request. */
async function behind(treatment: Treatment) {
  const arrived: { url: string; time: number }[] = [];
  const server = createServer((request, response) => {
    arrived.push({ url: request.url ?? '', time: Date.now() });
    response.setHeader('Content-Length', BODY.length).end(BODY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const moments: Moment[] = [];
  const proxy = await startProxy({
    port: (server.address() as AddressInfo).port,
    treat: () => treatment,
    notice: (moment) => moments.push(moment),
  });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return { arrived, moments, proxy };
}

/** What a client gets for one request: the body, or the error; it waits without limit unless `patience` is given. */
function ask(url: string, timeout?: number): Promise<string> {
  return new Promise((resolve) => {
    const asked = get(`${url}/api/order?currency=btc_usdt&price=9`, { timeout }, (response) => {
      let body = `${response.statusCode} `;
      response.on('data', (piece) => {
        body += String(piece);
      });
      response.on('error', ({ message }) => resolve(`${body} then ${message}`)).on('end', () => resolve(body));
    });
    asked.on('timeout', () => asked.destroy(new Error('timeout')));
    asked.on('error', ({ message }) => resolve(message));
  });
}

describe('the proxy', () => {
  it.each<[string, Omit<Treatment, 'name'>, number, RegExp]>([
    ['passes', PASS, 1, /^200 \{.*555"\}$/],
    ['resets before', { forward: [], awaited: 0, reply: { kind: 'nothing', end: 'reset' } }, 0, /ECONNRESET|hang up/],
    ['resets after', { forward: [0], awaited: 1, reply: { kind: 'nothing', end: 'reset' } }, 1, /ECONNRESET|hang up/],
    ['closes politely', { forward: [0], awaited: 1, reply: { kind: 'nothing', end: 'close' } }, 1, /hang up/],
    ['hangs', { forward: [0], awaited: 1, reply: { kind: 'nothing', end: 'never' } }, 1, /timeout/],
    ['repeats', { forward: [0, 0], awaited: 2, reply: { kind: 'answer', of: 1 } }, 2, /^200 \{/],
    ['repeats later', { forward: [0, 150], awaited: 1, reply: { kind: 'answer', of: 0 } }, 2, /^200 \{/],
    ['holds', { forward: [600], awaited: 0, reply: { kind: 'nothing', end: 'never' } }, 1, /timeout/],
    [
      'cuts off',
      { forward: [0], awaited: 1, reply: { kind: 'part', of: 0, share: 0.9, pieces: 1, end: 'close' } },
      1,
      /^200 \{.* then aborted|hang up/,
    ],
    [
      'answers slowly',
      { forward: [0], awaited: 1, reply: { kind: 'part', of: 0, share: 1, pieces: 5, end: 'never' } },
      1,
      /^200 \{.*555"\}$/,
    ],
    [
      'answers by itself',
      { forward: [], awaited: 0, reply: { kind: 'own', bytes: 'HTTP/1.1 502 Bad\r\nConnection: close\r\n\r\nx' } },
      0,
      /^502 x$/,
    ],
  ])('%s', async (name, treatment, times, got) => {
    const { arrived, proxy } = await behind({ ...treatment, name });
    // only a client without an answer has to give up; any other one waits for its answer
    const patience = treatment.reply.kind === 'nothing' && treatment.reply.end === 'never' ? 400 : undefined;
    expect(await ask(proxy.url, patience)).toMatch(got);
    await proxy.settled();
    expect(arrived.map(({ url }) => url)).toEqual(Array(times).fill('/api/order?currency=btc_usdt&price=9'));
    expect(proxy.requests).toMatchObject([
      { operation: 'order', parameters: { currency: 'btc_usdt', price: '9' }, treatment: name },
    ]);
    const answers = proxy.requests[0]?.executions.map(({ answer }) => answer);
    expect(answers).toEqual(Array(times).fill(BODY));
  });

  it('reports each moment as it happens', async () => {
    const { moments, proxy } = await behind(PASS);
    await ask(proxy.url);
    expect(moments).toEqual(['connected', 'read', 'answered', 'replied']);
  });

  it('reads a request that arrives in pieces, and several over one connection', async () => {
    const { proxy, arrived } = await behind(PASS);
    const socket = connect(proxy.port, '127.0.0.1');
    const answered = new Promise<string>((resolve) => {
      let text = '';
      socket.setEncoding('latin1').on('data', (piece: string) => {
        text += piece;
        if (text.split(BODY).length === 3) resolve(text);
      });
    });
    const head = 'GET /api/getOrder?id=1 HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(head.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.write(`${head.slice(20)}${head.replace('id=1', 'id=2')}`);
    await answered;
    socket.destroy();
    expect(arrived.map(({ url }) => url).sort()).toEqual(['/api/getOrder?id=1', '/api/getOrder?id=2']);
  });
});
