import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PIT } from '../../support/command.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { PitHome } from '../pit-home.js';

// Files that the user names which are pipes or devices, or whose disk is full.

const home = temporaryHome();
const pit = new PitHome(home);
let folder = '';
const at = (name: string) => path.join(folder, name);
const read = (name: string) => fs.readFileSync(at(name), 'utf8');

beforeAll(() => pit.serve());
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(home, 'files-'));
});

/** Commands that write text to a file that the user names, and how it begins. */
const WRITERS = [
  ['sandbox export', /^\{"pitSandbox":7\}\n/],
  ['kline btc_usdt --svg', /^<svg [^>]*>\n<title>btc_usdt 1hour<\/title>/],
  ['kline btc_usdt --type 1day --since 3d --out', /^market,type,time,/],
] as const;

describe.each(WRITERS)('pit %s', (command, beginning) => {
  it('writes through a pipe, which stays one', async () => {
    spawnSync('mkfifo', [at('pipe')]);
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    reader.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => reader.on('close', resolve));
    expect((await pit.run(`${command} ${at('pipe')}`)).code).toBe(0);
    await closed;
    expect(text).toMatch(beginning);
    expect(fs.lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('writes through devices, which stay devices', async () => {
    const ran = await pit.run(`${command} /dev/full`);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('Cannot write /dev/full: ENOSPC.') });
    expect((await pit.run(`${command} /dev/null`)).code).toBe(0);
    expect(['/dev/full', '/dev/null'].map((device) => fs.lstatSync(device).isCharacterDevice())).toEqual([true, true]);
  });
});

describe('a pipe', () => {
  beforeEach(() => spawnSync('mkfifo', [at('pipe')]));

  it('that nobody reads is given up at --timeout', async () => {
    await pit.failure(`sandbox export ${at('pipe')} --timeout 1`, 5);
    expect(fs.lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('that its reader closes too early is an error', async () => {
    spawn('head', ['-c', '3', at('pipe')], { stdio: 'ignore' });
    const { message } = await pit.failure(`sandbox export ${at('pipe')}`, 2);
    expect(message).toBe(`The reader of ${at('pipe')} closed it early.`);
  });

  it('cannot be a Parquet file', async () => {
    fs.renameSync(at('pipe'), at('pipe.parquet'));
    await pit.failure(`trades btc_usdt --since 1000000001 --out ${at('pipe.parquet')}`, 2);
  });
});

it('an export that does not fit on the disk leaves the old one as it was', async () => {
  fs.writeFileSync(at('old'), '{"pitSandbox":1}\n');
  // the shell limits the size of files, and the signal for that is ignored
  const words = [...PIT.arguments, 'sandbox', 'export', at('old')];
  const child = spawn('sh', ['-c', `trap '' XFSZ; ulimit -f 8; exec "$@"`, 'sh', PIT.command, ...words], {
    env: plainEnvironment(home),
    stdio: 'ignore',
  });
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(2);
  expect([fs.readdirSync(folder), read('old')]).toEqual([['old'], '{"pitSandbox":1}\n']);
});
