import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import path from 'node:path';
import type { Host } from '../../platform/host.js';
import { openPrivate } from '../../platform/private-files.js';
import type { SandboxFiles } from './files.js';

/** The command line for `pit sandbox serve`. Paths are absolute, because it runs in another folder. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The state folder of a sandbox that is started in the background. */
export const BACKGROUND_VARIABLE = 'PIT_SANDBOX_BACKGROUND';

/** Seconds without a request after which a sandbox in the background stops; 0 for never. */
export const IDLE_VARIABLE = 'PIT_SANDBOX_IDLE';

/** Not inherited: a sandbox needs no credentials, and settings for one command must not stay with it for hours. */
const DROPPED = /^(NODE_.*|DEBUG|PIT_.*)$/;

/**
 * Starts the sandbox as a detached process, which outlives this one, its terminal and Ctrl-C. Its stderr goes to the sandbox's
 * log.
 */
export function startInBackground(files: SandboxFiles, host: Host, { command, args }: Launch): ChildProcess {
  const log = openPrivate(files.log, 'a');
  try {
    const child = spawn(command, args, {
      cwd: files.directory,
      detached: true,
      env: environmentFor(files, host),
      stdio: ['ignore', 'ignore', log],
      windowsHide: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

function environmentFor(files: SandboxFiles, { environment }: Host): Record<string, string | undefined> {
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !DROPPED.test(name)));
  // absolute, because the sandbox runs in another folder
  const home = environment.PIT_HOME ? { PIT_HOME: path.resolve(environment.PIT_HOME) } : {};
  const idle = environment[IDLE_VARIABLE];
  return { ...kept, ...home, [BACKGROUND_VARIABLE]: path.resolve(files.directory), [IDLE_VARIABLE]: idle };
}
