import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyStore, lastFour, parseKeys } from '../../src/config/keys.js';
import { Profiles } from '../../src/config/profiles.js';
import { saying } from '../support/advice.js';
import { anyText } from '../support/any-text.js';
import { everythingIn, failureOf, freshFolder, HOSTS, noKeychain } from './support.js';

const key = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
const lineEnd = fc.constantFrom('\n', '\r\n');
/** What is copied along with a key: white space and blank lines. */
const around = fc.stringMatching(/^[ \t\r\n\u00a0\ufeff]{0,5}$/);

describe('parseKeys', () => {
  test('reads two lines of valid characters unchanged, without the white space and the blank lines around them', () => {
    fc.assert(
      fc.property(
        key,
        key,
        lineEnd,
        fc.array(around, { minLength: 4, maxLength: 4 }),
        (accessKey, secretKey, end, spaces) => {
          const [before, left, right, after] = spaces;
          const text = `${before}${accessKey}${left}${end}${right}${secretKey}${after}`;
          expect(parseKeys(text)).toEqual({ accessKey, secretKey });
        },
      ),
    );
  });

  test('rejects any text that is not exactly two keys', async () => {
    const text = fc.array(fc.oneof(anyText(), lineEnd, fc.constant(' '), key)).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        if (/^\s*[\x21-\x7e]{1,512}\s*?[\r\n]\s*[\x21-\x7e]{1,512}\s*$/.test(given)) {
          expect(Object.values(parseKeys(given))).toEqual(given.trim().split(/\s+/));
        } else {
          expect((await failureOf(() => parseKeys(given))).kind).toBe('usage');
        }
      }),
    );
  });

  test.each([
    ['one line', 'canary-access'],
    ['three lines', 'canary-access\ncanary-secret\ncanary-more'],
    ['an empty access key', '\ncanary-secret\n'],
    ['an empty secret key', 'canary-access\n\n'],
    ['a space inside', 'canary access\ncanary-secret\n'],
    ['a tab', 'canary-access\ncanary\tsecret\n'],
    ['a control character', 'canary-access\ncanary\0secret\n'],
    ['a space between them', 'canary-access canary-secret\n'],
    ['white space alone', ' \n\t\n\n'],
    ['too much', `canary-access\n${'canary'.repeat(1_000)}\n`],
    ['nothing', ''],
  ])('rejects %s without quoting it', async (_, text) => {
    const failure = await failureOf(() => parseKeys(text));
    expect(failure).toMatchObject({ kind: 'usage', hints: saying(/./) });
    expect(everythingIn(failure)).not.toContain('canary');
  });
});

test.each([
  ['canary access\nsecret', 'The access key holds a space, a control character or another character that no key has.'],
  ['access\ncanary secret', 'The secret key holds a space, a control character or another character that no key has.'],
  [`access\n${'s'.repeat(513)}`, 'The secret key is too long.'],
])('parseKeys says which of two keys is wrong, and why', async (text, message) => {
  expect((await failureOf(() => parseKeys(text))).message).toBe(message);
});

describe('lastFour', () => {
  test.each([
    ['', '…'],
    ['1234567', '…'],
    ['12345678', '…5678'],
    ['access-key-1234', '…1234'],
  ])('shows %j as %s', (given, shown) => expect(lastFour(given)).toBe(shown));
});

describe('the key store', () => {
  test('stores, replaces and removes any valid pair', async () => {
    const folder = freshFolder();
    const keys = new KeyStore(folder, noKeychain);
    await new Profiles(folder).add({ name: 'main', ...HOSTS });
    expect(await keys.get('main')).toBeNull();
    await fc.assert(
      fc.asyncProperty(key, key, async (accessKey, secretKey) => {
        await keys.set('main', { accessKey, secretKey }, 'file');
        expect(await keys.get('main')).toEqual({ accessKey, secretKey });
      }),
      { numRuns: 10, examples: [['__proto__', '{"$ref":"\\u0000"}']] },
    );
    expect(await keys.remove('main')).toBe(true);
    expect(await keys.remove('main')).toBe(false);
  });

  test.each(['sandbox', 'nobody'])('stores no keys for %s', async (name) => {
    const pair = { accessKey: 'canary-access', secretKey: 'canary-secret' };
    const failure = await failureOf(() => new KeyStore(freshFolder(), noKeychain).set(name, pair, 'file'));
    expect(failure.kind).toBe('usage');
    expect(everythingIn(failure)).not.toContain('canary');
  });
});
