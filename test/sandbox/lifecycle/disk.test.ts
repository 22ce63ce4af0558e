import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../src/platform/files/private-files.js';
import { diskTrouble, keepingData } from '../../../src/sandbox/failures.js';
import { NotWritten } from '../../../src/sandbox/store/store.js';
import { ask, newHome, stateFile, useHomes } from './homes.js';

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
  it.each([
    ['ENOSPC', 'the disk is full'],
    [28, 'the disk is full'],
    ['EDQUOT', 'the disk quota is used up'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'permission denied'],
    ['EISDIR', 'a folder has the name of one of its files'],
  ])('reports a failing disk with the folder and advice: %s', async (code, reason) => {
    for (const thrown of [systemError(code), new NotWritten(systemError(code))]) {
      await expect(keepingData('/the/folder', () => Promise.reject(thrown))).rejects.toMatchObject({
        kind: 'unreachable',
        message: `The sandbox cannot keep its data in /the/folder: ${reason}`,
        hints: ['Correct that, or set PIT_HOME to a folder that you can write to, then run it again.'],
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
    const below = path.join(folder, 'file', 'below');
    await expect(ask(below, 'ensure')).rejects.toThrow(`${path.join(folder, 'file')} is not a folder.`);
    if (existsSync('/proc/self'))
      await expect(ask('/proc/pit', 'ensure')).rejects.toThrow('cannot keep its data in /proc/pit/state/sandbox');
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
    expect(readdirSync(path.join(state, 'sandbox', 'exchange'))).toContain('exchange.mdb-lock');
    expect(open(state)).toEqual([]);
  });
});

it.each(['running.json', 'settings.json'])('a folder in the place of %s is reported', async (name) => {
  const home = newHome();
  mkdirSync(stateFile(home, name), { recursive: true });
  await expect(ask(home, 'ensure')).rejects.toThrow('a folder has the name of one of its files');
});
