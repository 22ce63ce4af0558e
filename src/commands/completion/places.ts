import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { shellWord } from '../../config/private.js';
import { quoted, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Shell } from './shells.js';

/** Where a shell looks. */
export interface Places {
  /** The file of the script. */
  readonly script: string;
  /** The user's own file that names it, and with which lines; null where the shell finds the script by itself. */
  readonly startup: { readonly file: string; readonly lines: readonly string[] } | null;
}

type Environment = Host['environment'];

export function placesOf(shell: Shell, environment: Environment): Places {
  return PLACES[shell](environment, homeOf(environment));
}

/**
 * The same before something is written or removed there: no shell looks below the current folder, or below one that this
 * would make. Throws Failure `usage` where the home folder is not one, or another variable leads to no certain place.
 */
export function certainPlaces(shell: Shell, environment: Environment): Places {
  const home = homeOf(environment);
  if (home === '') throw noHome('HOME is empty');
  if (!path.isAbsolute(home)) throw noHome(`HOME is ${quoted(home)}, which is no absolute path`);
  if (!isFolder(home)) throw noHome(`HOME is ${quoted(home)}, and there is no such folder`);
  const places = PLACES[shell](environment, home);
  for (const file of [places.script, places.startup?.file ?? home])
    if (!path.isAbsolute(file))
      throw usage(
        `The completion for ${shell} would go to ${quoted(file)}, which is no absolute path; nothing was changed.`,
        'Unset XDG_DATA_HOME, XDG_CONFIG_HOME, BASH_COMPLETION_USER_DIR and ZDOTDIR, or give them absolute paths.',
      );
  return places;
}

/** Set and empty is not unset: the shell itself would take it as it is. */
function homeOf({ HOME = homedir() }: Environment): string {
  return HOME;
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}

function noHome(what: string) {
  return usage(`${what}; nothing was changed.`, 'Set HOME to your home folder, as in HOME=/home/me.');
}

const PLACES: Readonly<Record<Shell, (environment: Environment, home: string) => Places>> = {
  bash: (environment, home) => {
    const { BASH_COMPLETION_USER_DIR: own } = environment;
    const folder = own || path.join(dataHome(environment, home), 'bash-completion');
    const script = path.join(folder, 'completions', 'pit');
    const word = shellWord(script);
    // bash-completion finds the script by its name; this is for a bash without it
    return { script, startup: { file: path.join(home, '.bashrc'), lines: [`[ -r ${word} ] && . ${word}`] } };
  },
  zsh: (environment, home) => {
    const folder = path.join(dataHome(environment, home), 'zsh', 'site-functions');
    const lines = [
      `fpath=(${shellWord(folder)} $fpath)`,
      // without -i it asks at each start about folders that others may write to
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }',
      'autoload -Uz _pit && compdef _pit pit',
    ];
    const file = path.join(environment.ZDOTDIR || home, '.zshrc');
    return { script: path.join(folder, '_pit'), startup: { file, lines } };
  },
  fish: (environment, home) => {
    const folder = environment.XDG_CONFIG_HOME || path.join(home, '.config');
    return { script: path.join(folder, 'fish', 'completions', 'pit.fish'), startup: null };
  },
};

function dataHome({ XDG_DATA_HOME }: Environment, home: string): string {
  return XDG_DATA_HOME || path.join(home, '.local', 'share');
}
