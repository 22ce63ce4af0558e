import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { PIT } from '../../support/command.js';

export interface ServedProcess {
  readonly child: ChildProcess;
  readonly address: SandboxAddress;
}

/** `pit sandbox serve` in its own process, without limits by default; works outside of a test runner too. */
export async function serveProcess(home: string, words: readonly string[] = ['--no-limits']): Promise<ServedProcess> {
  const { PATH = '' } = process.env;
  const child = spawn(PIT.command, [...PIT.arguments, 'sandbox', 'serve', '--port', '0', ...words], {
    env: { PATH, PIT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, address: JSON.parse(line) as SandboxAddress };
  }
  throw new Error('the sandbox did not start: its data may be out of balance');
}

/** Ends it without a chance to clean up, and waits for the end. */
export async function killProcess({ child }: ServedProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
