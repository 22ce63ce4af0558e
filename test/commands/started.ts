import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { plainEnvironment, type Ran } from '../support/pit.js';
import { PIT } from '../support/program.js';
import type { PitHome } from './pit-home.js';

/** The real program while it runs. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves when that much has come; rejects where the program ends before. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ran>;
}

/** Starts pit in a pipe; it is killed where the test ends before it does. */
export function start(pit: PitHome, words: readonly string[]): Started {
  const child = spawn(process.execPath, [PIT, ...words], { env: plainEnvironment(pit.home) });
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ran>((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...texts })));
  onTestFinished(() => void child.kill('SIGKILL'));
  const until = (stream: 'stdout' | 'stderr', pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (pattern.test(texts[stream]) ? resolve() : undefined);
      waiting.add(look);
      look();
      ended.then(() => reject(new Error(`it ended: ${JSON.stringify(texts)}`)));
    });
  return { child, until, ended };
}
