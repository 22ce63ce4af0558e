import { describe, expect, it } from 'vitest';
import { lastError } from '../pit-home.js';
import { type Batch, batch, useBatchHome } from './batch-home.js';

const batches = useBatchHome();
const { pit } = batches;

describe('pit order batch on a bad network', () => {
  it('every order is found, none is sent again, if answers are lost', async () => {
    await pit.json('sandbox fault add drop-after --operation orderMoreV2 --every 3');
    const result = await pit.json<Batch>(`order batch buy btc_usdt --file ${batches.orders(150)} --yes`);
    expect(result).toMatchObject({ placed: 150, duplicates: [] });
    expect((await batches.there()).map(({ id }) => id).sort()).toEqual(result.orders.map(({ id }) => id).sort());
  });

  it('reports duplicates with a warning and the command that cancels them', async () => {
    await pit.json('sandbox fault add twice --operation orderMoreV2 --count 1');
    const ran = await pit.run(`order batch buy btc_usdt --file ${batches.orders(45)} --yes --json`);
    const { placed, duplicates } = batch(ran);
    expect([ran.code, placed, duplicates.length]).toEqual([9, 45, 20]);
    expect(ran.stderr).toContain('20 ORDERS WERE PLACED MORE THAN ONCE');
    const [, command = ''] = /To cancel the duplicates: pit (cancel btc_usdt [\d ]+)/.exec(ran.stderr) ?? [];
    await pit.json(command);
    const open = (await batches.there()).filter(({ state }) => state === 'open');
    expect([open.length, new Set(open.map(({ price }) => price)).size]).toEqual([45, 45]);
  });

  it('exits with 6 if a request is lost, then resumes', async () => {
    await pit.json('sandbox fault add drop-before --operation orderMoreV2 --count 1');
    const line = `order batch buy btc_usdt --file ${batches.orders(100)} --yes --json --timeout 3`;
    const ran = await pit.run(line);
    const { job, unknown } = batch(ran);
    expect([ran.code, unknown]).toEqual([6, 20]);
    const error = lastError(ran.stderr);
    expect(error).toMatchObject({ kind: 'unknown', clientId: job, exitCode: 6 });
    expect(error.hint).toContain(`pit order batch buy btc_usdt --resume ${job}`);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/try again|retry/i);
    const repeated = await pit.failure(`order batch buy btc_usdt --file ${batches.file} --yes`, 2);
    expect(repeated).toMatchObject({ clientId: job, hint: expect.stringContaining(`--resume ${job}`) });
    expect(await pit.json<Batch>(`order batch buy btc_usdt --resume ${job} --yes`)).toMatchObject({
      placed: 100,
      job,
    });
    expect(await batches.there()).toHaveLength(100);
    // a second run reports the same and sends nothing
    expect(await pit.json<Batch>(`order batch buy btc_usdt --resume ${job} --yes`)).toMatchObject({
      placed: 100,
      job,
    });
    expect(await batches.there()).toHaveLength(100);
  });
});
