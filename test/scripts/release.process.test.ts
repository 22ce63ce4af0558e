import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasOpenssl } from '../support/authority.js';
import { requires } from '../support/tools.js';
import { copyProject } from './project-copy.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const NAMES = [`pit-${version}.tgz`, `pit-${version}-shell-files.tar.gz`, `pit-${version}.cdx.json`];

interface Component {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

/** The commands of docs/install.md that verify a release, with the output that it promises. */
const PAGE = readFileSync('docs/install.md', 'utf8');
const DOCUMENTED = ['openssl', 'sha256sum'].map((program) => {
  const [, command = '', output = ''] =
    new RegExp(`^\`\`\`sh\\n(${program} .*)\\n[^]*?\`\`\`text\\n([^]*?)\`\`\``, 'm').exec(PAGE) ?? [];
  return { command, output: output.replaceAll('VERSION', version) };
});

/** Verifies a release as the page says. */
function verified(folder: string, publicKey: string): { readonly sums: boolean; readonly signature: boolean } {
  const [signature = false, sums = false] = DOCUMENTED.map(({ command, output }) => {
    const { status, stdout } = spawnSync('sh', ['-c', command.replace('release-key.pem', publicKey)], {
      cwd: folder,
      encoding: 'utf8',
    });
    return status === 0 && stdout.startsWith(output);
  });
  return { sums, signature };
}

function buildsExecutables(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 25 || (major === 25 && minor >= 5);
}

describe.skipIf(!hasOpenssl || !requires('git') || !requires('sha256sum'))('npm run release', () => {
  const keys = mkdtempSync(path.join(tmpdir(), 'pit-keys-'));
  const [privateKey, publicKey] = [path.join(keys, 'key.pem'), path.join(keys, 'public.pem')];
  let project = '';
  let release = '';
  let removeProject = () => {};
  let publishing = { status: null as number | null, stdout: '', stderr: '' };
  let printed = '';
  let made: readonly Buffer[] = [];

  function git(...words: readonly string[]): string {
    const author = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com'];
    return execFileSync('git', [...author, ...words], { cwd: project, encoding: 'utf8' }).trim();
  }

  function run(...words: readonly string[]) {
    return start(undefined, ['--without-executable', ...words]);
  }

  /** With the passphrase of the key on stdin. */
  function runWith(passphrase: string, ...words: readonly string[]) {
    return start(`${passphrase}\n`, ['--without-executable', ...words]);
  }

  function runAll(...words: readonly string[]) {
    return start(undefined, words);
  }

  function start(input: string | undefined, words: readonly string[]) {
    const { PIT_COMMIT: _given, ...env } = process.env;
    const options = { cwd: project, env, encoding: 'utf8', input } as const;
    return spawnSync(process.execPath, ['scripts/release.js', ...words], options);
  }

  function publishKey(file: string, input?: string) {
    return spawnSync(process.execPath, ['scripts/release-key.js', file], { cwd: project, encoding: 'utf8', input });
  }

  /** The same key, with a passphrase. */
  function lockedKey(): string {
    const file = path.join(keys, 'locked.pem');
    execFileSync('openssl', ['pkey', '-in', privateKey, '-aes256', '-passout', 'pass:a long one', '-out', file]);
    return file;
  }

  /** Which key the page and the repository name. */
  function published(): { readonly page: string; readonly key: string } {
    return {
      page: readFileSync(path.join(project, 'docs/install.md'), 'utf8'),
      key: readFileSync(path.join(project, 'release-key.pem'), 'utf8'),
    };
  }

  function fingerprint(): string {
    const der = execFileSync('openssl', ['pkey', '-pubin', '-in', publicKey, '-outform', 'DER']);
    return createHash('sha256').update(der).digest('hex');
  }

  beforeAll(() => {
    const { copy, remove } = copyProject('release');
    [project, removeProject] = [copy, remove];
    release = path.join(project, 'release');
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', privateKey]);
    execFileSync('openssl', ['pkey', '-in', privateKey, '-pubout', '-out', publicKey]);
    publishing = publishKey(privateKey);
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'all');
    const { status, stdout, stderr } = run('--key', privateKey);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    printed = stdout;
    made = NAMES.map((name) => readFileSync(path.join(release, name)));
  });
  afterAll(() => {
    removeProject();
    rmSync(keys, { recursive: true, force: true });
  });

  it('makes the package, the shell files and the bill of materials, with checksums and a signature that hold', () => {
    expect(readdirSync(release).sort()).toEqual([...NAMES, 'SHA256SUMS', 'SHA256SUMS.sig'].sort());
    expect(verified(release, publicKey)).toEqual({ sums: true, signature: true });
    expect(printed).toContain(fingerprint());
  });

  it('the first key goes to release-key.pem, and its fingerprint to the page that said that no release is signed', () => {
    expect(PAGE).toMatch(/No release is signed yet/);
    expect(publishing).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining(fingerprint()) });
    expect(published()).toEqual({
      key: readFileSync(publicKey, 'utf8'),
      page: expect.stringContaining(`Compare its fingerprint:\n\n\`\`\`text\n${fingerprint()}\n\`\`\`\n`),
    });
    expect(published().page).not.toMatch(/No release is signed yet/);
  });

  it('publishes a key that has a passphrase, which comes from stdin, again, and nothing with a wrong one', () => {
    const before = published();
    const locked = lockedKey();
    expect(publishKey(locked, 'another\n')).toMatchObject({ status: 2, stderr: expect.stringContaining('passphrase') });
    expect(published()).toEqual(before);
    expect(publishKey(locked, 'a long one\n')).toMatchObject({ status: 0, stderr: '' });
    expect(published()).toEqual(before);
  });

  it.each([...NAMES, 'SHA256SUMS', 'SHA256SUMS.sig'])('a changed byte in file %# does not pass the check', (name) => {
    const copy = path.join(keys, 'changed');
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(release, copy, { recursive: true });
    const file = path.join(copy, name);
    const bytes = readFileSync(file);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const { sums, signature } = verified(copy, publicKey);
    expect(sums && signature).toBe(false);
  });

  it.skipIf(buildsExecutables())(
    'keeps the files of an earlier release if this Node cannot build the executable',
    () => {
      const before = readdirSync(release).sort();
      const { status, stderr } = runAll('--key', privateKey);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/^The executable file needs Node/),
      });
      expect(readdirSync(release).sort()).toEqual(before);
    },
  );

  it('the signature of another key does not pass the check', () => {
    const [other, otherPublic] = [path.join(keys, 'other.pem'), path.join(keys, 'other-public.pem')];
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', other]);
    execFileSync('openssl', ['pkey', '-in', other, '-pubout', '-out', otherPublic]);
    expect(verified(release, otherPublic)).toEqual({ sums: true, signature: false });
  });

  it('the package runs, and names the commit', () => {
    const folder = path.join(keys, 'unpacked');
    mkdirSync(folder);
    execFileSync('tar', ['-xzf', path.join(release, `pit-${version}.tgz`), '-C', folder]);
    const words = [path.join(folder, 'package', 'bin', 'pit.js'), '--version', '--json'];
    expect(JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }))).toEqual({
      ...{ version, commit: git('rev-parse', 'HEAD'), node: process.versions.node, source: 'package' },
    });
  });

  it('the shell files are the completions and all manual pages', () => {
    const names = execFileSync('tar', ['-tzf', path.join(release, NAMES[1] ?? '')], { encoding: 'utf8' }).split('\n');
    const files = ['completions', 'man/man1'].flatMap((folder) =>
      readdirSync(folder).map((name) => `pit-${version}/${folder}/${name}`),
    );
    expect(names.filter((name) => name !== '' && !name.endsWith('/')).sort()).toEqual(files.sort());
  });

  it('the bill of materials lists what is bundled, with versions, licences and checksums, and no tool', () => {
    const { components, metadata } = JSON.parse(readFileSync(path.join(release, NAMES[2] ?? ''), 'utf8')) as {
      readonly components: readonly Component[];
      readonly metadata: { readonly component: { readonly properties: readonly object[] } };
    };
    expect(metadata.component.properties).toEqual([{ name: 'pit:commit', value: git('rev-parse', 'HEAD') }]);
    for (const { name, version: of, purl, licenses, hashes } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${of}`);
      expect([licenses.length, hashes.map(({ alg, content }) => [alg, content.length])]).toEqual([
        1,
        [['SHA-512', 128]],
      ]);
    }
    const names = (scope: string) => components.filter((one) => one.scope === scope).map(({ name }) => name);
    const bundled = names('required');
    expect(bundled).toEqual(expect.arrayContaining(['got', 'ws', 'lmdb', 'commander', 'valibot', '@redis/client']));
    for (const tool of ['vitest', 'rolldown', 'typescript', 'http2-wrapper']) expect(bundled).not.toContain(tool);
    for (const name of names('optional')) expect(name).toMatch(/^@(lmdb|napi-rs)\//);
    // the licence of each goes with the package
    const licences = readFileSync(path.join(project, 'dist', 'licenses.txt'), 'utf8');
    for (const { name, version: of } of components.filter(({ scope }) => scope === 'required'))
      expect(licences).toContain(`\n${name} ${of}\n`);
  });

  it.each([
    ['neither a key nor --unsigned', [], 'Give the key that signs the release, or --unsigned.'],
    ['both', ['--key', privateKey, '--unsigned'], 'Give the key that signs the release, or --unsigned.'],
    ['a missing key', ['--key', '/nowhere/key.pem'], '/nowhere/key.pem cannot be read as a private key'],
    ['a public key', ['--key', publicKey], 'cannot be read as a private key'],
    ['an unknown flag', ['--unsined'], 'Usage:'],
  ])('refuses %s, and the earlier release stays intact', (_title, words, message) => {
    const { status, stderr } = run(...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(verified(release, publicKey)).toEqual({ sums: true, signature: true });
  });

  it('signs with a key that has a passphrase, which comes from stdin, and refuses a wrong one', () => {
    const locked = lockedKey();
    const wrong = runWith('another', '--key', locked);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('its passphrase is wrong')]);
    const { status, stderr } = runWith('a long one', '--key', locked);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(verified(release, publicKey)).toEqual({ sums: true, signature: true });
  });

  it('signs with no key but the one that the repository publishes', () => {
    const other = path.join(keys, 'unpublished.pem');
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', other]);
    const { status, stderr } = run('--key', other);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^release-key\.pem and docs\/install\.md do not publish the key that signs/),
    ]);
    expect(verified(release, publicKey)).toEqual({ sums: true, signature: true });
  });

  it('refuses a key of another kind', () => {
    const key = path.join(keys, 'ec.pem');
    execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', key]);
    const { status, stderr } = run('--key', key);
    expect([status, stderr]).toEqual([2, expect.stringContaining('another kind of key than Ed25519')]);
  });

  it('refuses a tree with uncommitted changes', () => {
    const file = path.join(project, 'notes.md');
    writeFileSync(file, 'not committed\n');
    onTestFinished(() => rmSync(file));
    const { status, stderr } = run('--key', privateKey);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/uncommitted changes:\n\?\? notes\.md/)]);
  });

  it.skipIf(!buildsExecutables())(
    'adds the executable, which its Node builds, runs, and is in the checksums and the bill of materials',
    () => {
      const executable = `pit-${version}-${process.platform}-${process.arch}`;
      const { status, stderr } = runAll('--key', privateKey);
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
      expect(readdirSync(release).sort()).toEqual([executable, ...NAMES, 'SHA256SUMS', 'SHA256SUMS.sig'].sort());
      expect(verified(release, publicKey)).toEqual({ sums: true, signature: true });
      expect(readFileSync(path.join(release, 'SHA256SUMS'), 'utf8')).toContain(`  ${executable}\n`);
      const words = ['--version', '--json'];
      expect(JSON.parse(execFileSync(path.join(release, executable), words, { encoding: 'utf8' }))).toEqual({
        ...{ version, commit: git('rev-parse', 'HEAD'), node: process.versions.node, source: 'executable' },
      });
      const { components } = JSON.parse(readFileSync(path.join(release, NAMES[2] ?? ''), 'utf8')) as {
        readonly components: readonly Component[];
      };
      expect(components).toContainEqual(expect.objectContaining({ name: 'node', version: process.versions.node }));
    },
  );

  it('makes the same files again from the same commit, and says of a release without a key that it is not signed', () => {
    const { status, stderr } = run('--unsigned');
    expect([status, stderr]).toEqual([0, expect.stringContaining('UNSIGNED')]);
    expect(existsSync(path.join(release, 'SHA256SUMS.sig'))).toBe(false);
    for (const [index, name] of NAMES.entries())
      expect(readFileSync(path.join(release, name)).equals(made[index] as Buffer), name).toBe(true);
  });
});
