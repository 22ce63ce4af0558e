import { afterEach, describe, expect, it, vi } from 'vitest';
import { proxyFor } from '../../../src/exchange/network/proxy.js';
import { proxySecrets, Redaction } from '../../../src/platform/redaction.js';

const HOST = 'https://trade.example.com/api/order';

afterEach(() => void vi.unstubAllEnvs());

function chosen(url: string, environment: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return proxyFor(new URL(url))?.href;
}

describe('the proxy of a URL', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['no variable', {}, undefined],
    ['an empty variable', { HTTPS_PROXY: '' }, undefined],
    ['HTTPS_PROXY', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128/'],
    ['both cases: the lower one', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' }, 'http://q:2/'],
    ['ALL_PROXY', { ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['HTTPS_PROXY before ALL_PROXY', { all_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:2' }, 'http://q:2/'],
    ['not HTTP_PROXY', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['a proxy over TLS', { HTTPS_PROXY: 'https://p' }, 'https://p/'],
    ['an IPv6 proxy', { HTTPS_PROXY: 'http://[2001:db8::1]:3128' }, 'http://[2001:db8::1]:3128/'],
  ])('comes from %s', (_, environment, expected) => {
    expect(chosen(HOST, environment)).toBe(expected);
  });

  it('is none for plain http: a proxy could read and repeat each request', () => {
    const everything = { ALL_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1' };
    expect(chosen(HOST.replace('https:', 'http:'), everything)).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1:80/',
    'http://127.9.9.9/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'https://localhost/',
    'https://[::1]/',
    'https://127.0.0.1:8443/',
  ])('does not exist for this machine: %s', (url) => {
    const everything = { ALL_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1' };
    expect(chosen(url, everything)).toBeUndefined();
  });

  it.each<[string, string, boolean]>([
    [HOST, '*', true],
    [HOST, 'trade.example.com', true],
    [HOST, 'TRADE.Example.com', true],
    [HOST, 'example.com', false],
    [HOST, '.example.com', true],
    [HOST, '*.example.com', true],
    [HOST, 'ample.com', false],
    [HOST, 'other.com, .example.com', true],
    [HOST, 'other.com .example.com', true],
    [HOST, 'trade.example.com:443', true],
    [HOST, 'trade.example.com:8443', false],
    ['https://trade.example.com:8443/', '.example.com:8443', true],
    ['https://example.com.evil.org/', '.example.com', false],
    ['https://10.1.2.3/', '10.1.2.3', true],
    ['https://10.1.2.3/', '1.2.3', false],
    ['https://[2001:db8::5]/', '[2001:db8::5]', true],
    [HOST, '', false],
  ])('%s with NO_PROXY=%s is excluded: %s', (url, list, isExcepted) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(chosen(url, { HTTPS_PROXY: 'http://p:1', [name]: list }) === undefined).toBe(isExcepted);
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ['socks5://me:geheimnis@p:1080', /names a socks5:\/\/ proxy, which pit does not support/],
    ['http://me:geheimnis@:', /is not a URL/],
    ['http://me:geheimnis%@p:1', /is not a URL/],
  ])('rejects %s without quoting it', (value, message) => {
    const choose = () => chosen(HOST, { HTTPS_PROXY: value });
    expect(choose).toThrow(expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) }));
    expect(choose).not.toThrow(/geheimnis/);
  });
});

describe('the secrets in a proxy URL', () => {
  it.each([
    ['http://me:pass%40word@p:1', ['pass%40word', 'pass@word', 'me:pass@word', 'bWU6cGFzc0B3b3Jk']],
    ['me:geheim@p:1', ['geheim', 'bWU6Z2VoZWlt']],
    ['socks5://me:geheim@p:1', ['geheim']],
    ['http://me:bro%ken@p:1', ['bro%ken']],
  ])('%s', (value, secrets) => {
    for (const name of ['https_proxy', 'HTTPS_PROXY', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) {
      const redaction = new Redaction();
      for (const secret of proxySecrets({ [name]: value })) redaction.addSecret(secret);
      for (const secret of secrets) expect(redaction.apply(`a ${secret} b`)).toBe('a *** b');
      expect(redaction.apply('me and p')).toBe('me and p');
    }
  });
});
