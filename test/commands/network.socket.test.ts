import { chmodSync, cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Authority, hasOpenssl } from '../support/authority.js';
import { serveConnectProxy } from '../support/connect-proxy.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { temporaryHome } from '../support/pit.js';
import { environmentAt } from './literal-exchange.js';
import { lastError, PitHome, usePitHome } from './pit-home.js';

const pit = usePitHome();
const LOGIN = 'trader:geheimnis-9';
const DONE = '{"code":1000,"message":"done"}';

// proxies are read from the environment of this process
afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(!hasOpenssl)('the built program behind a proxy', () => {
  let authority: Authority;
  beforeAll(() => {
    authority = new Authority();
  });
  afterAll(() => authority.remove());

  const served = async () => {
    const tls = authority.sign('DNS:exchange.test,IP:127.0.0.1');
    const server = await serveFaults({ answer: () => respond(DONE), tls });
    const tunnel = await serveConnectProxy('through', { to: server.port });
    return { server, tunnel, proxy: tunnel.url.replace('://', `://${LOGIN}@`) };
  };

  it('sends requests through it and never prints its password, not even in debug output of Node', async () => {
    const { server, tunnel, proxy } = await served();
    const environment = {
      ...environmentAt(`https://exchange.test:${server.port}`),
      ...{
        HTTPS_PROXY: proxy,
        NODE_EXTRA_CA_CERTS: authority.file,
        NODE_DEBUG: 'http,https,net,tls,child_process',
        DEBUG: '*',
      },
    };
    const { code, stdout, stderr } = await pit.run('api setRepayState --yes --json --verbose', {
      environment,
      ownProcess: true,
    });
    expect([code, stdout]).toEqual([0, `${DONE}\n`]);
    expect(tunnel.asked).toHaveLength(1);
    // the debug lines are printed without their secrets
    expect(stderr).toMatch(/HttpsProxyAgent instance: 'http:\/\/\*\*\*@127/);
    for (const secret of ['geheimnis-9', btoa(LOGIN), 'literal-access-key'])
      expect(stderr.includes(secret), secret).toBe(false);
  });

  it("trusts the profile's caFile and connects to the sandbox without the proxy", async () => {
    const { server, tunnel, proxy } = await served();
    const other = new PitHome(temporaryHome());
    const url = `https://exchange.test:${server.port}`;
    await other.done(`profile add mine --base-url ${url} --trade-url ${url}`);
    vi.stubEnv('ALL_PROXY', proxy);
    const environment = { PIT_ACCESS_KEY: 'literal-access-key', PIT_SECRET_KEY: 'literal-secret-key' };
    const call = 'api setRepayState --yes --profile mine';
    const refused = await other.failure(call, 5, { environment });
    expect(refused.message).toContain('signed by an authority this machine does not know');
    expect((await other.failure('profile set mine caFile ca.pem', 2)).hint).toContain('whole path');
    expect((await other.failure('profile set mine caFile /no/ca.pem', 2)).message).toContain('cannot be read (ENOENT)');
    await other.done(`profile set mine caFile ${authority.file}`);
    expect(await other.json(call, { environment })).toEqual({ code: 1000, message: 'done' });
    const before = tunnel.asked.length;
    expect(await pit.json('ticker btc_usdt')).toHaveLength(1);
    expect(tunnel.asked).toHaveLength(before);
  });

  it('trusts no caFile that others can change or replace, neither when it is set nor later', async () => {
    const { server } = await served();
    const other = new PitHome(temporaryHome());
    const url = `https://127.0.0.1:${server.port}`;
    await other.done(`profile add mine --base-url ${url} --trade-url ${url}`);
    const environment = { PIT_ACCESS_KEY: 'literal-access-key', PIT_SECRET_KEY: 'literal-secret-key' };
    const call = 'api setRepayState --yes --profile mine';
    const folder = temporaryHome();
    const [file, link] = [path.join(folder, 'ca.pem'), path.join(temporaryHome(), 'link.pem')];
    cpSync(authority.file, file);
    symlinkSync(file, link);
    await other.done(`profile set mine caFile ${link}`);
    await other.json(call, { environment });
    for (const [opened, openMode, mode] of [
      [file, 0o666, 0o600],
      [folder, 0o777, 0o700],
      [path.dirname(link), 0o777, 0o700],
    ] as const) {
      chmodSync(opened, openMode);
      const message = `The caFile ${link} cannot be trusted. ${opened} is open to other users (mode ${openMode.toString(8)}).`;
      expect(await other.failure('account --profile mine', 4, { environment })).toMatchObject({ message });
      const unsent = `setRepayState was not sent: the ${message.slice('The '.length)}`;
      expect(await other.failure(call, 4, { environment })).toMatchObject({ message: unsent });
      expect(await other.failure(`profile set mine caFile ${link}`, 2)).toMatchObject({ message });
      chmodSync(opened, mode);
    }
    expect(server.requests).toHaveLength(1);
  });
});

describe('without a connection', () => {
  it('refuses to sign requests when certificate checks are off', async () => {
    const environment = { ...environmentAt('https://127.0.0.1:1'), NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const error = await pit.failure('balance', 4, { environment });
    expect(error).toMatchObject({ message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED=0') });
    // the sandbox has no certificate
    await pit.done('balance', { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
  });

  it('rejects an unsupported kind of proxy without printing its password', async () => {
    vi.stubEnv('HTTPS_PROXY', `socks5://${LOGIN}@127.0.0.1:1`);
    const { code, stderr } = await pit.run('--json balance', { environment: environmentAt('https://exchange.test') });
    expect([code, lastError(stderr).message]).toEqual([
      2,
      expect.stringContaining('a socks5:// proxy, which pit does not support'),
    ]);
    expect(stderr).not.toContain('geheimnis');
  });
});
