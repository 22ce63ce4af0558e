import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import path from 'node:path';
import type { Host } from '../../platform/host.js';
import { openPrivate } from '../disk.js';
import type { SandboxFiles } from './files.js';

/** How pit itself is started so that it runs `pit sandbox serve`. Paths are absolute: it starts in another folder. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** Tells `pit sandbox serve` that it was started in the background, and in which folder its state is. */
export const BACKGROUND_VARIABLE = 'PIT_SANDBOX_BACKGROUND';

/** Seconds without a request after which a sandbox in the background stops; 0 is never. */
export const IDLE_VARIABLE = 'PIT_SANDBOX_IDLE';

/** A sandbox needs no credentials, and nothing of what a developer set for one command should stay with it for hours. */
const DROPPED = /^(NODE_.*|DEBUG|PIT_.*)$/;

/**
 * Starts the sandbox as a process of its own, which outlives this one, its terminal and Ctrl-C. Its errors go to the
 * sandbox's log; there is nothing on stdin and stdout.
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
  // made absolute: a relative one would be read against the folder that the sandbox runs in
  const home = environment.PIT_HOME ? { PIT_HOME: path.resolve(environment.PIT_HOME) } : {};
  const idle = environment[IDLE_VARIABLE];
  return { ...kept, ...home, [BACKGROUND_VARIABLE]: path.resolve(files.directory), [IDLE_VARIABLE]: idle };
}
