import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerKey, checkForUpdate, isVersion } from '../../src/commands/session/update-check.js';
import { isNewer } from '../../src/commands/session/update-notice.js';
import { Cache } from '../../src/config/cache.js';
import { checkSetting } from '../../src/config/settings.js';
import { directoriesOf } from '../../src/platform/directories.js';
import { eventually } from '../support/eventually.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { PitHome } from './pit-home.js';

const DAY_MS = 86_400_000;
const NEWER = '{"version":"99.10.0"}';
const NOTICE = /pit 99\.10\.0 is available; this is \d+\.\d+\.\d+\. To update, verify the new release and install it/;

interface Asked {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

/** A server that answers the question for the newest version, stopped after the test. */
async function serve(answer: RequestListener): Promise<Asked> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pit/latest`, requests };
}

const saying = (body: string) => (_request: IncomingMessage, response: ServerResponse) => void response.end(body);

/** A home whose sandbox profile may have an address to ask. */
async function homeAsking(url?: string): Promise<PitHome> {
  const pit = new PitHome(temporaryHome());
  await pit.serve();
  if (url !== undefined) await pit.done(`profile set sandbox updateUrl ${url}`);
  return pit;
}

/** What a command on a terminal prints on stderr; the clock may have gone on. */
async function remarks({ home }: PitHome, daysLater = 0, more: Parameters<typeof runPit>[1] | object = {}) {
  const host = { now: () => Date.now() + daysLater * DAY_MS };
  const words = ['ticker', 'btc_usdt'];
  const { code, stderr } = await runPit(words, { home, columns: 100, host, ...more });
  expect(code).toBe(0);
  return stderr;
}

/** Waits until the answer of the server is kept. */
async function answered({ home }: PitHome, url: string): Promise<void> {
  const cache = new Cache(directoriesOf(home).cache, () => Date.now() + 1_000);
  await eventually(() => expect(cache.read(answerKey(url))).not.toBeNull());
}

describe('the notice of a newer version', () => {
  it('appears once a day after the address was asked, and asks once a day', async () => {
    const { url, requests } = await serve(saying(NEWER));
    const pit = await homeAsking(url);
    expect(await remarks(pit)).not.toMatch('available');
    await answered(pit, url);
    expect(await remarks(pit, 0.01)).toMatch(NOTICE);
    expect(await remarks(pit, 0.02)).not.toMatch('available');
    expect(requests).toHaveLength(1);
    expect(await remarks(pit, 1.02)).toMatch(NOTICE);
    await eventually(() => expect(requests).toHaveLength(2));
  });

  it('sends neither keys nor cookies, and no name of the profile', async () => {
    const { url, requests } = await serve(saying(NEWER));
    const pit = await homeAsking(url);
    const { accessKey } = pit.served.address;
    await remarks(pit, 0, {
      environment: {
        PIT_ACCESS_KEY: accessKey,
        PIT_SECRET_KEY: 'secret',
        PIT_TRADE_URL: pit.served.address.tradeUrl,
        PIT_BASE_URL: pit.served.address.baseUrl,
      },
    });
    await answered(pit, url);
    const [{ method, url: path, headers } = { headers: {} }] = requests;
    expect([method, path, Object.keys(headers).sort()]).toEqual([
      'GET',
      '/pit/latest',
      ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ]);
  });

  it('an address that never answers delays nothing', async () => {
    const { url, requests } = await serve(() => undefined);
    const pit = await homeAsking(url);
    expect(await remarks(pit)).not.toMatch('available');
    await eventually(() => expect(requests).toHaveLength(1));
    expect(requests[0]?.socket.destroyed).toBe(false);
    expect(await remarks(pit, 0.01)).not.toMatch('available');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['in a pipe', { columns: undefined }],
    ['with stdout in a pipe', { pipedOutput: true }],
    ['in CI', { environment: { CI: 'true' } }],
  ])('neither shows the notice nor asks for a version %s', async (_title, more) => {
    const { url, requests } = await serve(saying(NEWER));
    const pit = await homeAsking(url);
    await new Cache(directoriesOf(pit.home).cache, () => Date.now() - 1).write(answerKey(url), '99.10.0');
    expect(await remarks(pit, 0, more)).not.toMatch('available');
    for (const format of ['--json', '--csv'])
      expect((await runPit(['ticker', format], { home: pit.home, columns: 100 })).stderr).not.toMatch('available');
    // on a terminal, the same home asks: a request of before would have come by then
    expect(await remarks(pit)).toMatch(NOTICE);
    await eventually(() => expect(requests).toHaveLength(1));
  });

  it('asks nowhere as long as no address is set', async () => {
    const pit = await homeAsking();
    expect(await remarks(pit)).not.toMatch('available');
    const { cache } = directoriesOf(pit.home);
    expect(new Cache(cache, Date.now).read('update asked undefined')).toBeNull();
  });

  it('compares versions by their numbers', () => {
    expect(isNewer('0.10.0', '0.9.9')).toBe(true);
    expect(isNewer('1.0.0', '0.99.99')).toBe(true);
    expect(isNewer('0.2.0', '0.2.0')).toBe(false);
    expect(isNewer('0.1.9', '0.2.0')).toBe(false);
    expect(isNewer('\u001b[2J', '0.2.0')).toBe(false);
  });
});

describe('an answer about the newest version', () => {
  const endless = (_request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => undefined);
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(8_192)));
      response.once('drain', more);
    };
    more();
  };

  it.each<[string, RequestListener]>([
    ['without an end', endless],
    ['that is longer than allowed', saying(`{"version":"99.10.0","x":"${'x'.repeat(100_000)}"}`)],
    [
      'that expands to more than allowed',
      (_, response) =>
        void response
          .setHeader('content-encoding', 'gzip')
          .end(gzipSync(`{"version":"99.10.0","x":"${'x'.repeat(10_000_000)}"}`)),
    ],
    ['with control characters in the version', saying('{"version":"99.10.0\\u001b[2J"}')],
    ['with a line end after the version', saying('{"version":"99.10.0\\n"}')],
    ['with a huge version', saying(`{"version":"${'9'.repeat(1_000)}.0.0"}`)],
    ['with zeros before a number of the version', saying('{"version":"000099.10.0"}')],
    ['with a number for a version', saying('{"version":99}')],
    ['with a preliminary version', saying('{"version":"99.10.0-rc.1"}')],
    ['that is a list', saying('["99.10.0"]')],
    ['that is no JSON', saying('99.10.0')],
    ['that is nothing', saying('')],
    ['with another status', (_, response) => void response.writeHead(404).end(NEWER)],
    ['that breaks off', (_, response) => void response.writeHead(200, { 'content-length': 100 }).end(NEWER)],
  ])('an answer %s changes nothing', async (_title, answer) => {
    const { url, requests } = await serve(answer);
    const directories = directoriesOf(temporaryHome());
    await checkForUpdate({ environment: { PIT_UPDATE_URL: url }, directories, now: Date.now });
    expect(requests).toHaveLength(1);
    expect(new Cache(directories.cache, Date.now).read(answerKey(url))).toBeNull();
  });

  it('an answer that leads elsewhere is not followed', async () => {
    const elsewhere = await serve(saying(NEWER));
    const { url, requests } = await serve((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end(NEWER),
    );
    const directories = directoriesOf(temporaryHome());
    await checkForUpdate({ environment: { PIT_UPDATE_URL: url }, directories, now: Date.now });
    expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    expect(new Cache(directories.cache, Date.now).read(answerKey(url))).toBeNull();
  });

  it('an answer that does not come changes nothing', async () => {
    const directories = directoriesOf(temporaryHome());
    const environment = { PIT_UPDATE_URL: 'http://127.0.0.1:1/pit/latest' };
    await expect(checkForUpdate({ environment, directories, now: Date.now })).resolves.toBeUndefined();
  });

  it('keeps an answer that is a version', async () => {
    const { url } = await serve(saying('{"name":"pit","version":"99.10.0","dist":{}}'));
    const directories = directoriesOf(temporaryHome());
    await checkForUpdate({ environment: { PIT_UPDATE_URL: url }, directories, now: Date.now });
    expect(new Cache(directories.cache, Date.now).read(answerKey(url))?.value).toBe('99.10.0');
    expect(isVersion('99.10.0')).toBe(true);
  });
});

describe('the setting updateUrl', () => {
  it.each(['https://registry.example.com/pit/latest', 'http://127.0.0.1:8080/latest.json'])('takes %s', (url) => {
    expect(checkSetting('updateUrl', url)).toBe(url);
  });

  it.each([
    'http://registry.example.com/pit/latest',
    'https://me:secret@registry.example.com/pit',
    'https://registry.example.com/pit?token=secret',
    'file:///etc/passwd',
    'registry.example.com',
    'https://registry.example.com/\u001b[2J',
  ])('rejects %j', (url) => {
    expect(() => checkSetting('updateUrl', url)).toThrow(expect.objectContaining({ kind: 'usage' }));
  });
});
