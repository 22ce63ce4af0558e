import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Shape } from '../../src/cli/shapes.js';
import cancelAfter from '../../src/commands/cancel/cancel-after.js';
import { commands } from '../../src/commands/index.js';
import { schemasOf } from '../../src/commands/reference/schema.js';
import { Redaction, redactionOf } from '../../src/platform/redaction.js';
import { leaksIn } from './leaks.js';

function masking(...secrets: string[]): Redaction {
  const redaction = new Redaction();
  for (const secret of secrets) redaction.addSecret(secret);
  return redaction;
}

/** The names of the fields of a shape, and of the objects in it. */
function namesIn({ properties = {} }: Shape): string[] {
  return Object.entries(properties).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

describe('redaction', () => {
  it.each([
    [
      'https://x/api/order?method=order&accesskey=abc&sign=0af1&reqTime=1',
      'https://x/api/order?method=order&accesskey=***&sign=***&reqTime=1',
    ],
    ["{ safePwd: 'abc', amount: '1' }", "{ safePwd: '***', amount: '1' }"],
    ['{"sign":"0af1","id":"1"}', '{"sign":"***","id":"1"}'],
    ["URLSearchParams { 'sign' => '0af1', 'id' => '1' }", "URLSearchParams { 'sign' => '***', 'id' => '1' }"],
    ['?to=accesskey%3Dabc', '?to=accesskey%3D***'],
    ['push <Buffer 41 6b 2f ... 9 more bytes>', 'push <Buffer *** ... 9 more bytes>'],
  ])('masks a value by its name: %s', (text, masked) => {
    expect(new Redaction().apply(text)).toBe(masked);
  });

  it('masks a key of the environment as it is used, without the white space around it', () => {
    const redaction = redactionOf({ PIT_ACCESS_KEY: ' short-1\r\n', PIT_SECRET_KEY: '\tshort-2' });
    expect(redaction.apply('short-1 short-2')).toBe('*** ***');
  });

  it.each([
    ['abcdefghij', 'key abcdefghij.', 'key ***.'],
    ['abcdefghij', 'cut abcdefgh…', 'cut ***…'],
    ['abcdefghij', 'abcdefghijabcdefghij', '******'],
    ['abcdefghij', 'too short to tell: abcdefg', 'too short to tell: abcdefg'],
    ['abc', 'a short one stays: abc', 'a short one stays: abc'],
    ['a.c*e(g)', 'a.c*e(g) abcde(g)', '*** abcde(g)'],
    ['p\'a"s\\s&+ w', 'safePwd=p\'a"s\\s&+ w,', 'safePwd=***,'],
  ])('masks a known secret: %s in %s', (secret, text, masked) => {
    expect(masking(secret).apply(text)).toBe(masked);
  });

  it('masks every signature of this process for as long as it runs, because a signed URL can be sent again at any time', () => {
    const redaction = new Redaction();
    const signatures = Array.from({ length: 10_000 }, (_, index) =>
      createHash('md5').update(String(index)).digest('hex'),
    );
    for (const signature of signatures) redaction.addSignature(signature);
    expect(signatures.slice(-2_400).map((signature) => redaction.applyToData(signature))).toEqual(
      Array(2_400).fill('***'),
    );
    expect(redaction.apply(`cut ${signatures.at(-1)?.slice(0, 12)}…`)).toBe('cut ***…');
    for (const signature of [signatures[0] ?? '', signatures[5_000]?.toUpperCase() ?? '']) {
      expect([redaction.apply(signature), redaction.applyToData(signature)]).toEqual(['***', '***']);
      expect(redaction.apply(`cut ${signature.slice(0, 16)}…`)).toBe('cut ***…');
      expect(redaction.apply(`joined a0${signature}0a`)).toBe('joined a0***0a');
    }
    const other = 'f'.repeat(32);
    expect([redaction.apply(other), redaction.applyToData(other)]).toEqual([other, other]);
  });

  it.each([
    ['cut at its front', 'key 89abcdef0123.', 'key ***.'],
    ['cut in its middle', '4567 89ab', '***'],
    ['with spaces and invisible characters between', '0 1 2 3 4\u200b5\u200b6\u200b7 and', '*** and'],
    ['percent-encoded', 'x %30%31%32%33%34%35%36%37 y', 'x *** y'],
    ['percent-encoded again', 'x %2530%252531%32%33%34%35%36%37 y', 'x *** y'],
    ['in capitals', 'x 89ABCDEF y', 'x *** y'],
    ['that is another', 'x 76543210 fedcba98 y', 'x 76543210 fedcba98 y'],
  ])('parts of a long one, %s', (_, text, masked) => {
    expect(masking('0123456789abcdef0123456789abcdef').apply(text)).toBe(masked);
  });

  it('masks only long secrets in data: a fund password may be a part of an id', () => {
    const redaction = masking('0123456789abcdef', '2022');
    const data = '{"id":"202202224851151555","message":"0123456789abcdef"}';
    expect(redaction.applyToData(data)).toBe('{"id":"202202224851151555","message":"***"}');
  });

  it('masks the longer of two secrets with the same beginning, in any order', () => {
    const text = 'abcdefgh-long abcdefgh';
    for (const secrets of [
      ['abcdefgh', 'abcdefgh-long'],
      ['abcdefgh-long', 'abcdefgh'],
    ])
      expect(masking(...secrets).apply(text)).toBe('*** ***');
  });

  it.each([
    ['a literal', 'null', '{"error":{"message":"no null","hint":null}}', '{"error":{"message":"no ***","hint":null}}'],
    ['a number', '1003', '{"error":{"message":"1003","code":1003}}\n', '{"error":{"message":"***","code":1003}}\n'],
    ['an escape', 'u001b[2J', '{"note":{"message":"\\u001b[2J x"}}', '{"note":{"message":"\\u001b[2J x"}}'],
    ['a line end and more', 'n0123456789abcdef', '{"a":"x\\n0123456789abcdef"}', '{"a":"x\\n***"}'],
    ['a line that is no object', '12345678', '12345678\n', '***\n'],
    ['two texts', '01234567', '{"a":"0123","b":"4567"}', '{"a":"0123","b":"4567"}'],
    ['a name of pit’s own', 'kind', '{"error":{"kind":"kind"}}', '{"error":{"kind":"***"}}'],
    ['a name and more', 'clientId-7f', '{"error":{"clientId" : "clientId-7f"}}', '{"error":{"clientId" : "***"}}'],
    ['a name from outside', 'abcdefgh', '{"abcdefgh":1,"error":{"abcdefgh" :2}}', '{"***":1,"error":{"***" :2}}'],
    ['text that it hides', 'abcdefgh', '{"a":"abcdefgh \\u202e"}\n{"b":1}\n', '{"a":"*** \\u202e"}\n{"b":1}\n'],
  ])('masks nothing but texts in lines of JSON objects, if a secret is like %s', (_, secret, lines, masked) => {
    expect(masking(secret).applyToOutput(lines)).toBe(masked);
  });

  it('masks no name that pit gives to what it prints on stderr as JSON', async () => {
    const [warning, error] = await Promise.all(['warning', 'error'].map((one) => schemasOf(one, commands)));
    // held while a command runs, the timer is printed on stderr
    const names = [...namesIn({ properties: { ...warning, ...error } }), ...namesIn(cancelAfter.output)];
    expect(names).toEqual(expect.arrayContaining(['warning', 'error', 'halted', 'cancelsAt']));
    for (const name of ['note', ...names]) {
      const line = JSON.stringify({ [name]: 'text' });
      expect(masking(name).applyToOutput(line)).toBe(line);
    }
  });

  it('keeps each line of JSON on stderr, and each answer, a document of the same form, whatever the secrets are', () => {
    const unit = fc.constantFrom(...'ntu0019abcdef"\\/{}[],:.-=& ');
    const text = fc.string({ unit, minLength: 4, maxLength: 40 });
    const form = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'string' ? '' : one));
    fc.assert(
      fc.property(text, text, fc.integer(), (secret, other, code) => {
        const error = { kind: 'refused', message: `${other}${secret}${other}`, hint: null, code, halted: true };
        const redaction = masking(secret);
        for (const masked of [
          redaction.applyToOutput(`${JSON.stringify({ error })}\n`),
          redaction.applyToData(JSON.stringify({ error })),
        ])
          expect(form(JSON.parse(masked))).toBe(form({ error }));
      }),
    );
  });

  it.each([
    ['a slash', (secret: string) => secret.replaceAll('/', '\\/')],
    ['each letter', (secret: string) => secret.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
  ])('masks a key in an answer of the exchange that escapes %s of it', (_, escaped) => {
    const key = 'Ak/9f7d+2c91=e8b35a60';
    const masked = masking(key).applyToData(`{"code":1003,"message":"unknown key ${escaped(key)}"}`);
    expect(JSON.parse(masked)).toEqual({ code: 1003, message: 'unknown key ***' });
  });

  it('masks nothing else', () => {
    const text = 'Placed buy 0.01 btc_usdt at 30000, assigned to design: signed off';
    expect(masking('abcdefghij', '').apply(text)).toBe(text);
  });

  it('masks any secret in every form that the runtime may print', () => {
    const secret = fc.string({ unit: fc.constantFrom(...'Qw7\'"`\\&=%+# é/$*{(['), minLength: 10, maxLength: 40 });
    fc.assert(
      fc.property(secret, (one) => {
        const url = new URL(`https://x/api/y?method=y&zz=${encodeURIComponent(one)}`);
        const texts = [
          one,
          JSON.stringify({ one }),
          inspect({ one }),
          inspect(`${one} '"\``),
          url.href,
          inspect(url),
          new URLSearchParams({ one }).toString(),
          inspect(Buffer.from(one)),
        ];
        const redaction = masking(one);
        expect(leaksIn({ all: texts.map((text) => redaction.apply(text)).join('\n') }, [one])).toEqual([]);
      }),
    );
  });
});
