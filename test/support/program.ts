import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { afterFile } from './after-file.js';
import { PIT } from './command.js';
import { plainEnvironment, type Ran, type RunOptions, type ServedSandbox, sandboxEnvironment } from './pit.js';

interface ProgramOptions extends Pick<RunOptions, 'home' | 'environment' | 'input'> {
  /** Another copy of the program. */
  readonly program?: string;
}

/**
 * Runs the program in its own process, with pipes, and returns its output and how it ended. For tests of
 * what only a process has: signals, races between processes, start-up, the runtime's own variables. Others use `runPit`.
 */
export function runProgram(
  words: readonly string[],
  { home, environment = {}, input = '', program }: ProgramOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const { command, arguments: first } =
      program === undefined ? PIT : { command: process.execPath, arguments: [program] };
    const child = spawn(command, [...first, ...words], { env: plainEnvironment(home, environment) });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...texts }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** `pit sandbox serve --port 0` in its own process, ended after the test file. */
export async function serveSandboxProgram(
  home: string,
  words: readonly string[] = ['--no-limits'],
  port = '0',
): Promise<ServedSandbox & { readonly child: ChildProcess }> {
  const child = spawn(PIT.command, [...PIT.arguments, 'sandbox', 'serve', '--port', port, ...words], {
    env: plainEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterFile(() => ended(child));
  for await (const line of createInterface({ input: child.stdout })) {
    const address = JSON.parse(line) as SandboxAddress;
    return { address, child, environment: sandboxEnvironment(address) };
  }
  throw new Error('the sandbox ended without a word');
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
