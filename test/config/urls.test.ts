import { describe, expect, test } from 'vitest';
import { checkUrl, type UrlRole } from '../../src/config/urls.js';
import { everythingIn, failureOf } from './support.js';

describe('checkUrl stores', () => {
  test.each<[UrlRole, string, string]>([
    ['base', 'https://api.example.com', 'https://api.example.com'],
    ['base', 'https://API.Example.com:443/', 'https://api.example.com'],
    ['base', 'https://api.example.com/data/v1', 'https://api.example.com'],
    ['base', 'https://api.example.com/data/v1/', 'https://api.example.com'],
    ['base', 'https://proxy.example.com/x/data/v1//', 'https://proxy.example.com/x'],
    ['base', 'https://api.example.com/api', 'https://api.example.com/api'],
    ['trade', 'https://trade.example.com/api/', 'https://trade.example.com'],
    ['trade', 'https://trade.example.com:8443/x', 'https://trade.example.com:8443/x'],
    ['trade', 'http://127.0.0.1:8080/api', 'http://127.0.0.1:8080'],
    ['trade', 'http://127.1', 'http://127.0.0.1'],
    ['trade', 'http://localhost:1', 'http://localhost:1'],
    ['trade', 'http://[::1]:9/', 'http://[::1]:9'],
    ['ws', 'wss://api.example.com/websocket', 'wss://api.example.com/websocket'],
    ['ws', 'ws://127.200.0.1/', 'ws://127.200.0.1'],
    ['ws', '\t wss://api.example.com/websocket\r\n', 'wss://api.example.com/websocket'],
    ['trade', '\n\n https://trade.example.com/api\u00a0', 'https://trade.example.com'],
  ])('%s %j', (role, text, kept) => {
    expect(checkUrl(role, '--url', text)).toBe(kept);
    expect(checkUrl(role, '--url', kept)).toBe(kept);
  });
});

describe('checkUrl rejects', () => {
  test.each<[UrlRole, string]>([
    ['trade', ''],
    ['trade', 'trade.example.com'],
    ['trade', 'https:trade.example.com'],
    ['trade', 'https:/trade.example.com/http://x'],
    ['trade', 'https:///trade.example.com'],
    ['trade', 'ftp://trade.example.com'],
    ['trade', 'wss://trade.example.com'],
    ['ws', 'https://trade.example.com'],
    ['trade', 'file:///etc/passwd'],
    ['trade', 'https://canary:pw@trade.example.com'],
    ['trade', 'https://@trade.example.com'],
    ['trade', 'https://good.example.com\\@canary.example.com'],
    ['trade', 'https://trade.example.com/?sign=canary'],
    ['trade', 'https://trade.example.com/?'],
    ['trade', 'https://trade.example.com/#canary'],
    ['trade', 'https://trade.exa\tmple.com'],
    ['trade', 'https://trade.example.com https://trade.example.com'],
    ['trade', ' \t\n'],
    ['trade', 'https://trаde.example.com'],
    ['trade', `https://trade.example.com/${'x'.repeat(2_100)}`],
  ])('%s %j without quoting it', async (role, text) => {
    const failure = await failureOf(() => checkUrl(role, '--trade-url', text, 'stored'));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(/^--trade-url /);
    expect(everythingIn(failure)).not.toMatch(/canary|xxxx/);
  });

  test.each([
    'http://trade.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://0.0.0.0',
    'http://[::2]',
    'http://128.0.0.1',
  ])('%s, plain http to another machine: as usage if typed, as credentials if stored', async (text) => {
    expect(await failureOf(() => checkUrl('trade', 'x', text))).toMatchObject({ kind: 'usage' });
    expect(await failureOf(() => checkUrl('trade', 'x', text, 'stored'))).toMatchObject({ kind: 'credentials' });
  });
});
