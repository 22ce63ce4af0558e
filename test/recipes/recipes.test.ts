import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDesk } from '../commands/desk.js';
import { plainEnvironment } from '../support/pit.js';
import { PIT } from '../support/program.js';
import { requires } from '../support/tools.js';

const README = readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');

/** The scripts under `## Recipes`, by their titles: what users copy is what is run here. */
const recipes = new Map(
  (/^## Recipes\n([\s\S]*?)^## /m.exec(README)?.[1] ?? '')
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '']),
);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!requires('jq'))('the recipes of the README', () => {
  const desk = useDesk();
  const folder = path.join(desk.home, 'scripts');
  const tried = new Set<string>();

  beforeAll(() => {
    mkdirSync(folder);
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${PIT}" "$@"\n`);
    chmodSync(shim, 0o755);
  });

  /** Runs a recipe as it stands, or with one thing in it said otherwise, in a folder of the files that it needs. */
  async function run(title: string, files: Record<string, string> = {}, change = (text: string) => text) {
    const script = recipes.get(title);
    expect(script, title).toBeTruthy();
    tried.add(title);
    const cwd = mkdtempSync(path.join(desk.home, 'recipe-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
    const ran = await inShell(change(script ?? ''), cwd);
    return { ...ran, read: (name: string) => readFileSync(path.join(cwd, name), 'utf8') };
  }

  function inShell(script: string, cwd: string): Promise<Ran> {
    const environment = plainEnvironment(desk.home, desk.served.environment);
    return new Promise((resolve, reject) => {
      const env = { ...environment, PATH: `${folder}:${environment.PATH}` };
      const child = spawn('sh', ['-euc', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          texts[name] += text;
        });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, ...texts }));
    });
  }

  const done = { code: 0 };

  it('what everything is worth', async () => {
    expect(await run('What everything is worth')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^\d{6,}(\.\d+)? usdt\n$/),
    });
  });

  it('orders from a file, and cancelling the old ones', async () => {
    const placed = await run('Orders from a file', { 'ladder.csv': '26000,0.01\n26001.5,0.02\n26003,0.001\n' });
    expect(placed).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^job \w+: 3 placed, 0 refused, 0 unknown\n$/),
    });
    expect(await run('Cancel what is older than an hour')).toMatchObject({ ...done, stdout: '' });
    expect(await desk.json('orders btc_usdt')).toHaveLength(3);
    // of any age
    const all = await run('Cancel what is older than an hour', {}, (text) => text.replace('now - 3600', 'now + 3600'));
    expect(all).toMatchObject(done);
    expect(await desk.json('orders btc_usdt')).toEqual([]);
  });

  it('a wrong file: the exit code is told, and nothing is placed', async () => {
    const ran = await run('Orders from a file', { 'ladder.csv': '26000;0.01\n' });
    expect(ran.stderr).toContain('pit ended with 2');
    expect(await desk.json('orders btc_usdt')).toEqual([]);
  });

  it("the month's bills", async () => {
    const ran = await run("The month's bills for a spreadsheet");
    expect(ran).toMatchObject(done);
    expect(ran.read('bills.csv')).toMatch(/^id,time,coin,type,change,balance,remark\n\d+,/);
  });

  it('wait for a fill', async () => {
    expect(await run('Wait for a fill')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^filled at \d+\.\d+\n$/),
    });
  });

  it('like a market order', async () => {
    const { code, stdout } = await run('Like a market order');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^bought 0\.00\d+ of 0\.00\d+ for \d+\.\d+ usdt\n$/)]);
  });

  it('the spread: silent while it is narrow', async () => {
    expect(await run('Tell when the spread widens')).toMatchObject({ ...done, stdout: '' });
    const wide = await run('Tell when the spread widens', {}, (text) => text.replace('> 0.001', '> -1'));
    expect(wide.stdout).toMatch(/^the spread of btc_usdt is \d+\.\d+ to \d+\.\d+\n$/);
  });

  it('rebalance: both halves come near each other', async () => {
    expect(await run('Rebalance to half and half')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^Placed +\S+ BUY/),
    });
    const [btc, usdt] = await desk.json<{ value: string }[]>('balance btc usdt --in usdt');
    const [one, other] = [Number(btc?.value), Number(usdt?.value)];
    expect(Math.abs(one - other) / (one + other)).toBeLessThan(0.05);
  });

  it("a dead man's switch: the bot runs, and its exit code is the script's", async () => {
    const title = "A dead man's switch around a bot";
    const ran = await run(title, { 'bot.sh': 'pit ticker btc_usdt --json | jq -r ".[0].market"; exit 7\n' });
    expect([ran.code, ran.stdout]).toEqual([7, 'btc_usdt\n']);
    expect(ran.stderr).toContain('The exchange will cancel EVERY order of btc_usdt');
  });

  it('what the day brought in', async () => {
    const { code, stdout } = await run('What the day brought in');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^btc\t-?\d/m)]);
  });

  it('bring home what is above one coin: only to the expected address, and once', async () => {
    const title = 'Bring home what is above one coin';
    const [known] = await desk.json<{ address: string }[]>('address btc --withdraw');
    const files = { 'cold-wallet': `${known?.address}\n`, 'fund-password': desk.served.address.safePwd };
    const other = await run(title, { ...files, 'cold-wallet': 'bc1qsomebodyelse\n' });
    expect([other.code, other.stdout]).toEqual([1, '']);
    expect(await desk.json('withdrawals btc')).toEqual([]);
    const ran = await run(title, files);
    expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', coin: 'btc', address: known?.address });
    expect(ran.stderr).not.toContain(files['fund-password']);
    expect(await run(title, files)).toMatchObject({ ...done, stdout: '' });
    expect(await desk.json('withdrawals btc')).toHaveLength(1);
  });

  it('resolve from cron: nothing to mail', async () => {
    const ran = await run('Settle what is unknown, from cron');
    expect([ran.code, ran.stdout, ran.read('resolved.json')]).toEqual([0, '', '[]\n']);
  });

  afterAll(() => {
    expect([...recipes.keys()].filter((title) => !tried.has(title))).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});

it('there are twelve recipes, of pit, jq and what every POSIX shell has', () => {
  expect(recipes.size).toBe(12);
  for (const script of recipes.values()) expect(script).not.toMatch(/\b(bash|node|python|curl|awk|perl|\[\[)\b/);
});
