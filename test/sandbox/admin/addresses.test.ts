import { describe, expect, it } from 'vitest';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { signedUrl } from '../signing.js';
import { admin, done, sandbox } from './served.js';

const START = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

/** The body of a signed request of the first account; reqTime is not signed. */
async function ask(address: SandboxAddress, method: string, values: Record<string, string>, time = Date.now()) {
  const url = signedUrl(address, address, method, values).replace(/reqTime=\d+/, `reqTime=${time}`);
  return await (await fetch(url)).text();
}

describe('addresses and withdrawals of an account', () => {
  it('the administration verifies addresses, and lets withdrawals fail or cancels them', async () => {
    const { address } = await sandbox();
    const to = { coin: 'btc', address: 'my-own', preferred: true };
    expect(await done(address, 'POST /addresses/verify', to)).toEqual({
      ...{ account: 'sandbox', coin: 'btc', address: 'my-own', memo: null, default: 'my-own' },
    });
    expect(await ask(address, 'getWithdrawAddress', { currency: 'btc' })).toContain('"key":"my-own"');
    const order = { amount: '0.01', currency: 'btc', fees: '0.0005', receiveAddr: 'my-own', safePwd: address.safePwd };
    for (const [cancel, status] of [
      [true, 3],
      [false, 1],
    ] as const) {
      const { id } = JSON.parse(await ask(address, 'withdraw', order));
      const state = cancel ? 'cancelled' : 'failed';
      expect(await done(address, 'POST /withdrawals/end', { coin: 'btc', id, cancel })).toMatchObject({ id, state });
      const records = await ask(address, 'getWithdrawRecord', { currency: 'btc', pageIndex: '1', pageSize: '1' });
      expect(records).toContain(`"status":${status},`);
      expect(await admin(address, 'POST /withdrawals/end', { coin: 'btc', id })).toMatchObject([400, {}]);
    }
  });

  it('refuses a wrong coin, memo or withdrawal', async () => {
    const { address } = await sandbox();
    const refused = async (call: string, input: object) => expect((await admin(address, call, input))[0]).toBe(400);
    await refused('POST /addresses/verify', { coin: 'doge', address: 'a' });
    await refused('POST /addresses/verify', { coin: 'eos', address: 'a' });
    await refused('POST /addresses/verify', { coin: 'btc' });
    await refused('POST /addresses/obtain', { coin: 'doge' });
    await refused('POST /withdrawals/end', { coin: 'btc', id: '1' });
    expect(await done(address, 'POST /addresses/obtain', { coin: 'btc' })).toEqual({ account: 'sandbox', coin: 'btc' });
  });

  it('shows dates in the configured zone', async () => {
    const { address } = await sandbox({ zone: 480, now: () => START });
    const bills = (dates: Record<string, string>) => ask(address, 'getSpotBills', { currency: 'btc', ...dates }, START);
    expect(await bills({})).toMatch(/"date":1893553445678,"showDate":"2030-01-02 11:04:05"/);
    expect(await bills({ startDate: '2030-01-02 11:04:06' })).toContain('"result":[]');
    expect(await bills({ endDate: '2030-01-02 11:04:05' })).toContain('"changeAmount":"+5BTC"');
  });
});
