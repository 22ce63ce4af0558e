import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/sandbox/server/parameters.js';
import { Verifier } from '../../../src/sandbox/server/verify.js';

const FIRST = {
  accessKey: '6d8f62fd-3086-46e3-a0ba-c66a929c24e2',
  secretKey: '48939bbc-8d49-402b-b731-adadf2ea9628',
};
const SECOND = { accessKey: 'ak-0001', secretKey: 'sk-0002' };

/** Made by another client of the interface and checked with OpenSSL; the queries are what goes over the wire. */
const VECTORS = [
  [
    'an order',
    FIRST,
    'tradeType=1&method=order&price=31000.5&currency=btc_usdt&amount=0.0123',
    '1a4cf619958f1be464dd20018b7e2ec1',
  ],
  [
    'raw brackets and commas',
    FIRST,
    'market=btc_usdt&method=orderMoreV2&tradeParams=%5B%5B31000.5%2C0.01%5D%2C%5B30999%2C0.02%5D%5D&tradeType=1',
    '35d6190e504c216df48b0572f5f66130',
  ],
  [
    'spaces as plus and colons as percent',
    FIRST,
    'currency=usdt&dataType=0&endDate=2022-03-29+10%3A00%3A00&method=getSpotBills&pageIndex=1&pageSize=10&startDate=2022-03-28+10:00:00',
    '9c652cfa26f8691d17349c7cf7c8887d',
  ],
  [
    'spaces as percent',
    FIRST,
    'currency=usdt&dataType=0&endDate=2022-03-29%2010:00:00&method=getSpotBills&pageIndex=1&pageSize=10&startDate=2022-03-28%2010:00:00',
    '9c652cfa26f8691d17349c7cf7c8887d',
  ],
  [
    'an account with a memo',
    FIRST,
    'amount=3&currency=eos&fees=0.1&method=withdraw&receiveAddr=eosaccount12_1000234&safePwd=fund-pass-1',
    'b5582b8bde212cfc2ecf6fb966945c11',
  ],
  ['ASCII order', SECOND, 'b=1&ab=8&aB=7&a1=6&a=4&_c=3&Z=5&B=2&method=order', '9170536f8ee48ef53bd5323d4711a4f7'],
  [
    'an empty value',
    SECOND,
    'amount=1&currency=btc_usdt&customerOrderId=&method=order&price=2&tradeType=1',
    '3774a8e2df67a17ce55af8395758eb73',
  ],
] as const;

describe('signature verification', () => {
  it.each(VECTORS)('accepts %s as signed', (_what, account, query, sign) => {
    const parameters = readQuery(`reqTime=1540295995557&${query}&accesskey=${account.accessKey}&sign=${sign}`);
    expect(() => new Verifier().checkSignature(account, parameters, sign)).not.toThrow();
  });

  it('follows a changed secret key', () => {
    const verifier = new Verifier();
    const [, account, query, sign] = VECTORS[0];
    const parameters = readQuery(`${query}&accesskey=${account.accessKey}`);
    verifier.checkSignature(account, parameters, sign);
    const changed = { ...account, secretKey: 'another' };
    expect(() => verifier.checkSignature(changed, parameters, sign)).toThrow('the signature is wrong');
  });

  it('signs characters beyond ASCII as UTF-8', () => {
    // printf 'accesskey=ak-0001&safePwd=pässwörd €' | openssl dgst -md5 -hmac 1538299203da9904c12a73dad4d48093d7fb9296
    const parameters = readQuery('accesskey=ak-0001&safePwd=p%C3%A4ssw%C3%B6rd+%E2%82%AC');
    expect(() => new Verifier().checkSignature(SECOND, parameters, 'cf75c3c7f13dba586a53ef2b8fe74fa4')).not.toThrow();
  });
});
