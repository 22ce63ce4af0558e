import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Keychain, KeychainFailure } from '../../src/config/keychain.js';
import { KeyStore } from '../../src/config/keys.js';
import { Profiles } from '../../src/config/profiles.js';
import { adviceText } from '../support/advice.js';
import { everythingIn, failureOf, freshFolder, HOSTS } from './support.js';

const PAIR = { accessKey: 'canary-access', secretKey: 'canary-secret' };

/** A keychain in memory, which can be locked. */
class OpenKeychain implements Keychain {
  readonly entries = new Map<string, string>();
  isLocked = false;

  async read(entry: string): Promise<string | null> {
    this.#requireOpen();
    return this.entries.get(entry) ?? null;
  }

  async store(profile: string, text: string): Promise<string> {
    this.#requireOpen();
    const entry = `${profile}-${String(this.entries.size + 1).padStart(16, '0')}`;
    this.entries.set(entry, text);
    return entry;
  }

  async remove(entry: string): Promise<void> {
    this.#requireOpen();
    this.entries.delete(entry);
  }

  #requireOpen(): void {
    if (this.isLocked) throw new KeychainFailure('The keychain is locked.', [], null);
  }
}

/** The profile `main`, whose keys are in a keychain. */
async function stored() {
  const folder = freshFolder();
  const keychain = new OpenKeychain();
  const keys = new KeyStore(folder, async () => keychain);
  await new Profiles(folder).add({ name: 'main', ...HOSTS });
  await keys.set('main', PAIR, 'keychain');
  const [entry = ''] = keychain.entries.keys();
  return { folder, keys, keychain, entry };
}

describe('keys in the keychain', () => {
  test('are read from the entry that the file of the profile names', async () => {
    const { keys, entry } = await stored();
    expect(await keys.get('main')).toEqual(PAIR);
    expect(await keys.find('main')).toMatchObject({ store: 'keychain', entry });
  });

  test.each<[string, text: string | undefined, message: RegExp]>([
    [
      'is gone',
      undefined,
      /^The keys of main are gone from the keychain: it has no entry "main-0+1" of pit any more\.$/,
    ],
    ['holds one key', 'canary-access', /does not hold two keys\.$/],
    ['holds no access key', '\ncanary-secret', /does not hold two keys\.$/],
    ['holds a third line', 'canary-access\ncanary-secret\nmore', /does not hold two keys\.$/],
    ['holds the keys of another account', 'other-access\ncanary-secret', /holds other keys than pit stored\.$/],
  ])('are not used if the entry %s', async (_, text, message) => {
    const { keys, keychain, entry } = await stored();
    if (text === undefined) keychain.entries.delete(entry);
    else keychain.entries.set(entry, text);
    const failure = await failureOf(() => keys.get('main'));
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringMatching(message) });
    expect(adviceText(failure.hints)).toBe('Store the keys again: pit keys set --profile main');
    expect(everythingIn(failure)).not.toContain('canary');
  });

  test('leave no entry behind when other keys take their place', async () => {
    const { keys, keychain, entry } = await stored();
    expect(await keys.set('main', { accessKey: 'new-access', secretKey: 'new-secret' }, 'file')).toBeNull();
    expect(keychain.entries.has(entry)).toBe(false);
    expect(await keys.get('main')).toEqual({ accessKey: 'new-access', secretKey: 'new-secret' });
  });

  test('are replaced while the keychain is locked, and the entry that is left is named', async () => {
    const { keys, keychain, entry } = await stored();
    keychain.isLocked = true;
    const left = await keys.set('main', { accessKey: 'new-access', secretKey: 'new-secret' }, 'file');
    expect(left).toEqual({ entry, why: 'The keychain is locked.' });
    expect(await keys.get('main')).toEqual({ accessKey: 'new-access', secretKey: 'new-secret' });
  });

  test('leave no entry behind if there is no such profile', async () => {
    const keychain = new OpenKeychain();
    const keys = new KeyStore(freshFolder(), async () => keychain);
    const { message } = await failureOf(() => keys.set('nobody', PAIR, 'keychain'));
    expect([message, keychain.entries.size]).toEqual(['There is no profile "nobody".', 0]);
  });

  test('are removed with their entry', async () => {
    const { keys, keychain } = await stored();
    expect(await keys.remove('main')).toBe(true);
    expect([keychain.entries.size, await keys.get('main')]).toEqual([0, null]);
  });

  test('are not lost if another command has put them there since the file was read', async () => {
    const { keys, entry } = await stored();
    const find = keys.find;
    const failure = await failureOf(() => Object.assign(keys, { find: async () => null }).remove('main'));
    expect(failure).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`as the entry "${entry}" of pit.`),
    });
    expect(await Object.assign(keys, { find }).get('main')).toEqual(PAIR);
  });

  test('stay where they are if the keychain is locked when they are removed, and the way to forget them is named', async () => {
    const { folder, keys, keychain, entry } = await stored();
    keychain.isLocked = true;
    const failure = await failureOf(() => keys.remove('main'));
    expect([failure.kind, failure.message]).toEqual(['credentials', 'The keychain is locked. Nothing was removed.']);
    expect(adviceText(failure.hints)).toBe(
      `Run it again where the keychain can be unlocked. If that keychain is gone, delete ${path.join(folder, 'keys', 'main.json')}, which names its entry "${entry}", and try again.`,
    );
    keychain.isLocked = false;
    expect(await keys.get('main')).toEqual(PAIR);
  });

  test('keep their profile from being removed before them, because nothing else names their entry', async () => {
    const { folder, keys, entry } = await stored();
    const { message, hints } = await failureOf(() => new Profiles(folder).remove('main'));
    expect(message).toBe(`Keys of a profile "main" are in the keychain, as the entry "${entry}" of pit.`);
    expect(adviceText(hints)).toMatch(/^Remove them first: pit keys remove --profile main Without that profile: /);
    expect(await keys.get('main')).toEqual(PAIR);
  });
});
