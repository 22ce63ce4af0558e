import { chmodSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/errors.js';
import {
  connectError,
  get,
  Network,
  requireCertificates,
  TransportError,
} from '../../src/exchange/requests/transport.js';
import { adviceText } from '../support/advice.js';
import { temporaryState } from '../trading/support/trading.js';

/** A connection on which this is answered once a request was sent, null for its end, and what was sent on it. */
function answering(...texts: readonly (string | null)[]) {
  let sent = '';
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _, written) => {
      sent += String(chunk);
      if (sent.endsWith('\r\n\r\n')) setImmediate(() => texts.map((text) => socket.push(text)));
      written();
    },
  });
  return { network: new Network(undefined, () => socket as Socket), sent: () => sent };
}

const OPTIONS = { freshConnection: false, timeoutMs: 5_000, maxBytes: 2 ** 20 };

function asked(network: Network, options: Partial<Parameters<typeof get>[1]> = {}) {
  return get('http://exchange.test/api', { ...OPTIONS, network, ...options });
}

const answer = (...headers: string[]) =>
  `${['HTTP/1.1 200 OK', 'Content-Length: 2', ...headers].join('\r\n')}\r\n\r\n{}`;

async function faultOf(request: Promise<unknown>): Promise<TransportError> {
  const thrown = await request.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof TransportError) return thrown;
  throw new Error(`no fault: ${thrown}`);
}

