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

/** Numbers from 0 to below 1 that a seed decides: a linear congruence, as good as it needs to be here. */
export function random(seed: number): () => number {
  let state = BigInt(seed) & 0xffff_ffffn;
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
}
