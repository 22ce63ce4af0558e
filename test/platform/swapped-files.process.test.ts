import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cache } from '../../src/config/cache.js';
import { KeyStore } from '../../src/config/keys.js';
import { Profiles } from '../../src/config/profiles.js';
import { startStamp } from '../../src/platform/programs/processes.js';
import { HOSTS, noKeychain } from '../config/support.js';
import { bundleProgram } from '../support/bundled-program.js';
import { whileSwapped } from '../support/swapped.js';

/** Two users without any rights beyond their own. */
const USER = 47_110;
const OTHER = 47_111;
const ROUNDS = 500;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pit-swapped-'));
const program = path.join(folder, 'read-files.mjs');

beforeAll(async () => {
  fs.chmodSync(folder, 0o755);
  await bundleProgram(path.join(import.meta.dirname, 'programs', 'read-files.ts'), program);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A PIT_HOME in which every kind of file says whose it is. */
async function makeHome(home: string, owner: number, whose: string): Promise<void> {
  const [config, state, cache] = ['config', 'state', 'cache'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  const profiles = new Profiles(config);
  await profiles.add({ name: 'main', ...HOSTS, tradeUrl: `https://${whose}.example.com` });
  await profiles.set('main', 'zone', whose === 'mine' ? 'UTC' : 'Asia/Tokyo');
  await new KeyStore(config, noKeychain).set(
    'main',
    { accessKey: `key-${whose}-1`, secretKey: 'a-secret-key' },
    'file',
  );
  await new Cache(cache, Date.now).write('rules', whose);
  const { pid } = process;
  const address = { baseUrl: '', tradeUrl: '', wsUrl: '', secretKey: '', safePwd: '', adminUrl: '', adminToken: '' };
  const running = { ...address, accessKey: whose, pid, started: startStamp(pid) };
  const texts = {
    'state/sandbox/running.json': JSON.stringify(running),
    'state/journal/account/version': '5\n',
    [`state/journal/account/unsettled/${whose}`]: 'not a record',
    'cache/symbols/main/markets': `${whose}_usdt\n`,
    'state/shell/history': whose,
    // only in the user's own home: in the other one, nothing is halted
    ...(whose === 'mine'
      ? {
          'state/halted/account': JSON.stringify({
            id: 'one',
            since: 1,
            until: null,
            reason: whose,
            lastsMs: null,
            setAt: 0,
          }),
        }
      : {}),
  };
  for (const [name, text] of Object.entries(texts)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(home, name), text, { mode: 0o600 });
  }
  fs.mkdirSync(state, { recursive: true, mode: 0o700 });
  execFileSync('chown', ['-R', `${owner}:${owner}`, path.dirname(home)]);
}

/** What a process of the user reads while another user swaps two folders; undefined: nobody does. */
async function readWhile(home: string, swapped?: readonly [string, string]) {
  const read = () => output(spawn(process.execPath, [program, home, String(ROUNDS)], { uid: USER, gid: USER }));
  return swapped === undefined ? read() : whileSwapped(swapped, OTHER, read);
}

async function output(child: ChildProcess): Promise<Record<string, readonly string[]>> {
  let text = '';
  child.stdout?.on('data', (data) => {
    text += data;
  });
  child.stderr?.pipe(process.stderr);
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text);
}

const MINE = {
  profile: ['https://mine.example.com'],
  setting: ['UTC'],
  keys: ['key-mine-1'],
  latch: ['mine'],
  journal: ['mine'],
  prepared: ['nothing'],
  cache: ['mine'],
  names: ['mine_usdt'],
  running: ['mine'],
  history: ['mine'],
};

describe.skipIf(process.geteuid?.() !== 0)('while another user swaps the folder above a home', () => {
  it.each([
    ['777', 0],
    ['775', OTHER],
  ])(
    'no kind of file is read, and the account counts as halted, in a folder of mode %s and group %i',
    async (mode, group) => {
      const open = path.join(folder, `open-${mode}`);
      fs.mkdirSync(open);
      const [mine, other] = [path.join(open, 'mine'), path.join(open, 'other')];
      await makeHome(path.join(mine, 'home'), USER, 'mine');
      // the other home is one that the user made earlier: nothing in it tells them apart but its place
      await makeHome(path.join(other, 'home'), USER, 'other');
      fs.chownSync(open, 0, group);
      fs.chmodSync(open, Number.parseInt(mode, 8));
      const seen = await readWhile(path.join(mine, 'home'), [mine, other]);
      const refused = ['refused: credentials'];
      expect(seen).toEqual({
        ...{ profile: refused, setting: refused, keys: refused, journal: refused, prepared: refused, running: refused },
        ...{ permits: refused, history: refused, cache: ['nothing'], names: ['nothing'] },
        // a latch that cannot be read counts as set
        latch: ['halted, of unknown reason'],
      });
    },
  );

  it('every file is read right in a folder like /tmp, where the other user can move nothing of it', async () => {
    const sticky = path.join(folder, 'sticky');
    fs.mkdirSync(sticky);
    fs.chmodSync(sticky, 0o1777);
    const [mine, other] = [path.join(sticky, 'mine'), path.join(sticky, 'other')];
    await makeHome(path.join(mine, 'home'), USER, 'mine');
    await makeHome(path.join(other, 'home'), OTHER, 'other');
    expect(await readWhile(path.join(mine, 'home'), [mine, other])).toMatchObject(MINE);
  });

  it.each([
    ['a group that is the user', 0o770, USER],
    ['nobody else', 0o700, USER],
  ])('every file is read right in a folder that %s can change', async (_, mode, group) => {
    const own = path.join(folder, `own-${mode}`);
    await makeHome(path.join(own, 'mine', 'home'), USER, 'mine');
    fs.chownSync(own, USER, group);
    fs.chmodSync(own, mode);
    expect(await readWhile(path.join(own, 'mine', 'home'))).toMatchObject(MINE);
  });
});
