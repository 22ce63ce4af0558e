import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plainEnvironment, temporaryHome } from '../support/pit.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const buildsBinaries = major > 25 || (major === 25 && minor >= 5);
const root = path.resolve(import.meta.dirname, '../..');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!buildsBinaries)('the single file of npm run build:binary', () => {
  const home = temporaryHome();
  /** What holds the file, as a folder of the PATH does. */
  const folder = temporaryHome();
  const binary = path.join(folder, 'pit');
  const temporary = path.join(folder, 'temporary files');
  const elsewhere = path.join(folder, 'elsewhere');

  beforeAll(() => {
    // the one that was built already, as .ci/run does
    const built = process.env.PIT_BIN ?? '';
    if (built !== '' && infoOf(path.resolve(built)).source === 'executable') cpSync(path.resolve(built), binary);
    else execFileSync(process.execPath, ['scripts/build-binary.js', binary], { cwd: root });
    for (const one of [temporary, elsewhere]) mkdirSync(one);
  }, 120_000);

  afterEach(async () => {
    await run(['sandbox', 'stop']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  function infoOf(program: string): { readonly source?: string; readonly node?: string } {
    return JSON.parse(
      execFileSync(program, ['--version', '--json'], { encoding: 'utf8', env: plainEnvironment(home) }),
    );
  }

  /** Runs the file by its name, found on the PATH, from another folder. */
  function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const env = { ...plainEnvironment(home), PATH: folder, TMPDIR: temporary, ...environment };
    return new Promise((resolve, reject) => {
      const child = spawn('pit', words, { cwd: elsewhere, env });
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          texts[name] += text;
        });
      child.on('error', reject).on('close', (code) => resolve({ code, ...texts }));
    });
  }

  it('holds Node, help, completions, and what a trade and the sandbox need, and leaves nothing behind', async () => {
    expect(infoOf(binary)).toMatchObject({ source: 'executable', node: process.versions.node });
    expect((await run(['--help'])).stdout).toContain('Usage: pit');
    for (const shell of ['bash', 'zsh', 'fish']) expect((await run(['completion', shell])).stdout).toContain('pit');
    expect((await run(['__complete', 'pit tick'])).stdout).toContain('ticker');
    const order = 'order buy btc_usdt 0.01 --at 20000 --override price-band --yes --json'.split(' ');
    const { code, stdout, stderr } = await run(order);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'placed' });
  });

  it('runs through a link, and takes nothing that lies beside it', async () => {
    const linked = path.join(folder, 'linked');
    mkdirSync(path.join(elsewhere, 'node_modules/@napi-rs/keyring'), { recursive: true });
    for (const place of ['main.cjs', 'help.txt', 'node_modules/@napi-rs/keyring/index.js'])
      writeFileSync(path.join(elsewhere, place), 'throw new Error("from beside it")');
    mkdirSync(linked);
    symlinkSync(binary, path.join(linked, 'pit'));
    const { code, stderr } = await run(['depth', 'btc_usdt'], { PATH: linked });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Started the sandbox exchange') });
  });

  it('starts one sandbox if two first commands run at once', async () => {
    const ended = await Promise.all([run(['depth', 'btc_usdt']), run(['depth', 'btc_usdt'])]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(ended.filter(({ stderr }) => stderr.includes('Started the sandbox')).length).toBe(1);
  });

  it('writes its libraries to no folder in which others can replace them', async () => {
    const shared = path.join(folder, 'shared');
    const cache = path.join(home, 'cache');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect((await run(['depth', 'btc_usdt'], { TMPDIR: shared })).code).toBe(0);
    await run(['sandbox', 'stop']);
    expect(existsSync(cache)).toBe(true);
    chmodSync(cache, 0o777);
    const { code, stderr } = await run(['depth', 'btc_usdt'], { TMPDIR: shared });
    chmodSync(cache, 0o700);
    const open = [shared, cache].map((one) => `${one} is open to other users (mode 777).`).join(' ');
    const library = `@lmdb/lmdb-${process.platform}-${process.arch}`;
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: [
        `pit: The sandbox did not start: ${library}, a part of pit, cannot be loaded from any folder. ${open}`,
        '→ Set TMPDIR to a folder that only you can write to, and from which programs may be run.',
        '',
      ].join('\n'),
    });
  });
});
