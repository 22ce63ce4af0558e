import { describe, expect, test } from 'vitest';
import { type KeychainFailure, SystemKeychain } from '../../src/config/keychain.js';
import type { KeychainAnswer } from '../../src/config/keychain-helper.js';
import { adviceText } from '../support/advice.js';
import { type Answer, fakeHelpers } from './fake-helper.js';
import { failureOf } from './support.js';

/** A keychain whose helpers answer like this, and what it did with them and its host. */
function keychainWith(
  answer: Answer,
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = () => new Promise(() => undefined),
) {
  const helpers = fakeHelpers(answer);
  const end = new AbortController();
  const [secrets, exits, waits]: [string[], (() => void)[], string[]] = [[], [], []];
  const host = {
    self: { command: '/bin/pit', arguments: ['--flag'] },
    environment: { HOME: '/home/me', NODE_EXTRA_CA_CERTS: '/ca.pem', NODE_DEBUG: 'net' },
    redaction: { addSecret: (text: string) => void secrets.push(text) },
    sleep,
    onExit: (work: () => void) => {
      exits.push(work);
      return () => void exits.splice(exits.indexOf(work), 1);
    },
    endSignal: end.signal,
  };
  const during = async <Value>(call: () => Promise<Value>) => {
    waits.push('begins');
    return call().finally(() => void waits.push('ends'));
  };
  const keychain = new SystemKeychain(host as never, { during, milliseconds: () => 4_960 });
  return { keychain, helpers, end, secrets, exits, waits };
}

const saying =
  (answer: KeychainAnswer): Answer =>
  (helper) =>
    void helper.emit('message', answer);

const refusing = (kind: 'missing' | 'unavailable' | 'refused', detail: string) => saying({ problem: { kind, detail } });

describe('the keychain of the system', () => {
  test('is asked by a helper process, which gets the request over a channel and is killed when it has answered', async () => {
    const { keychain, helpers, exits, waits } = keychainWith(saying({ text: 'kept' }));
    expect(await keychain.read('main-1')).toBe('kept');
    expect(helpers.map(({ call, requests, signals }) => ({ call, requests, signals }))).toEqual([
      {
        call: [
          '/bin/pit',
          ['--flag', 'keychain-helper'],
          { env: { HOME: '/home/me' }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], windowsHide: true },
        ],
        requests: [{ action: 'read', entry: 'main-1' }],
        signals: ['SIGKILL'],
      },
    ]);
    expect([exits, waits]).toEqual([[], ['begins', 'ends']]);
  });

  test('is not waited for any longer once it has answered', async () => {
    let waiting: AbortSignal | undefined;
    const { keychain } = keychainWith(saying({ text: 'kept' }), (_, signal) => {
      waiting = signal;
      return new Promise(() => undefined);
    });
    await keychain.read('main-1');
    expect(waiting?.aborted).toBe(true);
  });

  test('has no entry, and can remove one that is gone', async () => {
    const { keychain, helpers } = keychainWith(saying({ text: null }));
    expect(await keychain.read('main-1')).toBeNull();
    await keychain.remove('main-1');
    expect(helpers.map(({ requests }) => requests)).toEqual([
      [{ action: 'read', entry: 'main-1' }],
      [{ action: 'remove', entry: 'main-1' }],
    ]);
  });

  test('stores each text under a new name, as a secret that is masked from then on', async () => {
    const { keychain, helpers, secrets } = keychainWith((helper, request) =>
      helper.emit('message', { text: request.action === 'write' ? request.text : null }),
    );
    const names = [await keychain.store('main', 'access\nsecret'), await keychain.store('main', 'access\nsecret')];
    expect(new Set(names).size).toBe(2);
    for (const [index, entry] of names.entries()) {
      expect(entry).toMatch(/^main-[0-9a-f]{16}$/);
      expect(helpers[index]?.requests).toEqual([{ action: 'write', entry, text: 'access\nsecret' }]);
    }
    expect(secrets).toEqual(['access', 'secret', 'access', 'secret']);
  });

  test('that did not keep a text loses the entry again, though that fails too', async () => {
    for (const removal of [{ text: null }, { problem: { kind: 'refused', detail: 'no' } }] as const) {
      const { keychain, helpers } = keychainWith((helper, request) =>
        helper.emit('message', request.action === 'write' ? { text: 'another' } : removal),
      );
      const failure = await failureOf(() => keychain.store('main', 'access\nsecret'));
      expect(failure).toMatchObject({ kind: 'credentials', message: 'The keychain did not keep the keys.', hints: [] });
      expect(failure).toMatchObject({ insteadHint: null });
      const [written, removed] = helpers.flatMap(({ requests }) => requests);
      expect(removed).toEqual({ action: 'remove', entry: written?.entry });
    }
  });

  test('is left when the program exits: its helper is killed', async () => {
    const { keychain, helpers, exits } = keychainWith((helper) => {
      for (const exit of exits) exit();
      helper.emit('exit', null, 'SIGKILL');
    });
    const { message } = await failureOf(() => keychain.read('main-1'));
    expect(message).toBe('The keychain refused: the helper process ended with SIGKILL.');
    expect(helpers[0]?.signals).toEqual(['SIGKILL', 'SIGKILL']);
  });

  test('is left when a signal ends the command, which no helper waits for afterwards', async () => {
    const { keychain, helpers, end } = keychainWith((helper) => {
      end.abort();
      helper.emit('exit', null, 'SIGKILL');
    });
    await failureOf(() => keychain.read('main-1'));
    expect(helpers[0]?.signals).toEqual(['SIGKILL', 'SIGKILL']);
    const later = keychainWith(saying({ text: 'kept' }));
    await later.keychain.read('main-1');
    later.end.abort();
    expect(later.helpers[0]?.signals).toEqual(['SIGKILL']);
  });
});

