import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PIT, pitLine } from '../../support/command.js';
import { countRequests } from '../../support/counting-proxy.js';
import { plainEnvironment } from '../../support/pit.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();

/** Withdraws to a verified address. */
async function withdrawal(amount: string): Promise<string> {
  const [{ address } = { address: '' }] = await pit.json<{ address: string }[]>('address btc --withdraw');
  return `withdraw btc ${amount} --to ${address} --confirm-address ${address}`;
}

it('reads the fund password from a descriptor that the shell opened', async () => {
  const file = path.join(pit.home, 'password.txt');
  writeFileSync(file, `${pit.served.address.safePwd}\n`, { mode: 0o600 });
  const command = `exec "$@" ${await withdrawal('0.0124')} --safe-pwd-fd 3 --csv 3< "$0"`;
  const env = plainEnvironment(pit.home);
  const { stdout } = await promisify(execFile)('sh', ['-c', command, file, ...pitLine()], { env });
  expect(stdout).toMatch(/^outcome,id,coin,amount,fee,receives,/);
});

it('says that nothing was sent if a signal stops a withdrawal before it is sent', async () => {
  const proxy = await countRequests(pit.served.address.tradeUrl);
  const words = `${await withdrawal('0.01')} --safe-pwd-stdin`.split(' ');
  // the second read of the records comes right before the request
  await pit.done('sandbox fault add delay --delay 60000 --operation getWithdrawRecord --every 2');
  const env = plainEnvironment(pit.home, { ...pit.served.environment, PIT_TRADE_URL: proxy.url });
  const child = spawn(PIT.command, [...PIT.arguments, ...words], { env });
  let error = '';
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  child.stdin.end(`${pit.served.address.safePwd}\n`);
  const ended = once(child, 'close');
  await Promise.race([proxy.passed('getWithdrawRecord', 2), ended]);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  await pit.done('sandbox fault clear');
  expect(error.trimEnd().split('\n').at(-1)).toBe('Nothing was sent.');
});
