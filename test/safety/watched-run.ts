import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PIT } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { filesBelow } from './leaks.js';

/** The only file that may hold keys. */
const KEY_STORE = /\/config\/keys\//;

export interface Watched {
  readonly code: number | null;
  /** Everything that the run left readable, by its place. */
  readonly left: Readonly<Record<string, string>>;
}

export interface WatchedRun {
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs pit in its own folder and gathers its output, its files and its entry in the list of processes. */
export function watch(words: readonly string[], { home, environment = {}, input = '' }: WatchedRun): Promise<Watched> {
  const cwd = path.join(home, 'cwd');
  mkdirSync(cwd, { recursive: true });
  return new Promise((resolve, reject) => {
    const child = spawn(PIT.command, [...PIT.arguments, ...words], { cwd, env: plainEnvironment(home, environment) });
    const left: Record<string, string> = { stdout: '', stderr: '', processes: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        left[name] += text;
        left.processes += commandLine(child.pid);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, left: { ...left, ...filesBelow(home, KEY_STORE) } }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    left.processes += commandLine(child.pid);
  });
}

/** What `ps` would show of a process; empty without /proc. */
function commandLine(pid: number | undefined): string {
  if (pid === undefined) return '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
