import { execFile } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { pitLine } from '../support/command.js';
import { plainEnvironment, runPit, temporaryHome } from '../support/pit.js';
import { requires } from '../support/tools.js';

const HOSTS = ['--base-url', 'http://127.0.0.1:1', '--trade-url', 'http://127.0.0.1:1'];

interface Closing {
  readonly words: readonly string[];
  readonly awaited: string;
  /** Whether the terminal is the program's own, so that the kernel sends it SIGHUP. */
  readonly controlling?: boolean;
  /** Whether the program ignores SIGHUP, as under nohup. */
  readonly ignoring?: boolean;
}

describe.skipIf(!requires('python3'))('a terminal that closes at a prompt (needs python3)', () => {
  const home = temporaryHome();
  beforeAll(async () => {
    expect(await runPit(['profile', 'add', 'x', ...HOSTS], { home })).toMatchObject({ code: 0 });
  });

  /** The exit code of the program; a signal is negative. */
  function endOf({ words, awaited, controlling = false, ignoring = false }: Closing): Promise<number> {
    const environment = { ...plainEnvironment(home), TERM: 'xterm' };
    const command = pitLine(...words);
    return new Promise((resolve, reject) => {
      const driver = path.join(import.meta.dirname, 'closed-terminal.py');
      const python = execFile('python3', [driver], (error, stdout) =>
        error ? reject(error) : resolve(Number(stdout)),
      );
      python.stdin?.end(JSON.stringify({ command, environment, controlling, ignoring, await: awaited }));
    });
  }

  it.each<[string, Closing]>([
    ['for a key', { words: ['keys', 'set', '--profile', 'x'], awaited: 'Access key' }],
    ['for a key, as its own terminal', { words: ['keys', 'set', '--profile', 'x'], awaited: 'key', controlling: true }],
    ['to confirm', { words: ['profile', 'remove', 'x'], awaited: '[y/N]' }],
    ['to confirm, as its own terminal', { words: ['profile', 'remove', 'x'], awaited: '[y/N]', controlling: true }],
  ])('ends the program by SIGHUP and without a crash: %s', async (_, closing) => {
    expect(await endOf(closing)).toBe(-1);
  });

  it('ends a program that was started to ignore SIGHUP, as under nohup, the same way', async () => {
    expect(await endOf({ words: ['profile', 'remove', 'x'], awaited: '[y/N]', ignoring: true })).toBe(-1);
  });
});
