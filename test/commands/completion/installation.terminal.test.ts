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
import {
  applyChanges,
  completionState,
  installChanges,
  SHELLS,
  type Shell,
  uninstallChanges,
} from '../../../src/commands/completion/installation.js';
import { hasBlock, withBlock, withoutBlock } from '../../../src/commands/completion/startup-block.js';
import { asFailure } from '../../../src/errors.js';
import { ROOT } from '../../architecture/sources.js';
import { onlyPit } from '../../completions/shells.js';
import { BUILT, PIT, pitLine } from '../../support/command.js';
import { temporaryHome } from '../../support/pit.js';
import { onTerminal } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { PitHome } from '../pit-home.js';

const folder = temporaryHome();
const pit = new PitHome(path.join(folder, 'pit'));
let home = '';

beforeEach(() => {
  home = mkdtempSync(path.join(folder, 'home-'));
});

function hostOf(environment: Readonly<Record<string, string>> = {}) {
  return { environment: { HOME: home, ...environment }, self: PIT };
}

/** The text of every file below a folder. */
function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(root, name)).filter((file) => statSync(file).isFile());
  return Object.fromEntries(files.map((file) => [path.relative(root, file), readFileSync(file, 'latin1')]));
}

function script(name: string): string {
  return readFileSync(path.join(ROOT, 'completions', name), 'latin1');
}

describe('the marked lines in a startup file', () => {
  const text = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.array(fc.constantFrom('a', '\n', '# x', '>>>')).map((parts) => parts.join('')),
  );

  it('the marked lines leave no trace when they are removed, whatever the file holds', () => {
    fc.assert(
      fc.property(text, (before) => {
        const once = withBlock(before, ['one', 'two']);
        expect(hasBlock(once)).toBe(true);
        expect(withBlock(once, ['one', 'two'])).toBe(once);
        expect(withoutBlock(withBlock(once, ['three']))).toBe(before);
      }),
    );
  });

  it('keeps the lines that the user wrote below the marked ones', () => {
    expect(withoutBlock(`${withBlock('mine', ['x'])}later\n`)).toBe('mine\nlater\n');
    expect(withoutBlock(`${withBlock(null, ['x'])}later\n`)).toBe('later\n');
  });
});

describe('installing completion', () => {
  it.each(SHELLS)('installs for %s once, and uninstalls exactly that', (shell) => {
    const startup = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }[shell];
    mkdirSync(path.dirname(path.join(home, startup)), { recursive: true });
    writeFileSync(path.join(home, startup), 'alias caf\xe9=ls', 'latin1');
    chmodSync(path.join(home, startup), 0o600);
    const before = filesOf(home);
    expect(completionState(hostOf(), shell)).toMatchObject({ shell, isInstalled: false, isCurrent: false });
    applyChanges(installChanges(hostOf(), shell));
    expect(installChanges(hostOf(), shell)).toEqual([]);
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
    applyChanges(uninstallChanges(hostOf(), shell));
    expect(filesOf(home)).toEqual(before);
    expect(uninstallChanges(hostOf(), shell)).toEqual([]);
  });

  it('follows XDG_DATA_HOME, XDG_CONFIG_HOME, BASH_COMPLETION_USER_DIR and ZDOTDIR', () => {
    const places = (shell: Shell, environment: Record<string, string>) =>
      installChanges(hostOf(environment), shell).map(({ file }) => path.relative(home, file));
    const XDG_DATA_HOME = path.join(home, 'data');
    expect(places('bash', { XDG_DATA_HOME })).toEqual(['data/bash-completion/completions/pit', '.bashrc']);
    expect(places('bash', { BASH_COMPLETION_USER_DIR: home })).toEqual(['completions/pit', '.bashrc']);
    const ZDOTDIR = path.join(home, 'z');
    expect(places('zsh', { XDG_DATA_HOME, ZDOTDIR })).toEqual(['data/zsh/site-functions/_pit', 'z/.zshrc']);
    expect(places('fish', { XDG_CONFIG_HOME: path.join(home, 'c') })).toEqual(['c/fish/completions/pit.fish']);
  });

  it.each([
    ['', /^HOME is empty; nothing was changed/],
    ['here', /^HOME is not an absolute path: "here"; nothing was changed/],
    ['/nowhere/at/all', /^HOME is not an existing folder: "\/nowhere\/at\/all"/],
    [BUILT, /^HOME is not an existing folder/],
  ])('refuses HOME=%j, which is not an existing absolute folder', (HOME, says) => {
    for (const work of [installChanges, uninstallChanges])
      for (const shell of SHELLS)
        expect(() => work(hostOf({ HOME }), shell)).toThrow(
          expect.objectContaining({ kind: 'usage', message: expect.stringMatching(says) }),
        );
    expect(completionState(hostOf({ HOME }), 'fish')).toMatchObject({ isInstalled: false });
  });

  it('refuses relative paths from the environment', () => {
    for (const [shell, environment] of [
      ['bash', { XDG_DATA_HOME: 'data' }],
      ['zsh', { ZDOTDIR: 'z' }],
      ['fish', { XDG_CONFIG_HOME: '.' }],
    ] as const)
      expect(() => installChanges(hostOf(environment), shell)).toThrow(/not an absolute path/);
  });

  it('writes to the target of a linked startup file and keeps the link', () => {
    writeFileSync(path.join(home, 'dotfiles'), 'mine\n');
    symlinkSync('dotfiles', path.join(home, '.bashrc'));
    applyChanges(installChanges(hostOf(), 'bash'));
    expect(lstatSync(path.join(home, '.bashrc')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(home, 'dotfiles'), 'utf8')).toMatch(/^mine\n# >>> pit completion >>>\n\[ -r /);
    applyChanges(uninstallChanges(hostOf(), 'bash'));
    expect(readFileSync(path.join(home, 'dotfiles'), 'utf8')).toBe('mine\n');
  });

  it('updates the script of an older version', () => {
    applyChanges(installChanges(hostOf(), 'fish'));
    const file = path.join(home, '.config/fish/completions/pit.fish');
    writeFileSync(file, "# Completes pit's command lines in fish: an older one\n");
    expect(completionState(hostOf(), 'fish')).toMatchObject({ isInstalled: true, isCurrent: false });
    applyChanges(installChanges(hostOf(), 'fish'));
    expect(completionState(hostOf(), 'fish')).toMatchObject({ isCurrent: true });
  });

  it('refuses to touch files that are not from pit and damaged blocks', () => {
    const file = path.join(home, '.config/fish/completions/pit.fish');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '# of another program called pit\n');
    for (const work of [installChanges, uninstallChanges])
      expect(() => work(hostOf(), 'fish')).toThrow(/exists and is not from pit/);
    writeFileSync(path.join(home, '.bashrc'), '# >>> pit completion >>>\nwhat is this\n');
    for (const work of [installChanges, uninstallChanges])
      expect(() => work(hostOf(), 'bash')).toThrow(/only one of the two markers/);
    symlinkSync('nowhere', path.join(home, '.zshrc'));
    expect(() => installChanges(hostOf(), 'zsh')).toThrow(/links to a missing file/);
    rmSync(path.join(home, '.zshrc'));
  });

  it('advises to install pit again if the installation lacks the script, because npm ci needs a clone', () => {
    const program = path.join(home, 'bin', 'pit.js');
    mkdirSync(path.dirname(program));
    writeFileSync(program, '');
    const broken = { ...hostOf(), self: { ...PIT, arguments: [program] } };
    const hints = ['Install pit again. In a clone of the repository, run npm ci.'];
    expect(() => installChanges(broken, 'bash')).toThrow(expect.objectContaining({ kind: 'internal', hints }));
    const missing = Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
    expect(asFailure(missing)).toMatchObject({ kind: 'internal', hints });
  });
});

