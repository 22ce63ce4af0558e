import fs from 'node:fs';
import path from 'node:path';
import { Failure, quoted, suggest, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';

/** The shells that pit completes in, with the script of each in the package's `completions`. */
export const SCRIPTS = { bash: 'pit.bash', zsh: '_pit', fish: 'pit.fish' } as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** The shell that was named, or the user's own. Throws Failure `usage` for one that pit does not complete in. */
export function shellMeant({ environment }: Pick<Host, 'environment'>, named: Shell | undefined): Shell {
  const own = named ?? ownShell(environment.SHELL);
  if (own !== undefined) return own;
  const found = environment.SHELL ? `SHELL is ${quoted(environment.SHELL)}` : 'SHELL is not set';
  throw usage(`${found}, and no shell was named.`, [
    `Name one of ${SHELLS.join(', ')}.`,
    suggest('For instance', 'completion', 'install', 'bash'),
  ]);
}

function ownShell(program: string | undefined): Shell | undefined {
  const name = path.basename(program ?? '');
  return SHELLS.find((shell) => shell === name);
}

/** The script that completes pit's command lines in a shell. Throws Failure `internal` where the package lacks it. */
export function scriptText({ self }: Pick<Host, 'self'>, shell: Shell): string {
  try {
    const program = fs.realpathSync(self.arguments[0] ?? '');
    return fs.readFileSync(path.join(path.dirname(program), '..', 'completions', SCRIPTS[shell]), 'utf8');
  } catch (cause) {
    const hint = 'Install it again, in its own folder: npm ci';
    throw new Failure('internal', `The completion script for ${shell} is not where pit is installed.`, { hint, cause });
  }
}

/** Whether a file is one that pit put there, in this version or another. */
export function isOurs(text: string): boolean {
  return /^# Completes pit's command lines in (?:bash|zsh|fish)\b/m.test(text);
}
