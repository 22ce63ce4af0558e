import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasBlock, withBlock, withoutBlock } from '../../src/commands/completion/block.js';
import { carryOut, completionState, installing, uninstalling } from '../../src/commands/completion/changes.js';
import { SHELLS, type Shell } from '../../src/commands/completion/shells.js';
import { ROOT } from '../architecture/sources.js';
import { temporaryHome } from '../support/pit.js';
import { PIT } from '../support/program.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { Desk } from './desk.js';

const folder = temporaryHome();
const desk = new Desk(path.join(folder, 'pit'));
let home = '';

beforeEach(() => {
  home = mkdtempSync(path.join(folder, 'home-'));
});

function hostOf(environment: Readonly<Record<string, string>> = {}) {
  return { environment: { HOME: home, ...environment }, self: { command: process.execPath, arguments: [PIT] } };
}

/** Every file below a folder with its text. */
function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(root, name)).filter((file) => statSync(file).isFile());
  return Object.fromEntries(files.map((file) => [path.relative(root, file), readFileSync(file, 'latin1')]));
}

function script(name: string): string {
  return readFileSync(path.join(ROOT, 'completions', name), 'latin1');
}

describe('the marked lines', () => {
  const text = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.array(fc.constantFrom('a', '\n', '# x', '>>>')).map((parts) => parts.join('')),
  );

  it('come out again as if they had never been there, whatever the file holds', () => {
    fc.assert(
      fc.property(text, (before) => {
        const once = withBlock(before, ['one', 'two']);
        expect(hasBlock(once)).toBe(true);
        expect(withBlock(once, ['one', 'two'])).toBe(once);
        expect(withoutBlock(withBlock(once, ['three']))).toBe(before);
      }),
    );
  });

  it('leave what was written below them', () => {
    expect(withoutBlock(`${withBlock('mine', ['x'])}later\n`)).toBe('mine\nlater\n');
    expect(withoutBlock(`${withBlock(null, ['x'])}later\n`)).toBe('later\n');
  });
});