describe('pit completion', () => {
  it('prints the script of each shell unchanged', async () => {
    for (const [shell, name] of [
      ['bash', 'pit.bash'],
      ['zsh', '_pit'],
      ['fish', 'pit.fish'],
    ] as const)
      expect(await pit.done(`completion ${shell}`)).toBe(readFileSync(path.join(ROOT, 'completions', name), 'utf8'));
    expect((await pit.failure('completion ksh', 2)).message).toContain('bash, zsh, fish, not "ksh"');
  });

  it('asks before installing, changes nothing in a dry run, and rejects an unsupported shell', async () => {
    const environment = { HOME: home, SHELL: '/bin/bash' };
    expect((await pit.failure('completion install', 8, { environment })).hint).toContain('--yes');
    expect(await pit.json('completion install --dry-run', { environment })).toEqual({
      ...{ dryRun: true, operation: 'completion install', request: null, preview: null },
      change: [
        `Would write ${path.join(home, '.local/share/bash-completion/completions/pit')}.`,
        `Would create ${path.join(home, '.bashrc')} with marked lines.`,
      ],
    });
    expect(filesOf(home)).toEqual({});
    const error = await pit.failure('completion install', 2, { environment: { HOME: home, SHELL: '/bin/ksh' } });
    expect(error.message).toContain('/bin/ksh');
    const lost = await pit.failure('completion install bash --yes', 2, { environment: { HOME: '' } });
    expect(lost.message).toContain('HOME is empty');
  });

  it.skipIf(!requires('python3') || !requires('zsh'))(
    'installs into a real zsh, which then completes a command',
    async () => {
      const PATH = `${onlyPit(home)}:${process.env.PATH}`;
      const environment = { HOME: home, SHELL: '/bin/zsh', PIT_HOME: pit.home, PATH };
      const { screen, status } = await onTerminal({
        command: pitLine('completion', 'install'),
        steps: [{ await: 'Go on?', type: 'y\r' }],
        environment,
        columns: 200,
      });
      expect({ status, screen }).toMatchObject({ status: 0, screen: expect.stringContaining('This will create') });
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
      // the shell appends to the typed text
      expect(shell.screen).toMatch(/pit cancel-a.*fter/);
      expect(existsSync(path.join(home, '.zshrc'))).toBe(true);
    },
  );
});
