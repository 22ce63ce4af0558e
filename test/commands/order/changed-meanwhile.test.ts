import { describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

/** Runs a command at a terminal. While its question waits, another command changes something; then the user confirms. */
async function confirmedAfter(
  line: string,
  asked: string,
  reply: string,
  change: () => Promise<unknown>,
  askedAgain: readonly { readonly await: string; readonly type: string }[] = [],
) {
  const steps = [{ await: asked, type: reply, meanwhile: async () => void (await change()) }, ...askedAgain];
  const { screen, status } = await pit.terminal(line, { columns: 200, steps });
  return { screen, status };
}

async function addProfile(name: string): Promise<void> {
  const { baseUrl, tradeUrl, accessKey, secretKey } = pit.served.address;
  await pit.done(`profile add ${name} --base-url ${baseUrl} --trade-url ${tradeUrl}`);
  await pit.done(`keys set --profile ${name} --stdin`, { input: `${accessKey}\n${secretKey}\n` });
}

const orders = () => pit.json<object[]>('orders btc_usdt --state all --all');
const withdrawals = () => pit.json<object[]>('withdrawals btc --all');

describe('what was changed while a question waited holds when it is answered:', () => {
  it('a lower limit of one order', async () => {
    const before = await orders();
    const { screen, status } = await confirmedAfter(
      'order buy btc_usdt 0.01 --at bid-2%',
      '[y/N]',
      'y\r',
      () => pit.done('profile set sandbox orderNotional 50usdt'),
      [{ await: 'Type order-notional', type: 'no\r' }],
    );
    await pit.done('profile unset sandbox orderNotional');
    expect(screen).toContain('order-notional');
    expect([status === 0, await orders()]).toEqual([false, before]);
  });

  it('a lower limit of withdrawals', async () => {
    const [verified] = await pit.json<[{ address: string }]>('address btc --withdraw');
    const { address } = verified;
    const before = await withdrawals();
    const line = `withdraw btc 0.01 --to ${address} --confirm-address ${address}`;
    const { screen, status } = await confirmedAfter(line, 'password:', `${pit.served.address.safePwd}\r`, () =>
      pit.done('profile set sandbox withdrawLimit 0.001btc'),
    );
    expect(screen).toContain('is more than your limit for one withdrawal, 0.001 btc; nothing was sent.');
    expect([status, await withdrawals()]).toEqual([2, before]);
  });

  it.each([
    [
      'other keys',
      () =>
        pit.done('keys set --profile keyed --stdin', {
          input: 'another0-access-key0-0000\nanother0-secret-key0-0000\n',
        }),
      'keyed',
    ],
    ['another trade host', () => pit.done('profile set hosted trade-url https://elsewhere.example.com'), 'hosted'],
  ])('%s, which stop the order', async (_, change, profile) => {
    await addProfile(profile);
    const before = await orders();
    const line = `order buy btc_usdt 0.01 --at bid-2% --profile ${profile}`;
    const { screen, status } = await confirmedAfter(line, '[y/N]', 'y\r', change);
    expect(screen).toContain(`The hosts or keys of the profile "${profile}" were changed meanwhile. Nothing was sent.`);
    expect([status, await orders()]).toEqual([2, before]);
  });
});
