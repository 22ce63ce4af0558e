import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BUILT, PIT } from '../../support/command.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';
import { hasSecretService, SecretService } from '../../support/secret-service.js';
import { type Extra, lastError, PitHome, usePitHome } from '../pit-home.js';

/** The exchange of the profiles: the sandbox of another home. */
const exchange = usePitHome();
const pit = new PitHome(temporaryHome());
const NOWHERE = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${pit.home}/nowhere` };
const OTHER = { accessKey: 'kxqhwzaaaa1111', secretKey: 'lmvbtrrbbbb2222' };

function textOf({ accessKey, secretKey }: typeof OTHER): string {
  return `${accessKey}\n${secretKey}`;
}

/** The keys of the exchange's account. */
function own(): typeof OTHER {
  const { accessKey, secretKey } = exchange.served.address;
  return { accessKey, secretKey };
}

function keyFile(profile = 'main'): string {
  return path.join(pit.home, 'config/keys', `${profile}.json`);
}

function fileOf(profile = 'main'): Record<string, string> {
  return JSON.parse(readFileSync(keyFile(profile), 'utf8'));
}

/** Stores keys where the words say. */
function set(words: string, keys: typeof OTHER, extra: Extra) {
  return pit.run(`keys set --profile main --stdin --json ${words}`.trim(), { input: textOf(keys), ...extra });
}

function shown({ accessKey, secretKey }: typeof OTHER, store: string) {
  return { profile: 'main', accessKey: `…${accessKey.slice(-4)}`, secretKey: `…${secretKey.slice(-4)}`, store };
}

beforeAll(async () => {
  pit.defaults = { environment: NOWHERE };
});

beforeEach(async () => {
  rmSync(path.join(pit.home, 'config'), { recursive: true, force: true });
  const { baseUrl, tradeUrl } = exchange.served.address;
  for (const name of ['main', 'second'])
    await pit.run(`profile add ${name} --base-url ${baseUrl} --trade-url ${tradeUrl}`);
});

describe('without a keychain', () => {
  it('keys go to the file, and the command says so and ends with exit code 9', async () => {
    const { code, stdout, stderr } = await set('--store keychain', own(), {});
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toEqual(shown(own(), 'file'));
    expect(lastError(stderr)).toMatchObject({
      kind: 'partial',
      message: expect.stringMatching(/^No keychain was found: .* The keys of main are in the file .*main\.json\.$/),
    });
    expect(fileOf()).toEqual(own());
    expect(await pit.json('account --profile main')).toMatchObject({ username: 'sandbox' });
  });

  it('keys that were to be moved stay in the file', async () => {
    await set('', own(), {});
    const { code, stderr } = await pit.run('keys set --profile main --store keychain --json');
    expect({ code, message: lastError(stderr).message }).toEqual({
      code: 9,
      message: expect.stringMatching(/The keys of main stay in the file /),
    });
    expect(fileOf()).toEqual(own());
  });

  it('a missing package is named, with the command that installs it', async () => {
    // the program in a folder without packages
    const folder = temporaryHome();
    const project = path.dirname(path.dirname(BUILT));
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(path.join(project, part), path.join(folder, part), { recursive: true });
    const { stderr } = spawnSync(
      process.execPath,
      [path.join(folder, 'bin/pit.js'), 'keys', 'set', '--profile', 'main', '--stdin', '--store', 'keychain'],
      { env: plainEnvironment(pit.home), input: textOf(own()), encoding: 'utf8' },
    );
    expect(stderr).toContain('the package @napi-rs/keyring is not installed');
    const { optionalDependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));
    const version = optionalDependencies['@napi-rs/keyring'];
    expect(stderr).toContain(`npm install --no-save --prefix ${folder} @napi-rs/keyring@${version}`);
    expect(fileOf()).toEqual(own());
  });

  it('a package in a folder above the program is not run', () => {
    const above = temporaryHome();
    const mark = path.join(above, 'was-run');
    const planted = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    for (const name of ['@napi-rs/keyring', `@napi-rs/keyring-${process.platform}-${process.arch}-gnu`, 'bufferutil']) {
      const place = path.join(above, 'node_modules', name);
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, 'index.js'), planted);
      writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
    }
    const folder = path.join(above, 'pit');
    const project = path.dirname(path.dirname(BUILT));
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(path.join(project, part), path.join(folder, part), { recursive: true });
    const words = ['keys', 'set', '--profile', 'main', '--stdin', '--store', 'keychain'];
    const { stderr } = spawnSync(process.execPath, [path.join(folder, 'bin/pit.js'), ...words], {
      env: plainEnvironment(pit.home),
      input: textOf(own()),
      encoding: 'utf8',
    });
    expect(stderr).toContain('the package @napi-rs/keyring is not installed');
    expect(existsSync(mark)).toBe(false);
  });

  it('keys in a keychain that does not answer end the command in its time', async () => {
    const socket = path.join(temporaryHome(), 'bus');
    const server = createServer(() => undefined).listen(socket);
    onTestFinished(() => void server.close());
    mkdirSync(path.dirname(keyFile()), { recursive: true, mode: 0o700 });
    writeFileSync(keyFile(), '{"keychain":"main-0123456789abcdef"}', { mode: 0o600 });
    const environment = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
    const error = await pit.failure('--timeout 2 account --profile main', 4, { environment });
    expect(error.message).toMatch(/^The keychain refused: it did not answer within 1\.\d seconds/);
  });

  it("a key file that names another profile's entry counts as damaged", async () => {
    mkdirSync(path.dirname(keyFile()), { recursive: true, mode: 0o700 });
    writeFileSync(keyFile(), '{"keychain":"second-0123456789abcdef"}', { mode: 0o600 });
    expect((await pit.failure('account --profile main', 4)).message).toMatch(/is damaged: it does not hold two keys/);
  });
});

describe.skipIf(!hasSecretService())('a keychain', () => {
  const service = new SecretService();
  let extra: Extra;

  beforeAll(() => service.start());

  beforeEach(() => {
    extra = { environment: service.environment };
  });

  afterEach(() => {
    for (const entry of Object.keys(service.entries())) service.delete(entry);
  });

  async function stored(keys = own()): Promise<string> {
    const { code, stdout } = await set('--store keychain', keys, extra);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(shown(keys, 'keychain'));
    return fileOf().keychain ?? '';
  }

  it('keeps the keys, and the file holds only the name of their entry', async () => {
    const entry = await stored();
    expect(entry).toMatch(/^main-[0-9a-f]{16}$/);
    expect(fileOf()).toEqual({ keychain: entry, keyDigest: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(service.entries()).toEqual({ [entry]: textOf(own()) });
    expect(await pit.json('keys show --profile main', extra)).toEqual(shown(own(), 'keychain'));
    expect(await pit.json('account --profile main', extra)).toMatchObject({ username: 'sandbox' });
    expect(await pit.json('orders btc_usdt --profile main', extra)).toEqual([]);
    expect(await pit.json('profile show main', extra)).toMatchObject({ keyStore: 'keychain' });
    const findings = await pit.json<{ check: string; detail: string }[]>('doctor --profile main', extra);
    expect(findings.find(({ check }) => check === 'key')?.detail).toContain('from the keychain');
  });

  it('market data and keys from the environment need no keychain', async () => {
    await stored();
    const { tradeUrl: _, ...keys } = { ...exchange.served.environment, tradeUrl: '' };
    expect(await pit.json('depth btc_usdt --profile main')).toMatchObject({ market: 'btc_usdt' });
    expect(await pit.json('account --profile main', { environment: { ...NOWHERE, ...keys } })).toBeDefined();
    const error = await pit.failure('account --profile main', 4);
    expect(error.message).toMatch(/^No keychain was found/);
    expect(error.hint).toContain('PIT_ACCESS_KEY');
  });

  it('that cannot be opened in the background leaves an algo order unwatched, which is said when it is created', async () => {
    await stored();
    const elsewhere = `export DBUS_SESSION_BUS_ADDRESS='${NOWHERE.DBUS_SESSION_BUS_ADDRESS}'`;
    const script = `if [ "$PIT_ALGO_BACKGROUND" = 1 ]; then ${elsewhere}; fi; exec "$@"`;
    const host = { self: { command: 'sh', arguments: ['-c', script, 'sh', PIT.command, ...PIT.arguments] } };
    const line = 'order sell btc_usdt 0.01 --stop 20000 --yes --json --profile main';
    const { code, stdout, stderr } = await pit.run(line, { ...extra, host });
    const { id, watched } = JSON.parse(stdout);
    expect([code, watched]).toEqual([9, false]);
    const { message, hint } = lastError(stderr);
    expect(message).toMatch(
      new RegExp(`^NOT WATCHED: algo order ${id} exists, .* The watching process did not start: No keychain was found`),
    );
    expect(hint).toMatch(new RegExp(`; Or give it up: pit --profile main algo cancel ${id}$`));
    await pit.done(`algo cancel ${id} --profile main --yes`, extra);
  });

  it('takes over the keys of the file and gives them back, and each move empties the old place', async () => {
    await set('', own(), extra);
    expect(await pit.json('keys set --profile main --store keychain', extra)).toEqual(shown(own(), 'keychain'));
    expect(Object.values(service.entries())).toEqual([textOf(own())]);
    expect(readFileSync(keyFile(), 'utf8')).not.toContain(own().accessKey);
    expect(await pit.json('keys set --profile main --store keychain', extra)).toEqual(shown(own(), 'keychain'));
    expect(await pit.json('keys set --profile main --store file', extra)).toEqual(shown(own(), 'file'));
    expect(service.entries()).toEqual({});
    expect(fileOf()).toEqual(own());
  });

  it('keeps new keys in the place of the old ones, and forgets the old ones', async () => {
    await stored(OTHER);
    expect((await set('', own(), extra)).code).toBe(0);
    expect(Object.values(service.entries())).toEqual([textOf(own())]);
    expect((await set('--store file', OTHER, extra)).code).toBe(0);
    expect(service.entries()).toEqual({});
    expect(fileOf()).toEqual(OTHER);
  });

  it('keeps the keys of two profiles apart', async () => {
    await stored();
    const input = textOf(OTHER);
    await pit.json('keys set --profile second --stdin --store keychain', { ...extra, input });
    expect(Object.values(service.entries()).sort()).toEqual([textOf(own()), textOf(OTHER)].sort());
    await pit.json('keys remove --profile second --yes', extra);
    expect(Object.values(service.entries())).toEqual([textOf(own())]);
    expect(await pit.json('account --profile main', extra)).toMatchObject({ username: 'sandbox' });
  });

  it.each([
    'keys remove --profile main --yes',
    'profile remove main --yes',
    'profile set main tradeUrl https://x.example',
  ])('no longer has the entry after pit %s', async (line) => {
    await stored();
    await pit.json(line, extra);
    expect(service.entries()).toEqual({});
    expect(() => fileOf()).toThrow(/ENOENT/);
  });

  it.each([
    'keys remove --profile main --yes',
    'profile remove main --yes',
    'profile set main tradeUrl https://x.example',
  ])('an unavailable keychain stops pit %s, which would leave the entry in it', async (line) => {
    const entry = await stored();
    const before = await pit.json('profile show main', extra);
    const error = await pit.failure(line, 4);
    expect(error.message).toMatch(/^No keychain was found: .* Nothing was removed\.$/);
    expect(error.hint).toContain(entry);
    expect(Object.keys(service.entries())).toEqual([entry]);
    expect(await pit.json('profile show main', extra)).toEqual(before);
  });

  it('an unavailable keychain gets no new keys, and keys in the file instead say which entry is left', async () => {
    const entry = await stored(OTHER);
    for (const words of ['', '--store keychain']) {
      expect((await set(words, own(), {})).code).toBe(4);
      expect(fileOf()).toEqual({ keychain: entry, keyDigest: expect.stringMatching(/^[0-9a-f]{16}$/) });
    }
    const { code, stdout, stderr } = await set('--store file', own(), {});
    expect({ code, document: JSON.parse(stdout) }).toEqual({ code: 9, document: shown(own(), 'file') });
    expect(lastError(stderr)).toMatchObject({
      message: expect.stringContaining('still in the keychain'),
      hint: expect.stringContaining(entry),
    });
    expect(fileOf()).toEqual(own());
  });

  it('reports the keys as gone if the entry was deleted, and takes new ones', async () => {
    service.delete(await stored(OTHER));
    for (const line of ['account --profile main', 'keys show --profile main', 'keys set --profile main --store file']) {
      const error = await pit.failure(line, 4, extra);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^The keys of main are gone from the keychain/),
        hint: expect.stringContaining('pit keys set --profile main'),
      });
    }
    expect((await set('', own(), extra)).code).toBe(0);
    expect(await pit.json('account --profile main', extra)).toMatchObject({ username: 'sandbox' });
  });

  it('removes a profile whose entry is missing', async () => {
    service.delete(await stored());
    expect(await pit.json('profile remove main --yes', extra)).toEqual({ removed: 'main' });
  });

  it('changes nothing in a dry run', async () => {
    await set('', own(), extra);
    const { change } = await pit.json<{ change: string[] }>(
      'keys set --profile main --store keychain --dry-run',
      extra,
    );
    expect(change).toEqual(['Would move the keys of main from file to keychain.']);
    expect(fileOf()).toEqual(own());
    expect(service.entries()).toEqual({});
  });

  it('shows no key in arguments, on stdout or on stderr, even with NODE_DEBUG', async () => {
    const { stdout, stderr, code } = await runProgram(
      ['keys', 'set', '--profile', 'main', '--stdin', '--store', 'keychain', '--verbose'],
      { home: pit.home, environment: { ...service.environment, NODE_DEBUG: '*' }, input: textOf(OTHER) },
    );
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("the system's keychain") });
    expect(stderr).not.toBe('');
    expect(stdout + stderr).not.toMatch(/kxqhwz|lmvbtrr/);
  });

  // last: nothing here can unlock it again
  it('a locked keychain gives no keys, and the error says what to do', async () => {
    const locked = new SecretService();
    await locked.start();
    extra = { environment: locked.environment };
    const entry = await stored();
    locked.lock();
    for (const [line, message] of [
      ['account --profile main', 'The keychain is locked and was not unlocked.'],
      ['keys show --profile main', 'The keychain is locked and was not unlocked.'],
      ['keys remove --profile main --yes', 'The keychain is locked and was not unlocked. Nothing was removed.'],
    ] as const)
      expect((await pit.failure(line, 4, extra)).message).toBe(message);
    const { code } = await set('--store keychain', OTHER, extra);
    expect(code).toBe(4);
    expect(fileOf()).toEqual({ keychain: entry, keyDigest: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(await pit.json('depth btc_usdt --profile main', extra)).toMatchObject({ market: 'btc_usdt' });
  });
});
