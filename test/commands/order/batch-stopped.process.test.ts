import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PIT, pitLine } from '../../support/command.js';
import { countRequests } from '../../support/counting-proxy.js';
import { plainEnvironment } from '../../support/pit.js';
import { PASS, startProxy, type Treatment } from '../../support/proxy.js';
import { onTerminal, type PtyStep } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { batch, useServedBatchHome } from './batch-home.js';

const batches = useServedBatchHome();
const { pit } = batches;

/** The bar was drawn once more. */
const drawn = { await: '%' };

describe('pit order batch that is stopped', () => {
  it.each([1, 6])(
    'one process resumes a batch killed after %i requests, and no order is placed twice',
    async (requests) => {
      const proxy = await countRequests(pit.served.address.tradeUrl);
      const file = batches.orders(400);
      const { child, ended } = begin(file, proxy.url);
      await proxy.passed('orderMoreV2', requests);
      child.kill('SIGKILL');
      await ended;
      const extra = { environment: { ...pit.served.environment, PIT_TRADE_URL: proxy.url } };
      const job = openJob();
      expect(await pit.failure(`order batch buy btc_usdt --file ${file} --yes`, 2, extra)).toMatchObject({
        clientId: job,
      });
      const line = `order batch buy btc_usdt --resume ${job} --yes --json`;
      const rans = await Promise.all([1, 2, 3, 4].map(() => pit.run(line, extra)));
      expect(rans.map(({ code }) => code).sort()).toEqual([0, 2, 2, 2]);
      const done = rans.find(({ code }) => code === 0);
      expect(done === undefined ? undefined : batch(done)).toMatchObject({ placed: 400, duplicates: [] });
      const ids = (await batches.there()).map(({ id }) => id);
      expect(ids.sort()).toEqual(
        done === undefined
          ? []
          : batch(done)
              .orders.map(({ id }) => id)
              .sort(),
      );
    },
  );

  it.skipIf(!requires('python3'))('Ctrl-C and SIGTERM report the progress of the batch (needs python3)', async () => {
    const report = /Warning: ([\d,]+) of 3,000 orders placed, ([\d,]+) not sent.*--resume\s+(job\w+)/s;
    const file = batches.orders(3_000);
    const interrupted = await at(
      ['--file', file],
      [{ await: '[y/N]', type: 'y\r' }, drawn, { ...drawn, type: '\u0003' }],
    );
    expect(interrupted.status).toBe(130);
    const [, placed = '', left = '', job = ''] = report.exec(interrupted.screen) ?? [];
    expect(count(placed) + count(left)).toBe(3_000);
    expect(await batches.there()).toHaveLength(count(placed));
    // nothing to find out: what is left to place is no unknown outcome
    expect((await pit.run('doctor')).stdout).toMatch(/^journal +ok +every outcome is known$/m);
    // the bar was drawn over itself, nothing of it is left, and the answer comes before the warning
    const bar =
      /\r\u001b\[2K[\d,]+\/3,000 .*\r\u001b\[2Kjob +job\w+ placed +[\d,]+ not sent +[\d,]+ .*Warning: [\d,]+ of 3,000/s;
    expect(interrupted.screen).toMatch(bar);
    const ended = await at(
      ['--resume', job],
      // after the first answers, and long before the last: those have to wait for a second
      [
        { await: '[y/N]', type: 'y\r' },
        { pattern: `(?<![\\d,])(?!${placed}/)[\\d,]+/3,000`, signal: 'SIGTERM' },
      ],
    );
    expect(ended.status).toBe(143);
    expect(count(report.exec(ended.screen)?.[1])).toBeGreaterThan(count(placed));
    const done = await at(['--resume', job], [{ await: '[y/N]', type: 'y\r' }]);
    expect([done.status, done.screen]).toEqual([0, expect.stringMatching(/placed +3,000/)]);
    expect(await batches.there()).toHaveLength(3_000);
  });

  it('a batch stopped during its check for duplicates reports its progress, and pit resolve completes the check', async () => {
    const proxy = await countRequests(pit.served.address.tradeUrl);
    await pit.done('sandbox fault add twice --operation orderMoreV2 --count 1');
    await pit.done('sandbox fault add delay --delay 60000 --operation getOrders --every 5');
    const ran = begin(batches.orders(20), proxy.url);
    await proxy.passed('getOrders', 5);
    ran.child.kill('SIGINT');
    expect(await ran.ended).toEqual([130, null]);
    await pit.done('sandbox fault clear');
    expect(ran.errors()).toContain('{"error":{"kind":"interrupted","message":"20 of 20 orders placed.');
    const environment = { ...pit.served.environment, PIT_TRADE_URL: proxy.url };
    expect((await pit.run('resolve', { environment })).stderr).toContain('20 ORDERS WERE PLACED MORE THAN ONCE');
  });

  it('a batch killed during its check for duplicates is verified when it resumes', async () => {
    let isBeingChecked = (): void => undefined;
    const checking = new Promise<void>((resolve) => {
      isBeingChecked = resolve;
    });
    let isAnswered = false;
    const proxy = await startProxy({
      port: Number(new URL(pit.served.address.tradeUrl).port),
      treat: ({ operation }) => {
        if (operation === 'orderMoreV2') isAnswered = true;
        if (operation === 'orderMoreV2') return TWICE;
        if (operation !== 'getOrders' || !isAnswered) return PASS;
        isBeingChecked();
        return NEVER;
      },
    });
    onTestFinished(() => proxy.close());
    const ran = begin(batches.orders(20), proxy.url);
    await checking;
    ran.child.kill('SIGKILL');
    await ran.ended;
    isAnswered = false;
    const environment = { ...pit.served.environment, PIT_TRADE_URL: proxy.url };
    const done = await pit.run(`order batch buy btc_usdt --resume ${openJob()} --yes --json`, { environment });
    expect([done.code, batch(done).placed, batch(done).duplicates.length]).toEqual([9, 20, 20]);
    expect(done.stderr).toContain('20 ORDERS WERE PLACED MORE THAN ONCE');
    expect(await pit.json('resolve', { environment })).toEqual([]);
  });
});

const TWICE: Treatment = { name: 'twice', forward: [0, 0], awaited: 2, reply: { kind: 'answer', of: 1 } };
const NEVER: Treatment = { name: 'never', forward: [], awaited: 0, reply: { kind: 'nothing', end: 'never' } };

/** Starts a batch behind a proxy. */
function begin(file: string, url: string) {
  const environment = plainEnvironment(pit.home, { ...pit.served.environment, PIT_TRADE_URL: url });
  const words = ['order', 'batch', 'buy', 'btc_usdt', '--file', file, '--yes', '--json'];
  const child = spawn(PIT.command, [...PIT.arguments, ...words], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return { child, ended: once(child, 'close'), errors: () => errors };
}

/** What `pit order batch buy btc_usdt` shows and ends with on a terminal. */
async function at(words: readonly string[], steps: readonly PtyStep[]) {
  const command = pitLine('order', 'batch', 'buy', 'btc_usdt', ...words);
  const result = await onTerminal({ command, environment: plainEnvironment(pit.home), steps });
  // the terminal takes lines and echoes again
  expect(result).toMatchObject({ late: false, echoes: true });
  return { ...result, screen: result.screen.replace(/\u001b\[\d+m/g, '').replaceAll('\r\n', ' ') };
}

/** A number as people read it. */
function count(text = ''): number {
  return Number(text.replaceAll(',', ''));
}

/** The one job that is open. */
function openJob(): string {
  const journal = path.join(pit.home, 'state', 'journal');
  const open = readdirSync(journal).flatMap((account) => readdirSync(path.join(journal, account, 'unsettled')));
  expect(open).toEqual([expect.stringMatching(/^job[0-9a-f]{20}$/)]);
  return open[0] ?? '';
}
