import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { signedUrl } from '../../sandbox/signing.js';
import type { Extra, PitHome } from '../pit-home.js';

interface Account {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** The environment of another sandbox account whose key has these permissions. */
export async function keyWith(pit: PitHome, name: string, permissions: string): Promise<Extra> {
  const account = await pit.json<Account>(`sandbox account add ${name} --permissions ${permissions}`);
  const keys = { PIT_ACCESS_KEY: account.accessKey, PIT_SECRET_KEY: account.secretKey };
  return { environment: { ...pit.served.environment, ...keys } };
}

/** Withdraws and returns the id of the record. */
export async function withdraw(pit: PitHome, coin: string, amount: string, fees: string): Promise<string> {
  const { address } = pit.served;
  const [verified] = await pit.json<{ address: string }[]>(`address ${coin} --withdraw`);
  const values = { amount, currency: coin, fees, receiveAddr: verified?.address ?? '', safePwd: address.safePwd };
  const { time } = await pit.json<{ time: string }>('sandbox status');
  const url = signedUrl(address, address, 'withdraw', values).replace(/reqTime=\d+/, `reqTime=${Date.parse(time)}`);
  const [response] = (await once(get(url, { headers: { 'user-agent': 'Mozilla/5.0' } }), 'response')) as [
    IncomingMessage,
  ];
  const answer = JSON.parse(await text(response));
  if (answer.code !== 1000) throw new Error(JSON.stringify(answer));
  return answer.id;
}
