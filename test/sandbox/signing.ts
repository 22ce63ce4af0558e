import { createHash, createHmac } from 'node:crypto';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * A signed URL as the interface has it, made without any of pit's own code.
 */
export function signedUrl(
  { tradeUrl }: Pick<SandboxAddress, 'tradeUrl'>,
  { accessKey, secretKey }: Keys,
  method: string,
  parameters: Readonly<Record<string, string>> = {},
  reqTime = Date.now(),
): string {
  const all: Record<string, string> = { ...parameters, accesskey: accessKey, method };
  const names = Object.keys(all).sort();
  const text = names.map((name) => `${name}=${all[name]}`).join('&');
  const key = createHash('sha1').update(secretKey).digest('hex');
  const sign = createHmac('md5', key).update(text).digest('hex');
  const query = names.map((name) => `${name}=${encodeURIComponent(all[name] ?? '')}`).join('&');
  return `${tradeUrl}/api/${method}?${query}&sign=${sign}&reqTime=${reqTime}`;
}
