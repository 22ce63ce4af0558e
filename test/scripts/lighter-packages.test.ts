import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority, hasOpenssl } from '../support/authority.js';
import { BUILT } from '../support/command.js';
import { temporaryHome } from '../support/pit.js';
import { runProgram, serveSandboxProgram } from '../support/program.js';

const program = BUILT;

describe.skipIf(!hasOpenssl)('got without its own parts for HTTP/2, caches and name lookups (needs openssl)', () => {
  let authority: Authority;
  let sandbox: string;
  const servers: Server[] = [];
  const requests: string[] = [];

  /** A host with a certificate for these names, which compresses what the sandbox answers. */
  async function host(names: string): Promise<Readonly<Record<string, string>>> {
    const server = createServer(authority.sign(names), async (request, response) => {
      requests.push(request.url ?? '');
      const answer = await fetch(`${sandbox}${request.url}`);
      response.writeHead(answer.status, { 'content-encoding': 'gzip' }).end(gzipSync(await answer.text()));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    return { PIT_BASE_URL: url, PIT_TRADE_URL: url, NODE_EXTRA_CA_CERTS: authority.file };
  }

  beforeAll(async () => {
    authority = new Authority();
    sandbox = (await serveSandboxProgram(temporaryHome())).address.baseUrl;
  });

  afterAll(() => {
    for (const server of servers) server.close();
    authority.remove();
  });

  it('reads compressed answers over TLS', async () => {
    const environment = await host('DNS:localhost');
    const words = ['depth', 'btc_usdt', '--json'];
    const { code, stdout, stderr } = await runProgram(words, { home: temporaryHome(), environment, program });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ market: 'btc_usdt' });
  });

  it('sends nothing to a host whose certificate is for another name', async () => {
    const environment = await host('DNS:elsewhere.example');
    requests.length = 0;
    const words = ['depth', 'btc_usdt', '--json'];
    const { code, stdout, stderr } = await runProgram(words, { home: temporaryHome(), environment, program });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain("the host's certificate is for another host name");
    expect(requests).toEqual([]);
  });
});

it('conf without schemas and migrations stores profiles', async () => {
  const home = temporaryHome();
  const add = ['profile', 'add', 'overseas', '--base-url', 'https://a.example', '--trade-url', 'https://b.example'];
  expect(await runProgram(add, { home, program })).toMatchObject({ code: 0 });
  const { stdout } = await runProgram(['profile', 'list', '--json'], { home, program });
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ name: 'overseas', baseUrl: 'https://a.example', tradeUrl: 'https://b.example' }),
  );
});

it('each character that inquirer draws with is one column wide, as the shorter measuring takes it', async () => {
  // a package of inquirer's
  const measuring = path.resolve('node_modules/fast-string-width/dist/index.js');
  const { default: stringWidth } = (await import(measuring)) as { default: (text: string) => number };
  for (const character of '\u2022\u2026\u2191\u2193\u2500\u253c\u2588\u259f\u276f')
    expect(stringWidth(character)).toBe(1);
});

it('commander without its help suggests the flag that was meant', async () => {
  const ran = await runProgram(['depth', 'btc_usdt', '--siz', '5'], { home: temporaryHome(), program });
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--size') });
});

it('CLICOLOR_FORCE paints help and errors also where the light build of chalk does not ask the terminal', async () => {
  for (const words of [['depht'], ['depth', '--siz']]) {
    const environment = { CLICOLOR_FORCE: '1' };
    const { stderr } = await runProgram(words, { home: temporaryHome(), environment, program });
    expect(stderr).toContain('\u001b[');
  }
});
