import { createHash, createHmac } from 'node:crypto';

/** Step 1 of the recipe: the lower-case hexadecimal SHA-1 digest of the secret key, 40 characters. @internal for its test */
export function signingKey(secretKey: string): string {
  return createHash('sha1').update(secretKey, 'utf8').digest('hex');
}

/**
 * Step 2: every parameter except `sign` and `reqTime`, ordered by name in ascending ASCII order, as `name=value` joined
 * with `&`. Values are raw, not URL-encoded.
 * @internal for its test
 */
export function signingString(parameters: ReadonlyMap<string, string>): string {
  return [...parameters]
    .filter(([name]) => name !== 'sign' && name !== 'reqTime')
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Step 3: the lower-case hexadecimal HMAC-MD5 of the signing string under the 40-character key, 32 characters. */
export function sign(parameters: ReadonlyMap<string, string>, secretKey: string): string {
  return createHmac('md5', signingKey(secretKey)).update(signingString(parameters), 'utf8').digest('hex');
}

/**
 * The signature of a message over the WebSocket, as observed: HMAC-MD5 under the same key, over the compact JSON of the
 * message without `sign`, its names in ascending ASCII order.
 */
export function signMessage(message: Readonly<Record<string, string>>, secretKey: string): string {
  const sorted = Object.entries(message)
    .filter(([name]) => name !== 'sign')
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const text = JSON.stringify(Object.fromEntries(sorted));
  return createHmac('md5', signingKey(secretKey)).update(text, 'utf8').digest('hex');
}
