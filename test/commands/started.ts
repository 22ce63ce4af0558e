import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { PIT } from '../support/command.js';
import { plainEnvironment, type Ran } from '../support/pit.js';
import type { PitHome } from './pit-home.js';

/** The real program while it runs. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves when the output matches; rejects if the program ends before. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ran>;
}

/** Starts pit with pipes; kills it if the test ends first. */
export function start(pit: PitHome, words: readonly string[]): Started {
  const child = spawn(PIT.command, [...PIT.arguments, ...words], { env: plainEnvironment(pit.home) });
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      for (const check of waiting) check();
    });
  }
  const ended = new Promise<Ran>((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...texts })));
  onTestFinished(() => void child.kill('SIGKILL'));
  const until = (stream: 'stdout' | 'stderr', pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => (pattern.test(texts[stream]) ? resolve() : undefined);
      waiting.add(check);
      check();
      ended.then(() => reject(new Error(`it ended: ${JSON.stringify(texts)}`)));
    });
  return { child, until, ended };
}
