import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../src/platform/private-files.js';
import { diskTrouble } from '../../../src/sandbox/disk.js';
import { keepingData } from '../../../src/sandbox/lifecycle/data-failures.js';
import { cannotStart, failureIn } from '../../../src/sandbox/lifecycle/log.js';
import { NotWritten } from '../../../src/sandbox/store/errors.js';
import { ask, filesOf, kill, newHome, run, stateFile, useHomes } from './homes.js';

useHomes();

let folder = '';
let umask = 0;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pit-disk-'));
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const systemError = (code: string | number) => Object.assign(new Error(`${code}: from the system`), { code });

/** The files and folders of a sandbox that others may do anything with, as paths with their modes. */
function open(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const mode = statSync(path.join(directory, name)).mode & 0o777;
    const wanted = statSync(path.join(directory, name)).isDirectory() ? 0o700 : 0o600;
    return mode === wanted ? [] : [`${name} ${mode.toString(8)}`];
  });
}

describe('a failing disk', () => {
  const troubles: readonly (readonly [code: string | number, reason: string, hint: string])[] = [
    ['ENOSPC', 'the disk is full', 'Free some space, then run it again.'],
    [28, 'the disk is full', 'Free some space, then run it again.'],
    ['EDQUOT', 'the disk quota is used up', 'Free some space, or have the quota raised, then run it again.'],
    [
      'EROFS',
      'the file system is read-only',
      'Mount it for writing, or set PIT_HOME to a folder that you can write to, then run it again.',
    ],
    [
      'EACCES',
      'permission denied',
      'Take ownership of the folder, or set PIT_HOME to a folder that you can write to, then run it again.',
    ],
  ];
  it.each(troubles)('reports a failing disk with the folder and advice: %s', async (code, reason, hint) => {
    for (const thrown of [systemError(code), new NotWritten(systemError(code))]) {
      await expect(keepingData('/the/folder', () => Promise.reject(thrown))).rejects.toMatchObject({
        kind: 'unreachable',
        message: `The sandbox cannot keep its data in /the/folder: ${reason}`,
        hints: [hint],
      });
    }
  });

  it('other errors are not blamed on the disk', async () => {
    for (const thrown of [new Error('a defect'), systemError('ERR_ASSERTION'), systemError(-30793), 'text']) {
      expect(diskTrouble(thrown)).toBeUndefined();
      await expect(keepingData('/the/folder', () => Promise.reject(thrown))).rejects.toBe(thrown);
    }
  });

  it('ends a command if no folder can be made', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const places = [path.join(folder, 'file', 'below')].concat(existsSync('/proc/self') ? '/proc/pit' : []);
    for (const home of places) {
      const { status, errors } = await run(home, 'ensure');
      expect([status, errors]).toEqual([5, expect.stringContaining(`cannot keep its data in ${home}/state/sandbox`)]);
    }
  });
});

describe('other users', () => {
  it.each([0o000, 0o777])('cannot read a folder, whatever the umask (%o)', (mask) => {
    process.umask(mask);
    const deep = path.join(folder, 'a', 'b');
    makeFolders(deep);
    process.umask(umask);
    expect(open(folder)).toEqual([]);
  });

  it('cannot read the files of a sandbox that was started with an open umask', async () => {
    const home = newHome();
    process.umask(0);
    await ask(home, 'ensure');
    process.umask(umask);
    const state = path.join(home, 'state');
    expect(readdirSync(path.join(state, 'sandbox', 'exchange'))).toContain('owner.mdb-lock');
    expect(open(state)).toEqual([]);
  });
});

describe('the reason of a failed start', () => {
  const log = () => path.join(folder, 'sandbox.log');

  it('the reason is the line that the program printed, without the advice below it', () => {
    writeFileSync(log(), 'old\npit: the reason\n→ the advice\n');
    expect(failureIn(log(), 4)).toEqual({ reason: 'pit: the reason', hint: [] });
    writeFileSync(log(), 'pit: the reason\n-> the advice\n');
    expect(failureIn(log(), 0)).toEqual({ reason: 'pit: the reason', hint: [] });
    writeFileSync(log(), '');
    expect(failureIn(log(), 0)).toBeUndefined();
  });

  it('the logged reason takes precedence over a printed one', () => {
    writeFileSync(log(), `now ${cannotStart(new Error('two\nlines'))}\npit: something else\n`);
    expect(failureIn(log(), 0)).toEqual({ reason: 'two\nlines', hint: [] });
  });

  const damages: readonly (readonly [what: string, name: string, bytes: Buffer])[] = [
    ['text', 'exchange.mdb', Buffer.from('xxxx\n')],
    ['nonsense', 'exchange.mdb', Buffer.alloc(8192, 7)],
    ['text in the claim', 'owner.mdb', Buffer.from('xxxx\n')],
  ];
  it.each(damages)('names a store that is %s, which reset fixes', async (_what, name, bytes) => {
    const home = newHome();
    mkdirSync(stateFile(home, 'exchange'), { recursive: true });
    const file = stateFile(home, path.join('exchange', name));
    writeFileSync(file, bytes);
    const { status, errors } = await run(home, 'ensure');
    expect(status).toBe(5);
    const message = `The sandbox cannot read its data: ${file} is damaged: it does not begin as a store does`;
    expect(errors).toBe(
      `The sandbox did not start: ${message}\nThis forgets its orders, balances and history. Start an empty exchange: pit sandbox reset\n`,
    );
    await run(home, 'reset');
    expect((await ask(home, 'ensure')).started).toBe(true);
  });

  it('names a store that crashes the process', async () => {
    const home = newHome();
    const { errors } = await run(home, 'ensure-killed');
    expect(errors).toContain(
      `SIGSEGV ended it, so ${stateFile(home, 'exchange/exchange.mdb')} may be damaged\nThis forgets its orders`,
    );
  });
});

describe('leftovers of killed starts', () => {
  it('leftovers never accumulate', async () => {
    const home = newHome();
    const { pid } = await ask(home, 'ensure');
    await kill(pid);
    const gone = 2 ** 22 + 12_345;
    for (const name of [`running.json.${gone}`, `port.json.${gone}`, `room.json.${gone}`]) {
      writeFileSync(stateFile(home, name), '');
    }
    writeFileSync(stateFile(home, `keys.json.${process.pid}`), '');
    await ask(home, 'ensure');
    expect(
      filesOf(home)
        .filter((name) => /json\./.test(name))
        .sort(),
    ).toEqual([`keys.json.${process.pid}`]);
  });
});
