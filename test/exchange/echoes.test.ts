import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { respond, serveFaults } from '../support/fault-server.js';
import { runPit, temporaryHome } from '../support/pit.js';

const ACCESS_KEY = '6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const SECRET_KEY = '48939bbc-8d49-402b-b731-adadf2ea9628';
const MARKETS = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';
const BOOK = '{"asks":[[31001.5,2]],"bids":[[31000.5,1]],"timestamp":1540295995}';

/** How an error message may repeat the request that it is about. */
const ECHOES: Readonly<Record<string, (target: string) => string>> = {
  'as it is': (target) => target,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, every character': (target) => target.replace(/./gs, (one) => `%${one.charCodeAt(0).toString(16)}`),
  'in lines of six characters': (target) => target.replace(/.{6}/g, '$&\n'),
  'with invisible characters between': (target) => target.replace(/./gs, '$&\u200b'),
  'without its beginning': (target) => target.slice(target.indexOf('accesskey=') + 14),
};

const COMMANDS: readonly (readonly string[])[] = [
  ['order', 'buy', 'btc_usdt', '0.01', '--at', '31000', '--yes'],
  ['order', 'batch', 'buy', 'btc_usdt', '--ladder', '31000:30990:2', '--amount', '0.02', '--yes'],
  ['order', 'show', 'btc_usdt', '7'],
  ['cancel', 'btc_usdt', '7'],
  ['cancel-after', 'btc_usdt', '--yes'],
  ['orders', 'btc_usdt'],
  ['balance'],
  ['bills'],
  ['resolve'],
  ['api', 'setExpressState', 'currency=btc_usdt', '--yes'],
];

describe('an error message that repeats the request', () => {
  it.each(Object.entries(ECHOES))('puts no key on the screen or into a file: %s', async (_, echo) => {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/data/')) return respond(target.includes('/markets') ? MARKETS : BOOK);
        return respond(JSON.stringify({ code: 2009, message: `wrong request ${echo(target)}` }));
      },
    });
    const home = temporaryHome();
    const environment = {
      ...{ PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url },
      ...{ PIT_ACCESS_KEY: ACCESS_KEY, PIT_SECRET_KEY: SECRET_KEY },
    };
    const printed: string[] = [];
    for (const words of COMMANDS) {
      const { stdout, stderr } = await runPit([...words, '--json', '--timeout', '3'], { home, environment });
      printed.push(stdout, stderr);
    }
    const shown = plain(printed.join('\n'));
    expect(shown).toContain('wrong request');
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const kept = plain(files.map((file) => readFileSync(path.join(file.parentPath, file.name), 'latin1')).join('\n'));
    const signatures = server.requests.flatMap(({ target }) => /[?&]sign=([0-9a-f]+)/.exec(target)?.[1] ?? []);
    expect(signatures.length).toBeGreaterThan(COMMANDS.length - 1);
    for (const secret of [ACCESS_KEY, SECRET_KEY, ...signatures]) {
      for (const half of [secret.slice(0, secret.length / 2), secret.slice(secret.length / 2)]) {
        expect(shown).not.toContain(plain(half));
        expect(kept).not.toContain(plain(half));
      }
    }
  });
});

/** Without percent-encoding, dashes, and all that a screen does not show; a space stays one. */
function plain(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return decoded.replace(/\\n|[^a-z0-9 ]/gi, '');
}
