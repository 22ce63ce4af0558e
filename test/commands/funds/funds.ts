import { signedUrl } from '../../sandbox/signing.js';
import { withdrawalRequest } from '../../support/wire.js';
import type { Extra, PitHome, WorldHome } from '../pit-home.js';

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
export async function withdraw(pit: WorldHome, coin: string, amount: string, fees: string): Promise<string> {
  const { address } = pit.served;
  const [verified] = await pit.json<{ address: string }[]>(`address ${coin} --withdraw`);
  const to = verified?.address ?? '';
  const values = withdrawalRequest({ coin, amount, fee: fees, to, password: address.safePwd });
  const url = signedUrl(address, address, 'withdraw', values, pit.world.exchange.time);
  const answer = JSON.parse(await pit.finish(pit.world.fetch(url)));
  if (answer.code !== 1000) throw new Error(JSON.stringify(answer));
  return answer.id;
}
