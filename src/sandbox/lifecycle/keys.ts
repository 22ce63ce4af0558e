import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxKeys } from './address.js';
import { readRecord, replacePrivate } from './files.js';

/** The keys of this folder, which outlive a reset; new ones when there are none yet. */
export function keysOf(file: string): SandboxKeys {
  const { accessKey, secretKey, safePwd, username } = readRecord(file) ?? {};
  if (typeof accessKey === 'string' && typeof secretKey === 'string' && typeof safePwd === 'string') {
    return { accessKey, secretKey, safePwd, username: typeof username === 'string' ? username : USERNAME };
  }
  return {
    accessKey: randomUUID(),
    secretKey: randomUUID(),
    safePwd: randomBytes(9).toString('base64url'),
    username: USERNAME,
  };
}

const USERNAME = 'sandbox';

/** Keeps the keys that the exchange has, which are the stored ones where it was not empty. */
export function keepKeys(file: string, { accessKey, secretKey, safePwd, username }: SandboxKeys): void {
  const text = `${JSON.stringify({ accessKey, secretKey, safePwd, username })}\n`;
  if (readRecord(file)?.secretKey !== secretKey) replacePrivate(file, text);
}
