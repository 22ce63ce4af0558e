import fs from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type Failure, quoted, shellWord, suggest, systemErrorCode, usage } from '../../errors.js';
import { readBounded } from '../../platform/files/bounded-file.js';
import { cannotWrite } from '../../platform/files/private-files.js';
import { replaceFile } from '../../platform/files/replacement.js';
import type { Host } from '../../platform/host.js';
import { installedText } from '../../platform/installation.js';
import { hasBlock, hasSingleMarker, withBlock, withoutBlock } from './startup-block.js';

/** The script of each shell in the package's folder `completions`. */
const SCRIPTS = { bash: 'pit.bash', zsh: '_pit', fish: 'pit.fish' } as const;

/** More than any script or startup file has. */
const MAX_BYTES = 16 * 2 ** 20;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

type Environment = Host['environment'];

/** The shell that was named, or else the user's own. Throws Failure `usage` if that is not a supported one. */
export function shellToUse({ environment }: Pick<Host, 'environment'>, requested: Shell | undefined): Shell {
  const userShell = path.basename(environment.SHELL ?? '');
  const shell = requested ?? SHELLS.find((supported) => supported === userShell);
  if (shell !== undefined) return shell;
  const found = environment.SHELL ? `SHELL is ${quoted(environment.SHELL)}` : 'SHELL is not set';
  throw usage(`${found}, and no shell was named.`, [
    `Name one of ${SHELLS.join(', ')}.`,
    suggest('For example', 'completion', 'install', 'bash'),
  ]);
}

/** The completion script of a shell. Throws Failure `internal` if the installation lacks it. */
export function scriptText(host: Pick<Host, 'self'>, shell: Shell): string {
  return installedText(host, `completions/${SCRIPTS[shell]}`);
}

/** A file to be written or removed. */
export interface FileChange {
  readonly file: string;
  /** As in `write /home/me/file`. */
  readonly action: string;
  /** Null removes the file. */
  readonly text: string | null;
}

/**
 * The changes that install the completion of a shell; none if it is installed.
 *
 * @throws Failure `usage` if another file is in the way, a block is damaged, or the home folder is uncertain
 */
export function installChanges(host: Pick<Host, 'environment' | 'self'>, shell: Shell): FileChange[] {
  const { script, startup } = requireLocations(shell, host.environment);
  const wanted = asBytes(scriptText(host, shell));
  const found = readOwn(script);
  requireOurs(script, found);
  const changes = found === wanted ? [] : [{ file: script, action: `write ${script}`, text: wanted }];
  if (startup === null) return changes;
  const { file } = startup;
  const before = readStartup(file);
  const text = withBlock(before, startup.lines.map(asBytes));
  const action = before === null ? `create ${file} with marked lines` : `add marked lines to ${file}`;
  return text === before ? changes : [...changes, { file, action, text }];
}

/** The changes that undo {@link installChanges}, and nothing else. Throws the same. */
export function uninstallChanges({ environment }: Pick<Host, 'environment'>, shell: Shell): FileChange[] {
  const { script, startup } = requireLocations(shell, environment);
  const found = readOwn(script);
  requireOurs(script, found);
  const changes: FileChange[] = found === null ? [] : [{ file: script, action: `remove ${script}`, text: null }];
  const before = startup === null ? null : readStartup(startup.file);
  if (startup === null || before === null || !hasBlock(before)) return changes;
  // the lines first, or a shell that starts in between would source a missing script
  const { file } = startup;
  return [{ file, action: `remove pit's marked lines from ${file}`, text: withoutBlock(before) }, ...changes];
}

/** Writes the files, and removes those without a text. Throws Failure `usage` for a file that cannot be changed. */
export function applyChanges(changes: readonly FileChange[]): void {
  for (const { file, text } of changes) {
    if (text === null) removeOwn(file);
    else writeOwn(file, text);
  }
}

/** Whether the completion of a shell is installed, and whether by this version. Never throws. */
export function completionState(host: Pick<Host, 'environment' | 'self'>, shell: Shell) {
  const { script, startup } = locationsOf(shell, host.environment);
  const text = tryRead(() => readOwn(script));
  const isSourced = startup === null || hasBlock(tryRead(() => readOwn(startup.file)) ?? '');
  const isInstalled = text !== null && isOurs(text) && isSourced;
  const isCurrent = isInstalled && tryRead(() => asBytes(scriptText(host, shell))) === text;
  return { shell, script, isInstalled, isCurrent };
}

