import { createHmac } from 'node:crypto';
import { parse as parseQuery } from 'node:querystring';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/exchange/operations/index.js';
import { checkedParameters, signedUrl } from '../../src/exchange/requests/request.js';
import { sign, signingKey, signingString } from '../../src/exchange/requests/signing.js';
import { EXAMPLES, REQ_TIME, SECRETS } from './signing-examples.js';

const HOSTS = { baseUrl: 'https://data.example', tradeUrl: 'https://trade.example' };

/** Splits at the first `=` only: reading a signing string is independent of writing one. */
function parametersOf(signed: string): Map<string, string> {
  return new Map(
    signed.split('&').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

describe('signatures of another client', () => {
  it.each(SECRETS)('derives the key of $secret', ({ secret, sha1 }) => {
    expect(signingKey(secret)).toBe(sha1);
  });

  it.each(EXAMPLES)('$name', ({ signed, secret, signature }) => {
    const parameters = parametersOf(signed);
    // in another order than they are signed in, and with the two that are not signed
    const shuffled = new Map([['sign', 'x'], ...[...parameters].reverse(), ['reqTime', REQ_TIME]]);
    expect(signingString(shuffled)).toBe(signed);
    expect(sign(shuffled, secret)).toBe(signature);
  });

  it.each(EXAMPLES.filter(({ query }) => query !== null))(
    'the URL of: $name',
    ({ signed, secret, signature, query }) => {
      const { method = '', accesskey = '', ...own } = Object.fromEntries(parametersOf(signed));
      expect(Object.keys(operations)).toContain(method);
      const keys = { accessKey: accesskey, secretKey: secret };
      const url = signedUrl(method as OperationName, HOSTS, new Map(Object.entries(own)), keys, Number(REQ_TIME));
      const [path, sent = ''] = url.split('?');
      expect(path).toBe(`https://trade.example/api/${method}`);
      expect(sent.split('&').sort()).toEqual(query?.split('&').sort());
      expect({ ...parseQuery(sent) }).toEqual({ method, accesskey, ...own, sign: signature, reqTime: REQ_TIME });
    },
  );

  it('accepts the values of the last vector except for the empty one', () => {
    const values = { currency: 'btc_usdt', tradeType: '1', price: '2', amount: '1' };
    expect([...checkedParameters('order', values).keys()]).toEqual(['currency', 'tradeType', 'price', 'amount']);
    expect(() => checkedParameters('order', { ...values, customerOrderId: '' })).toThrow(/^customerOrderId must be/);
  });
});

describe('a fund password', () => {
  const withdrawal = { amount: '1', currency: 'usdt', fees: '0', receiveAddr: 'a_b' };
  const keys = { accessKey: 'ak-0001', secretKey: 'sk-0002' };
  /** The SHA-1 digest of sk-0002. */
  const KEY = '1538299203da9904c12a73dad4d48093d7fb9296';

  function sent(safePwd: string): string {
    const parameters = checkedParameters('withdraw', { ...withdrawal, safePwd });
    return signedUrl('withdraw', HOSTS, parameters, keys, 1);
  }

  function expectSame(safePwd: string): void {
    const url = sent(safePwd);
    expect(parseQuery(url.slice(url.indexOf('?') + 1)).safePwd).toBe(safePwd);
    expect(new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('safePwd')).toBe(safePwd);
    // as the HTTP library normalises it before it is sent
    expect(new URL(url).searchParams.get('safePwd')).toBe(safePwd);
    const signed = `accesskey=ak-0001&amount=1&currency=usdt&fees=0&method=withdraw&receiveAddr=a_b&safePwd=${safePwd}`;
    expect(new URL(url).searchParams.get('sign')).toBe(createHmac('md5', KEY).update(signed).digest('hex'));
    expect(url).toMatch(/^[\x21-\x7e]+$/);
  }

  it.each(['&=%+#', 'a\'b"c`d', 'p ss', '100%25', '?/\\;:@', 'пароль', '密码🔑', '-_.!~*()', '+49 30'])(
    '%s',
    (safePwd) => {
      expectSame(safePwd);
    },
  );

  it('arrives unchanged, whatever printable characters it has', () => {
    const printable = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        printable.filter((text) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)),
        expectSame,
      ),
    );
  });

  it('signs the fund password raw, not encoded', () => {
    // printf '%s' 'accesskey=…&safePwd=a&b=%+#' | openssl dgst -md5 -hmac 1538…9296
    expect(new URL(sent('a&b=%+#')).searchParams.get('sign')).toBe('3ce4a8036a191acde616093d5cf7fd89');
  });
});
