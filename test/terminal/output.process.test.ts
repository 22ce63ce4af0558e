import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdtempSync, openSync, read, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { built } from './programs.js';

describe('a program with an answer, in a process of its own', () => {
  let program = '';
  beforeAll(async () => {
    program = await built('answer');
  });

  it('ends without an error when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [program, '200000'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
  });

  it('writes all of a long answer to a slow reader', async () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, '200000'], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    expect(stdout.split('\n').length).toBe(200001);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'all written\n' });
  });

  it.skipIf(!existsSync('/dev/full'))('reports a full disk (needs /dev/full)', () => {
    const full = openSync('/dev/full', 'w');
    const { stderr, status } = spawnSync(process.execPath, [program, '10'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(
      /^pit: Cannot write to stdout: no space is left \(ENOSPC\)\.\n→ Redirect the output elsewhere/,
    );
    expect(status).toBe(1);
  });

  it('works with a closed stderr', () => {
    const { status } = spawnSync('/bin/sh', ['-c', '"$0" "$1" 10 2>&- >/dev/null', process.execPath, program]);
    expect(status).toBe(0);
  });

  /** Runs a line of the shell in which `pit` is the program: Node itself gives a process no pipes, but sockets. */
  const shell = (line: string, environment: Readonly<Record<string, string>> = {}) => {
    const script = `pit() { "$0" "$PROGRAM" "$@"; }; ${line}`;
    const env = { ...process.env, ...environment, PROGRAM: program };
    const options = { encoding: 'utf8', env, maxBuffer: 1 << 26 } as const;
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath], options);
    return { stdout, stderr };
  };
  /** So many lines are 2 MB, far more than a pipe holds. */
  const LONG = 200_000;

  it('loses nothing of 10 MB in a pipe whose reader begins late', () => {
    const count = 1_000_000;
    const { stdout, stderr } = shell(`{ pit ${count}; echo "exit $?" >&2; } | { sleep 1; cat; }`);
    expect(stdout).toBe(`${Array.from({ length: count }, (_, index) => `line ${index}`).join('\n')}\n`);
    expect(stderr).toBe('all written\nexit 0\n');
  });

  it('ends without an error when the reader of a pipe has left', () => {
    expect(shell(`{ pit ${LONG}; echo "exit $?" >&2; } | head -n 1`)).toEqual({
      stdout: 'line 0\n',
      stderr: 'exit 0\n',
    });
    expect(shell('{ sleep 1; pit 1; echo "exit $?" >&2; } | :')).toEqual({ stdout: '', stderr: 'exit 0\n' });
  });

  it.skipIf(process.platform !== 'linux')('leaves a pipe that it shares as it was', () => {
    const flags = `"$0" -p 'require("fs").readFileSync("/proc/self/fdinfo/3", "utf8").match(/flags.*/)[0]' >&2`;
    const { stderr } = shell(`{ ${flags} 3>&1; pit 3; ${flags} 3>&1; } | cat`);
    const [before, , after] = stderr.split('\n');
    expect(after).toBe(before);
  });

  it('writes the remarks after the answer in a pipe of both', () => {
    const { stdout } = shell(`pit ${LONG} 2>&1 | { sleep 1; tail -n 2; }`);
    expect(stdout).toBe(`line ${LONG - 1}\nall written\n`);
  });

  it('appends to a file, and masks secrets in one behind stderr', () => {
    const { stdout } = shell(
      'd=$(mktemp -d); echo first > $d/out; pit 2 >> $d/out 2> $d/errors; cat $d/out $d/errors; rm -r $d',
      { PIT_SECRET_KEY: 'all written' },
    );
    expect(stdout).toBe('first\nline 0\nline 1\n***\n');
  });

  it('reports a descriptor that cannot be written', () => {
    const { stderr } = shell('pit 3 1< /dev/null; echo "exit $?" >&2');
    expect(stderr).toMatch(/^pit: Cannot write to stdout: EBADF\.\n→ Redirect.*\nexit 1\n$/);
  });

  it('ends at SIGTERM although nobody reads the rest of its output', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pit-pipe-'));
    const name = path.join(folder, 'pipe');
    expect(spawnSync('mkfifo', [name]).status).toBe(0);
    // a reader that reads one byte
    const pipe = openSync(name, constants.O_RDWR);
    try {
      const child = spawn(process.execPath, [program, String(LONG)], { stdio: ['ignore', pipe, 'inherit'] });
      const ended = once(child, 'exit');
      await promisify(read)(pipe, Buffer.alloc(1), 0, 1, null);
      child.kill('SIGTERM');
      expect(await ended).toEqual([143, null]);
    } finally {
      closeSync(pipe);
      rmSync(folder, { recursive: true });
    }
  });
});
