import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PIT_IN_SHELL } from '../../support/command.js';
import { respond } from '../../support/fault-server.js';
import { plainEnvironment, type Ran } from '../../support/pit.js';
import { count, NOT_FOUND, record, serve } from '../support/exchange.js';

const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';

/** Whether this user may mount file systems, which Linux allows by default. */
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' }).status === 0;
if (!canMount && process.env.PIT_TEST_MISSING !== undefined)
  appendFileSync(process.env.PIT_TEST_MISSING, 'a file system of its own (unshare -rm)\n');

function newHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-disk-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function exchange() {
  return serve({ write: respond(PLACED), reads: [NOT_FOUND, record()] });
}

/** Runs a script that may change the disk: `$0` is the PIT_HOME, `order ID` places an order, and `cancel` cancels one. */
function inShell(shell: readonly string[], script: string, home: string, url: string): Promise<Ran> {
  const keys = { PIT_ACCESS_KEY: 'access-0123456789', PIT_SECRET_KEY: 'secret-9876543210' };
  const env = plainEnvironment(home, { PIT_BASE_URL: url, PIT_TRADE_URL: url, ...keys });
  const order = `order() { ${PIT_IN_SHELL} order buy btc_usdt 0.01 --at 30000 --yes --json --timeout 5 --id "$1"; }`;
  const cancel = `cancel() { ${PIT_IN_SHELL} cancel btc_usdt 202202224851151555 --yes --json --timeout 5; }`;
  const [command = 'sh', ...words] = [...shell, 'sh', '-c', `${order}\n${cancel}\n${script}`, home];
  const child = spawn(command, words, { env });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (text) => (texts[name] += String(text)));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...texts })));
}

const MOUNTED = 'mount -t tmpfs -o size=256k tmpfs "$0" || exit 99';
const FILL = 'dd if=/dev/zero of="$0/fill" bs=4k 2>/dev/null';

describe.skipIf(!canMount)('a mounted disk', () => {
  it.each([
    ['that is full', `${MOUNTED}; ${FILL}; order mine0001`],
    ['that has no room for another file', 'mount -t tmpfs -o nr_inodes=6 tmpfs "$0" || exit 99; order mine0001'],
    ['that is read-only', `${MOUNTED}; mount -o remount,ro "$0"; order mine0001`],
    [
      'that is read-only in the journal',
      `${MOUNTED}; mkdir -p -m 700 "$0/state" "$0/other"; mount --bind -o ro "$0/other" "$0/state"; mount -o remount,bind,ro "$0/state"; order mine0001`,
    ],
  ])('a disk %s refuses the order with the file and the reason, and nothing is sent', async (_, script) => {
    const [server, home] = [await exchange(), newHome()];
    const ran = await inShell(['unshare', '-rm'], script, home, server.url);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '') as { error: object };
    expect(error).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/(Cannot write .*state.*: |state.* cannot be (made|used).*\()(ENOSPC|EROFS)/),
    });
    expect(count(server, 'order')).toBe(0);
  });

  it.each([
    ['filled up', FILL],
    ['became read-only', 'mount -o remount,ro "$0"'],
    [
      'lost each block of the journal',
      'for file in $(find "$0/state/journal" -type f); do dd if=/dev/zero of="$file" bs=700 count=1 2>/dev/null; done',
    ],
    ['has the journal of another version', 'for file in "$0"/state/journal/*/version; do echo 2 > "$file"; done'],
  ])('cancels an order although the disk %s since it was placed', async (_, change) => {
    const script = `${MOUNTED}; order mine0001 >/dev/null || exit 98; ${change}; cancel`;
    const server = await serve({ write: respond(PLACED), reads: [NOT_FOUND, record({ status: 1 })] });
    const ran = await inShell(['unshare', '-rm'], script, newHome(), server.url);
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, [{ outcome: 'cancelled' }]]);
    expect(count(server, 'cancelOrder')).toBe(1);
  });

  it('refuses the next order if it filled up after one, and the first is reported', async () => {
    const [server, home] = [await exchange(), newHome()];
    const script = `${MOUNTED}; order mine0001 || exit 98; ${FILL}; order mine0002`;
    const ran = await inShell(['unshare', '-rm'], script, home, server.url);
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', clientId: 'mine0001' });
    expect(count(server, 'order')).toBe(1);
  });
});

describe('a journal that cannot be written', () => {
  it('an order is not sent if a system limit stops the journal', async () => {
    const [server, home] = [await exchange(), newHome()];
    // the system refuses a write beyond its limit like one to a full disk
    const ran = await inShell([], 'ulimit -f 0; order mine0001', home, server.url);
    expect([ran.code, ran.stdout, count(server, 'order')]).toEqual([2, '', 0]);
    expect(ran.stderr).toMatch(/Cannot write .*: (EFBIG|ENOSPC)\./);
  });

  it.each(['state', 'state/journal'])('lets nothing be sent if the folder %s is a file', async (name) => {
    const [server, home] = [await exchange(), newHome()];
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, name), '');
    const ran = await inShell([], 'order mine0001', home, server.url);
    expect([ran.code === 2 || ran.code === 4, ran.stdout, count(server, 'order')]).toEqual([true, '', 0]);
    expect(ran.stderr).toContain(path.join(home, name));
  });
});
