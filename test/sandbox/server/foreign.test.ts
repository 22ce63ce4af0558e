import { describe, expect, it } from 'vitest';
import { adminListener } from '../../../src/sandbox/admin/http.js';
import { listen } from '../../../src/sandbox/server/http.js';
import { stillExchange } from './fake-exchange.js';
import { bodyOf, send, serveInterface, statusLineOf } from './wire.js';

const ORDER =
  '/api/order?accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&amount=0.0123&currency=btc_usdt&method=order&price=31000.5' +
  '&tradeType=1&sign=1a4cf619958f1be464dd20018b7e2ec1&reqTime=1540295995557';

function request(path: string, headers: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`;
}

describe('a request of a page from another site', () => {
  it.each([
    [['Host: evil.example'], 'the Host evil.example is not this machine'],
    [['Host: evil.example:8700'], 'the Host evil.example:8700 is not this machine'],
    [['Host: localhost.evil.example'], 'the Host localhost.evil.example is not this machine'],
    [['Host: 127.0.0.1.evil.example'], 'the Host 127.0.0.1.evil.example is not this machine'],
    [['Host: 10.0.0.1'], 'the Host 10.0.0.1 is not this machine'],
    [['Host: 127.0.0.1', 'Origin: https://evil.example'], 'the Origin https://evil.example is not this machine'],
    [
      ['Host: 127.0.0.1', 'Origin: http://127.0.0.1.evil.example'],
      'the Origin http://127.0.0.1.evil.example is not this machine',
    ],
    [['Host: 127.0.0.1', 'Origin: null'], 'the Origin null is not this machine'],
    [['Host: 127.0.0.1', 'Sec-Fetch-Site: cross-site'], 'a page of another site'],
  ])('refuses the request before it is executed: %s', async (headers, reason) => {
    const { port } = await serveInterface(
      stillExchange({ place: () => expect.fail('a page of another site placed an order') }),
    );
    const answer = await send(port, request(ORDER, headers));
    expect(statusLineOf(answer)).toBe('HTTP/1.1 403 Forbidden');
    expect(bodyOf(answer)).toBe(`{"code":1012,"message":"requests from other sites are refused: ${reason}"}`);
    expect(bodyOf(await send(port, request('/data/v1/markets', headers)))).toBe(
      `{"error":"requests from other sites are refused: ${reason}"}`,
    );
  });

  it('the administration refuses the request, too', async () => {
    const admin = await listen(adminListener('token', new Map()), 0);
    try {
      const answer = await send(admin.port, request('/status', ['Host: evil.example', 'Authorization: Bearer token']));
      expect(statusLineOf(answer)).toBe('HTTP/1.1 403 Forbidden');
    } finally {
      await admin.close();
    }
  });
});

describe('a request from this machine', () => {
  it.each([
    [['Host: localhost:8700']],
    [['Host: LOCALHOST']],
    [['Host: 127.0.0.1:1']],
    [['Host: 127.1.2.3']],
    [['Host: [::1]:8700']],
    [['Host: 127.0.0.1:8700', 'Origin: http://localhost:3000', 'Sec-Fetch-Site: cross-site']],
    [['Host: 127.0.0.1:8700', 'Sec-Fetch-Site: none']],
    [[]],
  ])('serves the request: %s', async (headers) => {
    const { port } = await serveInterface();
    const version = headers.length === 0 ? 'HTTP/1.0' : 'HTTP/1.1';
    expect(bodyOf(await send(port, request(ORDER, headers).replace('HTTP/1.1', version)))).toBe(
      '{"code":"1000","message":"success","id":"202202224851151555"}',
    );
  });
});