function tryRead(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Whether some version of pit wrote a script. */
function isOurs(text: string): boolean {
  return /^# Completes pit's command lines in (?:bash|zsh|fish)\b/m.test(text);
}

function requireOurs(file: string, text: string | null): void {
  if (text === null || text === '' || isOurs(text)) return;
  throw usage(`${file} exists and is not from pit.`, 'Move it away and run this again; nothing was changed.');
}

function readStartup(file: string): string | null {
  const text = readOwn(file);
  if (text === null || !hasSingleMarker(text)) return text;
  throw usage(
    `${file} has only one of the two markers around pit's lines.`,
    'Remove the "pit completion" marker and its lines from the file and run this again; nothing was changed.',
  );
}

interface Locations {
  readonly script: string;
  /** The startup file that must load the script, with the lines to add; null if the shell finds the script by itself. */
  readonly startup: { readonly file: string; readonly lines: readonly string[] } | null;
}

const LOCATIONS: Readonly<Record<Shell, (environment: Environment, home: string) => Locations>> = {
  bash: (environment, home) => {
    const { BASH_COMPLETION_USER_DIR: userFolder } = environment;
    const folder = userFolder || path.join(dataHome(environment, home), 'bash-completion');
    // bash-completion finds the script by its name; the line in the startup file serves a bash without it
    return sourced(path.join(folder, 'completions', 'pit'), path.join(home, '.bashrc'));
  },
  zsh: (environment, home) => {
    const script = path.join(dataHome(environment, home), 'zsh', 'site-functions', '_pit');
    return sourced(script, path.join(environment.ZDOTDIR || home, '.zshrc'));
  },
  fish: (environment, home) => {
    const folder = environment.XDG_CONFIG_HOME || path.join(home, '.config');
    return { script: path.join(folder, 'fish', 'completions', 'pit.fish'), startup: null };
  },
};

function sourced(script: string, startupFile: string): Locations {
  const word = shellWord(script);
  return { script, startup: { file: startupFile, lines: [`[ -r ${word} ] && . ${word}`] } };
}

function dataHome({ XDG_DATA_HOME }: Environment, home: string): string {
  return XDG_DATA_HOME || path.join(home, '.local', 'share');
}

function locationsOf(shell: Shell, environment: Environment): Locations {
  return LOCATIONS[shell](environment, homeOf(environment));
}

/**
 * The same, safe to write to: every path is absolute and the home folder exists. Throws Failure `usage`.
 */
function requireLocations(shell: Shell, environment: Environment): Locations {
  const home = homeOf(environment);
  if (home === '') throw badHome('HOME is empty');
  if (!path.isAbsolute(home)) throw badHome(`HOME is not an absolute path: ${quoted(home)}`);
  if (!isFolder(home)) throw badHome(`HOME is not an existing folder: ${quoted(home)}`);
  const locations = locationsOf(shell, environment);
  for (const file of [locations.script, locations.startup?.file ?? home])
    if (!path.isAbsolute(file))
      throw usage(
        `The completion for ${shell} would go to ${quoted(file)}, which is not an absolute path; nothing was changed.`,
        'Unset XDG_DATA_HOME, XDG_CONFIG_HOME, BASH_COMPLETION_USER_DIR and ZDOTDIR, or make them absolute paths.',
      );
  return locations;
}

/** An empty HOME is not an unset one: the shell takes it as it is. */
function homeOf({ HOME = homedir() }: Environment): string {
  return HOME;
}

function isFolder(name: string): boolean {
  try {
    return fs.statSync(name).isDirectory();
  } catch {
    return false;
  }
}

function badHome(what: string): Failure {
  return usage(`${what}; nothing was changed.`, 'Set HOME to your home folder, as in HOME=/home/me.');
}

/** For a new file; an existing one keeps its mode. */
const NEW_FILE_MODE = 0o644;

/**
 * The bytes of a file of the user as Latin-1 characters, so that text in any encoding is written back unchanged; null if
 * there is no file. Throws Failure `usage` if it cannot be read or is a broken link.
 */
function readOwn(file: string): string | null {
  try {
    return readBounded(file, MAX_BYTES).toString('latin1');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT' && !isLink(file)) return null;
    const why = systemErrorCode(thrown) === 'ENOENT' ? 'it links to a missing file' : systemErrorCode(thrown);
    throw usage(`${file} cannot be read (${why}).`, 'Fix or move it and run this again; nothing was changed.');
  }
}

/** Replaces a file in one step, or the target of a link. Throws Failure `usage`. */
function writeOwn(file: string, text: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
    const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode ?? NEW_FILE_MODE;
    replaceFile(target, Buffer.from(text, 'latin1'), { mode });
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  }
}

function removeOwn(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  }
}

/** UTF-8 text in the form of {@link readOwn}. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function isLink(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