const UNATTENDED =
  /^In cron, containers and most ssh sessions there is none: .* Or keep the keys in a file, .*: pit keys set --store file --file KEYS$/;

describe('a keychain that cannot be used', () => {
  test.each<[string, Answer, message: string | RegExp, hint: RegExp, instead: RegExp | null]>([
    [
      'has no package',
      refusing('missing', '/opt/my pit'),
      'The keychain cannot be used: the package @napi-rs/keyring is not installed.',
      /^Install it: npm install --no-save --prefix '\/opt\/my pit' @napi-rs\/keyring@\d+\.\d+\.\d+$/,
      /^Install it: npm install --no-save --prefix '\/opt\/my pit' @napi-rs\/keyring@\d+\.\d+\.\d+$/,
    ],
    [
      'has no session',
      refusing('unavailable', 'Platform: DBus error: Cannot autolaunch D-Bus without X11'),
      /^No keychain was found: .*there is no D-Bus session\.$/,
      UNATTENDED,
      /^$/,
    ],
    [
      'has no service',
      refusing('unavailable', 'Platform: DBus error: The name is not activatable'),
      /^No keychain was found: (no secret service answers, such as GNOME Keyring or KWallet: )?The name is not activatable\.$/,
      UNATTENDED,
      /^$/,
    ],
    [
      'is locked',
      refusing('refused', 'Prompt was Dismissed'),
      'The keychain is locked and was not unlocked.',
      /^Unlock it, for example by logging in to the desktop, and run the command again\. In cron,/,
      null,
    ],
    [
      'has no keyring',
      refusing('refused', 'No result found'),
      'The keychain has no keyring to store keys in.',
      /^Create one, for example in the program "Passwords and Keys", and make it the default\.$/,
      null,
    ],
    ['says something else', refusing('refused', 'no way'), 'The keychain refused: no way.', UNATTENDED, null],
    [
      'has a helper that does not start',
      (helper) => void helper.emit('error', new Error('spawn ENOENT')),
      'The keychain refused: the helper process did not start: spawn ENOENT.',
      UNATTENDED,
      null,
    ],
    [
      'has a helper that ends',
      (helper) => void helper.emit('exit', 1, null),
      'The keychain refused: the helper process ended with 1.',
      UNATTENDED,
      null,
    ],
  ])('%s', async (_, answer, message, hint, instead) => {
    const failure = await failureOf(() => keychainWith(answer).keychain.read('main-1'));
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringMatching(message) });
    expect(adviceText(failure.hints)).toMatch(hint);
    const { insteadHint } = failure as KeychainFailure;
    expect(insteadHint && adviceText(insteadHint)).toEqual(instead && expect.stringMatching(instead));
  });

  test('does not answer in time', async () => {
    const { keychain, helpers } = keychainWith(
      () => undefined,
      async () => undefined,
    );
    const { message } = await failureOf(() => keychain.read('main-1'));
    expect(message).toBe(
      'The keychain refused: it did not answer within 5 seconds; it may be waiting for its password.',
    );
    expect(helpers[0]?.signals).toEqual(['SIGKILL']);
  });
});
