import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { copyProject, ROOT as root } from './project-copy.js';

const folder = mkdtempSync(path.join(tmpdir(), 'pit-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

/** What `npm pack` makes of a copy of the project that was never built. */
function pack(name: string): Packed & { readonly copy: string } {
  const { copy, remove } = copyProject(name);
  removals.push(remove);
  const words = ['pack', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(
    execFileSync('npm', words, {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PIT_COMMIT: commit ?? '' },
    }),
  ) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing');
  return { ...packed, copy };
}

const removals: (() => void)[] = [];
afterAll(() => {
  for (const remove of removals) remove();
});

const { commit } = versionOf(BUILT);
const packed = pack('fresh clone');
const unpacked = path.join(folder, 'package');
execFileSync('tar', ['-xzf', path.join(folder, packed.filename), '-C', folder]);

/** What needs no build by itself: read by shells, by `man` or by people. */
const TEXTS =
  /^(bin\/package\.json|completions\/(_pit|pit\.(bash|fish))|man\/man1\/pit(-[a-z-]+)?\.1|skills\/pit\/SKILL\.md|(CHANGELOG|README)\.md|LICENSE|package\.json)$/;

it('the package holds only what runs or is read, and no code that one Node has compiled', () => {
  const names = packed.files.map((file) => file.path);
  const programs = readdirSync(path.join(packed.copy, 'dist')).filter((name) => !name.startsWith('.'));
  const expected = ['bin/pit.js', ...programs.map((name) => `dist/${name}`)];
  expect(names.filter((name) => !TEXTS.test(name)).sort()).toEqual(expected.sort());
  expect(names).toEqual(
    expect.arrayContaining(['completions/_pit', 'man/man1/pit.1', 'skills/pit/SKILL.md', 'LICENSE']),
  );
});

it('the package asks npm for native libraries only, and the checkout keeps its own package.json', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const { dependencies, devDependencies, overrides, ...rest } = read(path.join(root, 'package.json'));
  expect(Object.keys(dependencies).length).toBeGreaterThan(10);
  expect(read(path.join(unpacked, 'package.json'))).toEqual(rest);
  expect(read(path.join(packed.copy, 'package.json'))).toEqual(read(path.join(root, 'package.json')));
});

it('a pack that was killed leaves scripts of which the next puts the whole package.json back, and says so', () => {
  const { copy } = packed;
  const manifest = path.join(copy, 'package.json');
  const whole = readFileSync(manifest, 'utf8');
  const node = (...words: string[]) => spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' });
  expect(node('scripts/pack.js', 'before').status).toBe(0);
  const left = JSON.parse(readFileSync(manifest, 'utf8'));
  expect({ dependencies: left.dependencies, test: left.scripts.test }).toEqual({
    test: JSON.parse(whole).scripts.test,
  });
  const { status, stderr } = node('scripts/prepare.js');
  expect({ status, stderr, text: readFileSync(manifest, 'utf8') }).toEqual({
    ...{ status: 0, stderr: 'Put package.json back: npm pack ended before it could.\n', text: whole },
  });
});

it('a pit that npm has linked to a checkout starts at any moment while the checkout is built again', async () => {
  const { copy } = packed;
  const prefix = path.join(folder, 'prefix');
  const own = { npm_config_prefix: prefix, PIT_COMMIT: commit ?? '', PIT_HOME: path.join(folder, 'home') };
  const environment = { ...process.env, ...own };
  const words = ['link', '--offline', '--no-audit', '--no-fund'];
  execFileSync('npm', words, { cwd: copy, env: environment, stdio: 'ignore' });
  const linked = path.join(prefix, 'bin', 'pit');
  let isBuilt = false;
  const building = promisify(execFile)(process.execPath, ['scripts/build.js'], { cwd: copy, env: environment });
  const built = building.finally(() => {
    isBuilt = true;
  });
  const printed = new Set<string>();
  // commands that load more than the first file
  const start = () => promisify(execFile)(linked, ['profile', 'list', '--json'], { cwd: folder, env: environment });
  do printed.add((await start()).stderr);
  while (!isBuilt);
  await built;
  await start();
  expect([...printed]).toEqual(['']);
});

it('publint finds nothing to improve in the package', async () => {
  const { messages } = await publint({ pkgDir: unpacked, pack: false, strict: true });
  expect(messages).toEqual([]);
});

/** What `pit --version --json` prints of a program. */
function versionOf(program: string): { readonly commit: string | null; readonly source: string } {
  return JSON.parse(execFileSync(process.execPath, [program, '--version', '--json'], { encoding: 'utf8' }));
}

it('--version --json in an installed package names the package as its source, and the commit', () => {
  const built = versionOf(BUILT);
  expect(built.source).toBe('checkout');
  expect(versionOf(path.join(unpacked, 'bin', 'pit.js'))).toEqual({ ...built, source: 'package' });
});

it('a second build, in another folder, makes the same package to the byte', () => {
  expect(pack('second build').integrity).toBe(packed.integrity);
});