describe('installing', () => {
  it.each(SHELLS)('puts what %s needs where it looks, once, and takes out exactly that', (shell) => {
    const startup = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }[shell];
    mkdirSync(path.dirname(path.join(home, startup)), { recursive: true });
    writeFileSync(path.join(home, startup), 'alias caf\xe9=ls', 'latin1');
    chmodSync(path.join(home, startup), 0o600);
    const before = filesOf(home);
    expect(completionState(hostOf(), shell)).toMatchObject({ shell, isInstalled: false, isCurrent: false });
    carryOut(installing(hostOf(), shell));
    expect(installing(hostOf(), shell)).toEqual([]);
    expect(completionState(hostOf(), shell)).toMatchObject({ isInstalled: true, isCurrent: true });
    const name = {
      bash: ['.local/share/bash-completion/completions/pit', 'pit.bash'],
      zsh: ['.local/share/zsh/site-functions/_pit', '_pit'],
      fish: ['.config/fish/completions/pit.fish', 'pit.fish'],
    }[shell];
    const { [name[0] ?? '']: installed, ...others } = filesOf(home);
    expect(installed).toBe(script(name[1] ?? ''));
    expect(others[startup]?.startsWith(before[startup] ?? '')).toBe(true);
    expect(statSync(path.join(home, startup)).mode & 0o777).toBe(0o600);
    carryOut(uninstalling(hostOf(), shell));
    expect(filesOf(home)).toEqual(before);
    expect(uninstalling(hostOf(), shell)).toEqual([]);
  });

  it('goes where the environment says', () => {
    const places = (shell: Shell, environment: Record<string, string>) =>
      installing(hostOf(environment), shell).map(({ file }) => path.relative(home, file));
    const XDG_DATA_HOME = path.join(home, 'data');
    expect(places('bash', { XDG_DATA_HOME })).toEqual(['data/bash-completion/completions/pit', '.bashrc']);
    expect(places('bash', { BASH_COMPLETION_USER_DIR: home })).toEqual(['completions/pit', '.bashrc']);
    const ZDOTDIR = path.join(home, 'z');
    expect(places('zsh', { XDG_DATA_HOME, ZDOTDIR })).toEqual(['data/zsh/site-functions/_pit', 'z/.zshrc']);
    expect(places('fish', { XDG_CONFIG_HOME: path.join(home, 'c') })).toEqual(['c/fish/completions/pit.fish']);
  });

  it.each([
    ['', /^HOME is empty; nothing was changed/],
    ['here', /^HOME is "here", which is no absolute path/],
    ['/nowhere/at/all', /^HOME is "\/nowhere\/at\/all", and there is no such folder/],
    [PIT, /and there is no such folder/],
  ])('needs a home that is there, which %j is not', (HOME, says) => {
    for (const work of [installing, uninstalling])
      for (const shell of SHELLS)
        expect(() => work(hostOf({ HOME }), shell)).toThrow(
          expect.objectContaining({ kind: 'usage', message: expect.stringMatching(says) }),
        );
    expect(completionState(hostOf({ HOME }), 'fish')).toMatchObject({ isInstalled: false });
  });

  it('goes nowhere that depends on the current folder', () => {
    for (const [shell, environment] of [
      ['bash', { XDG_DATA_HOME: 'data' }],
      ['zsh', { ZDOTDIR: 'z' }],
      ['fish', { XDG_CONFIG_HOME: '.' }],
    ] as const)
      expect(() => installing(hostOf(environment), shell)).toThrow(/no absolute path/);
  });

  it('writes through a link, as those who keep their files elsewhere have it', () => {
    writeFileSync(path.join(home, 'dotfiles'), 'mine\n');
    symlinkSync('dotfiles', path.join(home, '.bashrc'));
    carryOut(installing(hostOf(), 'bash'));
    expect(lstatSync(path.join(home, '.bashrc')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(home, 'dotfiles'), 'utf8')).toMatch(/^mine\n# >>> pit completion >>>\n\[ -r /);
    carryOut(uninstalling(hostOf(), 'bash'));
    expect(readFileSync(path.join(home, 'dotfiles'), 'utf8')).toBe('mine\n');
  });

  it('brings an older version of its own up to date', () => {
    carryOut(installing(hostOf(), 'fish'));
    const file = path.join(home, '.config/fish/completions/pit.fish');
    writeFileSync(file, "# Completes pit's command lines in fish: an older one\n");
    expect(completionState(hostOf(), 'fish')).toMatchObject({ isInstalled: true, isCurrent: false });
    carryOut(installing(hostOf(), 'fish'));
    expect(completionState(hostOf(), 'fish')).toMatchObject({ isCurrent: true });
  });

  it("refuses what is not pit's, and changes nothing", () => {
    const file = path.join(home, '.config/fish/completions/pit.fish');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '# of another program called pit\n');
    for (const work of [installing, uninstalling])
      expect(() => work(hostOf(), 'fish')).toThrow(/is there, and is not pit's/);
    writeFileSync(path.join(home, '.bashrc'), '# >>> pit completion >>>\nwhat is this\n');
    for (const work of [installing, uninstalling])
      expect(() => work(hostOf(), 'bash')).toThrow(/one of pit's two marks without the other/);
    symlinkSync('nowhere', path.join(home, '.zshrc'));
    expect(() => installing(hostOf(), 'zsh')).toThrow(/links to a file that is not there/);
    rmSync(path.join(home, '.zshrc'));
  });
});

describe('pit completion', () => {
  it('prints each script as it is', async () => {
    for (const [shell, name] of [
      ['bash', 'pit.bash'],
      ['zsh', '_pit'],
      ['fish', 'pit.fish'],
    ] as const)
      expect(await desk.done(`completion ${shell}`)).toBe(readFileSync(path.join(ROOT, 'completions', name), 'utf8'));
    expect((await desk.failure('completion ksh', 2)).hint).toContain('bash, zsh, fish');
  });

  it('asks before it installs, changes nothing in a dry run, and tells of a shell that it does not know', async () => {
    const environment = { HOME: home, SHELL: '/bin/bash' };
    expect((await desk.failure('completion install', 8, { environment })).hint).toContain('--yes');
    expect(await desk.json('completion install --dry-run', { environment })).toEqual({
      ...{ dryRun: true, operation: 'completion install', request: null, preview: null },
      change: [
        `Would write ${path.join(home, '.local/share/bash-completion/completions/pit')}.`,
        `Would make ${path.join(home, '.bashrc')} with marked lines.`,
      ],
    });
    expect(filesOf(home)).toEqual({});
    const told = await desk.failure('completion install', 2, { environment: { HOME: home, SHELL: '/bin/ksh' } });
    expect(told.message).toContain('/bin/ksh');
    const lost = await desk.failure('completion install bash --yes', 2, { environment: { HOME: '' } });
    expect(lost.message).toContain('HOME is empty');
  });

  it.skipIf(!requires('python3') || !requires('zsh'))('installs into a shell that then completes', async () => {
    const environment = { HOME: home, SHELL: '/bin/zsh', PIT_HOME: desk.home };
    const { screen, status } = await onTerminal({
      command: [process.execPath, PIT, 'completion', 'install'],
      steps: [{ await: 'Go on?', type: 'y\r' }],
      environment,
      columns: 200,
    });
    expect({ status, screen }).toMatchObject({ status: 0, screen: expect.stringContaining('This will make') });
    const shell = await onTerminal({
      command: ['zsh', '-i'],
      steps: [
        { await: '', type: "PS1='no''w> '\n" },
        { await: 'now> ', type: 'pit cancel-a\t' },
        { await: 'fter', type: '\x15exit\n' },
      ],
      environment,
      columns: 200,
    });
    // the shell adds to what is typed
    expect(shell.screen).toMatch(/pit cancel-a.*fter/);
    expect(existsSync(path.join(home, '.zshrc'))).toBe(true);
  });
});