describe('an answer', () => {
  it.each<[string[], object]>([
    [[], { status: 200, body: '{}', date: null, ageMs: 0, retryAfter: null, certificateExpires: null }],
    [['Date: Mon, 05 Jan 2026 12:00:00 GMT'], { date: Date.UTC(2026, 0, 5, 12) }],
    [['Date: yesterday'], { date: null }],
    [['Age: 600'], { ageMs: 600_000 }],
    [['Age: -1'], { ageMs: 0 }],
    [['Age: 1.5'], { ageMs: 0 }],
    [['Retry-After: 30'], { retryAfter: 30 }],
    [['Retry-After: 999999'], { retryAfter: 999_999 }],
    [['Retry-After: 1000000'], { retryAfter: null }],
    [['Retry-After: Mon, 05 Jan 2026 12:00:00 GMT'], { retryAfter: null }],
    [['Retry-After: 30 s'], { retryAfter: null }],
  ])('with the headers %j is read', async (headers, expected) => {
    expect(await asked(answering(answer(...headers)).network)).toMatchObject(expected);
  });

  it('is told of once it begins to arrive', async () => {
    const onResponse = vi.fn();
    await asked(answering(answer()).network, { onResponse });
    expect(onResponse).toHaveBeenCalledOnce();
  });

  it.each([
    ['is cut off', ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}', null], 'truncated', /^the answer was cut off \(/],
    ['is no HTTP', ['hello\r\n\r\n', null], 'invalidHttp', /^the answer was not valid HTTP \(HPE_/],
    ['does not come', [null], 'reset', /^connection reset \(/],
  ] as const)('that %s is a fault of a request that was sent', async (_, texts, fault, message) => {
    const error = await faultOf(asked(answering(...texts).network));
    expect(error).toMatchObject({ fault, mayHaveBeenSent: true, message: expect.stringMatching(message) });
  });

  it('of a connection that breaks while the request leaves is a fault of one that may have been sent', async () => {
    const socket = new Duplex({
      read: () => undefined,
      write: (_, __, written) => {
        socket.push('hello\r\n\r\n');
        written();
      },
    });
    const network = new Network(undefined, () => socket as Socket);
    // what is said of it hangs on the version of Node
    expect(await faultOf(asked(network))).toMatchObject({
      ...{ fault: expect.stringMatching(/^(invalidHttp|reset)$/), mayHaveBeenSent: true },
      message: expect.stringMatching(/ \((HPE|ERR_STREAM)_\w+\)$/),
    });
  });

  it('that does not come in time is given up', async () => {
    const request = asked(answering().network, { timeoutMs: 1 });
    expect(await faultOf(request)).toMatchObject({
      fault: 'timeout',
      message: expect.stringMatching(/^no answer in time/),
    });
  });

  it('that is longer than the limit is given up', async () => {
    const body = 'x'.repeat(2 ** 20 + 1);
    const { network } = answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const { fault, message } = await faultOf(asked(network));
    expect([fault, message]).toEqual(['tooLong', 'the answer was longer than 1 MB']);
  });

  it('that changes the protocol is given up', async () => {
    const { network } = answering('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    expect(await faultOf(asked(network))).toMatchObject({
      ...{ fault: 'protocol', message: 'the host changed the protocol (HTTP 101)', mayHaveBeenSent: true },
    });
  });
});

it('a request that is cancelled before it begins is not sent', async () => {
  const { network, sent } = answering(answer());
  expect(await faultOf(asked(network, { signal: AbortSignal.abort() }))).toMatchObject({
    ...{ fault: 'cancelled', mayHaveBeenSent: false, message: 'the request was cancelled' },
  });
  expect(sent()).toBe('');
});

it('a request that is cancelled while it waits may have been sent', async () => {
  const { network, sent } = answering();
  const controller = new AbortController();
  const request = faultOf(asked(network, { signal: controller.signal }));
  const abort = () => (sent() === '' ? setImmediate(abort) : controller.abort());
  abort();
  expect(await request).toMatchObject({ fault: 'cancelled', mayHaveBeenSent: true });
});

describe('a connection that was not made', () => {
  it.each([
    ['ENOTFOUND', 'hostNotFound', 'host name not found (ENOTFOUND)'],
    ['EAI_AGAIN', 'hostNotFound', 'host name not found (EAI_AGAIN)'],
    ['ECONNREFUSED', 'connectionRefused', 'connection refused (ECONNREFUSED)'],
    ['ENETUNREACH', 'noConnection', 'no connection (ENETUNREACH)'],
    ['ETIMEDOUT', 'noConnection', 'no connection (ETIMEDOUT)'],
    ['EPROXY', 'proxy', 'in its own words'],
    ['EPROXYLOGIN', 'proxy', 'in its own words'],
    ['CERT_HAS_EXPIRED', 'certificate', "the host's certificate has expired (CERT_HAS_EXPIRED)"],
    ['CERT_NOT_YET_VALID', 'certificate', "the host's certificate is not valid yet (CERT_NOT_YET_VALID)"],
    ['CERT_REVOKED', 'certificate', "the host's certificate was revoked (CERT_REVOKED)"],
    ['EPROTO', 'certificate', 'the host does not speak TLS there (EPROTO)'],
    ['ERR_SSL_NO_CIPHER', 'certificate', 'TLS could not be set up (ERR_SSL_NO_CIPHER)'],
    ['ERR_TLS_ODD', 'certificate', 'certificate rejected (ERR_TLS_ODD)'],
    ['CERT_ODD', 'certificate', 'certificate rejected (CERT_ODD)'],
    ['UNABLE_TO_VERIFY_ODD', 'certificate', 'certificate rejected (UNABLE_TO_VERIFY_ODD)'],
  ])('for %s is the fault %s', (code, fault, message) => {
    const error = connectError({ code, message: 'in its own words' });
    expect(error).toMatchObject({ fault, message, mayHaveBeenSent: false });
    expect(error.hint !== undefined).toBe(fault === 'certificate' || code === 'EPROXYLOGIN');
  });
});

it('a certificate that is not trusted names the setting for a private authority, and what else it may mean', () => {
  const { hint = [] } = connectError({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: '' });
  expect(adviceText(hint)).toBe(
    'If a private authority signs for the host, trust it: pit profile set {profile} caFile /path/to/ca.pem Or name its PEM file in NODE_EXTRA_CA_CERTS. If there is no such authority, somebody may be listening in.',
  );
});

describe('the file of the certificates', () => {
  const fileWith = (text: string) => {
    const file = path.join(temporaryState(), 'ca.pem');
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const failureOf = (file: string): Failure => {
    try {
      requireCertificates(file);
    } catch (thrown) {
      if (thrown instanceof Failure) return thrown;
    }
    throw new Error('it did not fail');
  };

  it('has to hold one', () => {
    expect(() => requireCertificates(fileWith('-----BEGIN CERTIFICATE-----'))).not.toThrow();
    const file = fileWith('nothing');
    const failure = failureOf(file);
    expect(failure).toMatchObject({ kind: 'usage', message: `The caFile ${file} holds no certificate.` });
    expect(adviceText(failure.hints)).toBe('Name a PEM file with the certificates of your authority.');
  });

  it('has to be there', () => {
    expect(failureOf('/nowhere/ca.pem').message).toBe('The caFile /nowhere/ca.pem cannot be read (ENOENT).');
  });

  it('must not be one that others can change', () => {
    const file = fileWith('-----BEGIN CERTIFICATE-----');
    chmodSync(file, 0o666);
    const failure = failureOf(file);
    expect(failure.message).toMatch(`The caFile ${file} cannot be trusted. `);
    expect(adviceText(failure.hints)).toBe(
      'Others must not be able to change or replace it: keep it in a folder of your own.',
    );
  });
});
