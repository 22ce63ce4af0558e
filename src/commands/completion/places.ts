import { homedir } from 'node:os';
import path from 'node:path';
import { shellWord } from '../../config/private.js';
import type { Host } from '../../host.js';
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
  const home = environment.HOME || homedir();
  return PLACES[shell](environment, home);
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
