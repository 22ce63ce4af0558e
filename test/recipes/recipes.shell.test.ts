import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePitHome } from '../commands/pit-home.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { requires } from '../support/tools.js';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/recipes.md'), 'utf8');

/** The scripts of docs/recipes.md by their titles. */
const recipes = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '']),
);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!requires('jq'))('the recipes in docs/recipes.md', () => {
  const pit = usePitHome();
  const folder = path.join(pit.home, 'scripts');
  const tried = new Set<string>();

  beforeAll(() => {
    mkdirSync(folder);
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(shim, 0o755);
  });

  /** Runs a recipe in a new folder that holds these files. @param change edits the script before it runs */
  async function run(
    title: string,
    files: Record<string, string> = {},
    change = (text: string) => text,
    more: Record<string, string> = {},
  ) {
    const script = recipes.get(title);
    expect(script, title).toBeTruthy();
    tried.add(title);
    const cwd = mkdtempSync(path.join(pit.home, 'recipe-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
    const ran = await inShell(change(script ?? ''), cwd, more);
    return { ...ran, read: (name: string) => readFileSync(path.join(cwd, name), 'utf8') };
  }

  function inShell(script: string, cwd: string, more: Record<string, string> = {}): Promise<Ran> {
    const environment = { ...plainEnvironment(pit.home, pit.served.environment), ...more };
    return new Promise((resolve, reject) => {
      const env = { ...environment, PATH: `${folder}:${environment.PATH}` };
      const child = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

  it('values everything in usdt', async () => {
    expect(await run('Value everything you own')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^\d{6,}(\.\d+)? usdt\n$/),
    });
  });

  it('places the orders of a file, and cancels only old orders', async () => {
    const placed = await run('Place orders from a file', { 'ladder.csv': '26000,0.01\n26001.5,0.02\n26003,0.001\n' });
    expect(placed).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^job \w+: 3 placed, 0 refused, 0 unknown\n$/),
    });
    expect(await run('Cancel orders older than an hour')).toMatchObject({ ...done, stdout: '' });
    expect(await pit.json('orders btc_usdt')).toHaveLength(3);
    const all = await run('Cancel orders older than an hour', {}, (text) => text.replace('now - 3600', 'now + 3600'));
    expect(all).toMatchObject(done);
    expect(await pit.json('orders btc_usdt')).toEqual([]);
  });

  it('reports the exit code of a malformed file and places nothing', async () => {
    const ran = await run('Place orders from a file', { 'ladder.csv': '26000;0.01\n' });
    expect(ran.code).toBe(2);
    expect(await pit.json('orders btc_usdt')).toEqual([]);
  });

  it("exports this month's bills as CSV", async () => {
    const ran = await run("Export this month's bills");
    expect(ran).toMatchObject(done);
    expect(ran.read('bills.csv')).toMatch(/^id,time,coin,type,change,balance,remark,total,timeRaw\n\d+,/);
  });

  it("reports yesterday's profit and loss", async () => {
    await pit.done('order buy eos_usdt 10 --at ask+1% --ioc --yes');
    const title = "Report yesterday's profit and loss";
    const today = await run(title);
    // nothing was traded yesterday
    expect(today).toMatchObject({ ...done, stdout: '' });
    const tomorrow = await run(title, {}, (text) => text.replace("'now |", "'now + 86400 |"));
    expect(tomorrow).toMatchObject(done);
    expect(tomorrow.stdout).toMatch(/^eos_usdt: realised 0 usdt, net -?\d+\.\d*[1-9]\d*$/m);
  });

  it('waits until an order is filled', async () => {
    expect(await run('Wait for a fill')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^filled at \d+(\.\d+)?\n$/),
    });
  });

  it('buys at the market', async () => {
    const { code, stdout } = await run('Buy at the market');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^bought 0\.00\d+ of 0\.00\d+ for \d+\.\d+ usdt\n$/)]);
  });

  it('prints the spread only when it is wide', async () => {
    expect(await run('Watch the spread')).toMatchObject({ ...done, stdout: '' });
    const wide = await run('Watch the spread', {}, (text) => text.replace('> 0.001', '> -1'));
    expect(wide.stdout).toMatch(/^the spread of btc_usdt is \d+\.\d+ to \d+\.\d+\n$/);
  });

  it('sells once the price has fallen', async () => {
    const ran = await run('Sell when the price falls', {}, (text) => text.replace('bid<27000', 'bid<1e6'));
    expect(ran).toMatchObject(done);
    expect(ran.stdout).toMatch(/^\S+ \S+ \(UTC\) {2}btc_usdt bid<1000000: [\d,.]+\nPlaced +\S+ SELL/);
  });

  it.each([
    ['Wait for a fill', {}],
    ['Sell when the price falls', {}],
    ['Send a message for each fill', { 'notify.sh': 'exit 0\n' }],
    ['Cancel everything if a bot dies', { 'bot.sh': 'sleep 1000\n' }],
    ['Run a bot that survives kills', {}],
  ])('does not wait with keys that the exchange does not know: %s', async (title, files) => {
    const keys = { PIT_ACCESS_KEY: 'another-access-key', PIT_SECRET_KEY: 'another-secret-key' };
    const { code, stderr } = await run(title, files, undefined, keys);
    expect(code).not.toBe(0);
    expect(stderr).not.toBe('');
  });

  it.each([
    ['while the account is halted', 'halt', 'halt --lift --confirm sandbox'],
    ['if a guard would stop it', 'profile set sandbox orderNotional 1usdt', 'profile unset sandbox orderNotional'],
  ])('does not wait to sell %s', async (_, before, after) => {
    const { environment } = pit.served;
    await pit.done(before, { environment });
    const ran = await run('Sell when the price falls');
    await pit.done(after, { environment });
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It could not sell now, so it does not wait'),
    });
  });

  it('does not wait to sell more than there is', async () => {
    const ran = await run('Sell when the price falls', {}, (text) => text.replaceAll('0.01', '1000'));
    expect(ran.code).toBe(1);
  });

  it.each([
    ['Send a message for each fill', 'notify.sh is missing'],
    ['Cancel everything if a bot dies', 'bot.sh is missing'],
  ])('does not begin without the file that it runs: %s', async (title, text) => {
    expect(await run(title)).toMatchObject({ code: 1, stderr: `${text}\n` });
  });

  it('sends a message for each fill', async () => {
    const files = { 'notify.sh': 'jq -r .order > sent.txt\n' };
    let isSent = false;
    const sending = run('Send a message for each fill', files, (text) => text.replace(' --repeat', '')).finally(() => {
      isSent = true;
    });
    const ids: string[] = [];
    // the alert takes its time to start
    while (!isSent) {
      ids.push((await pit.json<{ id: string }>('order buy btc_usdt 0.001 --at ask+1% --yes')).id);
      await delay(200);
    }
    const ran = await sending;
    expect(ran).toMatchObject(done);
    expect(ids).toContain(ran.read('sent.txt').trim());
  });

  it('rebalances to within 5 % of half and half', async () => {
    expect(await run('Rebalance to half btc, half usdt')).toMatchObject({
      ...done,
      stdout: expect.stringMatching(/^Placed +\S+ BUY/),
    });
    const [btc, usdt] = await pit.json<{ value: string }[]>('balance btc usdt --in usdt');
    const [one, other] = [Number(btc?.value), Number(usdt?.value)];
    expect(Math.abs(one - other) / (one + other)).toBeLessThan(0.05);
  });

  it('holds the timer while the bot runs, and ends with its exit code', async () => {
    const title = 'Cancel everything if a bot dies';
    const ran = await run(title, { 'bot.sh': 'pit ticker btc_usdt --json | jq -r ".[0].market"; exit 7\n' });
    expect([ran.code, ran.stdout]).toEqual([7, 'btc_usdt\n']);
    expect(ran.stderr).toContain('The exchange will cancel EVERY order of btc_usdt');
  });

  it('stops everything once the account is worth less than the limit', async () => {
    const title = 'Stop everything after a loss';
    expect(await run(title)).toMatchObject({ code: 0, stdout: '' });
    const poor = await run(title, {}, (script) => script.replaceAll('10000', '1e12'));
    expect([poor.code, poor.stdout]).toEqual([0, expect.stringMatching(/^Halted sandbox .*worth less than 1e12 usdt/)]);
    const { environment } = pit.served;
    expect(await pit.json('account', { environment })).toMatchObject({ halted: true });
    await pit.done('halt --lift --confirm sandbox', { environment });
  });

  it('sums up the bills of the day by coin', async () => {
    const { code, stdout } = await run('Sum up the day');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^btc\t-?\d/m)]);
  });

  it('withdraws everything above 1 btc once, and only to the expected address', async () => {
    const title = 'Withdraw everything above 1 btc';
    const [known] = await pit.json<{ address: string }[]>('address btc --withdraw');
    const files = { 'cold-wallet': `${known?.address}\n`, 'fund-password': pit.served.address.safePwd };
    const other = await run(title, { ...files, 'cold-wallet': 'bc1qsomebodyelse\n' });
    expect([other.code, other.stdout]).toEqual([1, '']);
    expect(await pit.json('withdrawals btc')).toEqual([]);
    const ran = await run(title, files);
    expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', coin: 'btc', address: known?.address });
    expect(ran.stderr).not.toContain(files['fund-password']);
    expect(await run(title, files)).toMatchObject({ ...done, stdout: '' });
    expect(await pit.json('withdrawals btc')).toHaveLength(1);
  });

  it('prints nothing from cron when no outcome is unknown', async () => {
    const ran = await run('Settle unknown outcomes from cron');
    expect([ran.code, ran.stdout, ran.read('resolved.json')]).toEqual([0, '', '[]\n']);
  });

  afterAll(() => {
    expect([...recipes.keys()].filter((title) => !tried.has(title))).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});

it('the seventeen recipes use only pit, jq and a POSIX shell', () => {
  expect(recipes.size).toBe(17);
  for (const script of recipes.values()) expect(script).not.toMatch(/\b(bash|node|python|curl|awk|perl|\[\[)\b/);
});
