import path from 'node:path';
import { type FailureKind, suggest, usage } from '../errors.js';
import { checkName, isName, unknownWord } from './names.js';
import { type Fields, type Profile, profileFrom, SANDBOX, sandboxFrom, toDocument } from './profile.js';
import { checkSetting, type HostKey, isHostKey, requireSetting } from './settings.js';
import { type Document, damaged, Store, type Writer } from './store.js';
import { checkUrl } from './urls.js';

export { type Profile, SANDBOX } from './profile.js';

/** What it takes to make a profile. */
interface NewProfile {
  readonly name: string;
  readonly baseUrl: string;
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
}

const ACTIVE_FILE = 'active.json';

/** Where a profile's document lies. Only for checked names. */
export function profileFile(name: string): string {
  return path.join('profiles', `${name}.json`);
}

/** Where a profile's keys lie. Only for checked names. */
export function keyFile(name: string): string {
  return path.join('keys', `${name}.json`);
}

/**
 * The profiles: hosts and settings under a name, one file each, and one file that says which is active. The built-in
 * `sandbox` is always there and active until another one is used; it has settings, but its hosts are not its own.
 *
 * Every method throws Failure `credentials` where a file that it needs is damaged, unreadable or open to others.
 */
export class Profiles {
  readonly #store: Store;

  /** @param folder `directories.config`; made at the first write */
  constructor(folder: string) {
    this.#store = new Store(folder);
  }

  /** All profiles, the sandbox first, then by name. */
  async list(): Promise<Profile[]> {
    const profiles: Profile[] = [];
    for (const name of this.#names()) profiles.push(await this.get(name));
    return profiles;
  }

  /** @throws Failure `usage` for a name that no profile has, with the nearest names */
  async get(name: string): Promise<Profile> {
    const document = await this.#store.read(profileFile(checkName(name)));
    return this.#profile(name, document);
  }

  /**
   * The profile that a command is to use: without it there is neither a host nor a key.
   *
   * @throws Failure `usage` for a word that cannot be a name, and `credentials` for a name that no profile has, with the
   *   nearest names
   */
  async toUse(name: string): Promise<Profile> {
    const document = await this.#store.read(profileFile(checkName(name)));
    return this.#profile(name, document, 'credentials');
  }

  /** The name of the profile in use. It may name one whose file was deleted by hand: `toUse` says so. */
  async active(): Promise<string> {
    const document = await this.#store.read(ACTIVE_FILE);
    if (document === null) return SANDBOX;
    const name = document.active;
    if (typeof name === 'string' && isName(name)) return name;
    throw damaged(this.#path(ACTIVE_FILE), 'it names no profile');
  }

  /** @throws Failure `usage` for a name that is taken or cannot be one, or a URL that cannot be a host */
  async add(profile: NewProfile): Promise<Profile> {
    const name = checkName(profile.name);
    if (name === SANDBOX) throw builtIn('is there already');
    const fields: Fields = {
      baseUrl: checkUrl('base', '--base-url', profile.baseUrl),
      tradeUrl: checkUrl('trade', '--trade-url', profile.tradeUrl),
      wsUrl: profile.wsUrl === null ? null : checkUrl('ws', '--ws-url', profile.wsUrl),
      settings: {},
    };
    await this.#store.change((writer) => {
      if (writer.has(profileFile(name))) {
        throw usage(
          `There is a profile "${name}" already.`,
          suggest('Change it', 'profile', 'set', name, 'KEY', 'VALUE'),
        );
      }
      // Keys of an earlier profile of this name were meant for its hosts, not for these.
      writer.delete(keyFile(name));
      writer.write(profileFile(name), toDocument(fields));
    });
    return this.get(name);
  }

  /** Makes a profile the one that commands use. @throws Failure `usage` when there is none of that name */
  async use(name: string): Promise<void> {
    checkName(name);
    await this.#store.change((writer) => {
      this.#profile(name, writer.read(profileFile(name)));
      writer.write(ACTIVE_FILE, { active: name });
    });
  }

  /**
   * Sets a host (`base-url`, `trade-url`, `ws-url`) or a setting. Another trade host drops the profile's keys, which
   * were meant for the earlier one, and what was measured there; to the other hosts no key is ever sent.
   * @returns whether there were keys to drop
   * @throws Failure `usage` for what cannot be set
   */
  async set(name: string, key: string, value: string): Promise<boolean> {
    checkName(name);
    const kept = checkSetting(key, value);
    let dropped = false;
    await this.#edit(name, (fields, writer) => {
      if (!isHostKey(key)) return { ...fields, settings: { ...fields.settings, [key]: kept } };
      if (name === SANDBOX) throw builtIn('has hosts of its own');
      const changed = { ...fields, [FIELD_OF[key]]: kept };
      if (key !== 'trade-url' || kept === fields.tradeUrl) return changed;
      // Before the host is written: killed in between, a profile without keys is left, never keys with another host.
      dropped = writer.delete(keyFile(name));
      const { reqTimeTolerance: _measured, ...settings } = fields.settings;
      return { ...changed, settings };
    });
    return dropped;
  }

  /** Takes a setting or the `ws-url` away. @throws Failure `usage` for an unknown key and for the two hosts */
  async unset(name: string, key: string): Promise<void> {
    checkName(name);
    if (!isHostKey(key)) requireSetting(key);
    if (key === 'base-url' || key === 'trade-url') {
      throw usage(
        `A profile cannot be without its ${key}.`,
        suggest('Set another one', 'profile', 'set', name, key, 'URL'),
      );
    }
    await this.#edit(name, (fields) => {
      if (key === 'ws-url') return { ...fields, wsUrl: null };
      const { [key]: _taken, ...settings } = fields.settings;
      return { ...fields, settings };
    });
  }

  /** Removes a profile and its keys; if it was active, the sandbox is. @throws Failure `usage` when there is none */
  async remove(name: string): Promise<void> {
    if (checkName(name) === SANDBOX) throw builtIn('cannot be removed');
    await this.#store.change((writer) => {
      if (!writer.has(profileFile(name))) throw this.#unknown(name);
      // The keys first: killed in between, a profile without keys is left, never keys without their hosts.
      writer.delete(keyFile(name));
      if (writer.read(ACTIVE_FILE)?.active === name) writer.delete(ACTIVE_FILE);
      writer.delete(profileFile(name));
    });
  }

  async #edit(name: string, change: (fields: Fields, writer: Writer) => Fields): Promise<void> {
    await this.#store.change((writer: Writer) => {
      const profile = this.#profile(name, writer.read(profileFile(name)));
      writer.write(profileFile(name), toDocument(change(profile, writer), profile.builtIn));
    });
  }

  #profile(name: string, document: Document | null, kind?: FailureKind): Profile {
    const file = this.#path(profileFile(name));
    if (name === SANDBOX) return sandboxFrom(document, file);
    if (document === null) throw this.#unknown(name, kind);
    return profileFrom(name, document, file);
  }

  #names(): string[] {
    const made = this.#store.names('profiles').filter((name) => isName(name) && name !== SANDBOX);
    return [SANDBOX, ...made];
  }

  #unknown(name: string, kind?: FailureKind) {
    return unknownWord('profile', name, this.#names(), kind);
  }

  #path(file: string): string {
    return path.join(this.#store.folder, file);
  }
}

const FIELD_OF: Readonly<Record<HostKey, 'baseUrl' | 'tradeUrl' | 'wsUrl'>> = {
  'base-url': 'baseUrl',
  'trade-url': 'tradeUrl',
  'ws-url': 'wsUrl',
};

function builtIn(what: string) {
  return usage(
    `The profile "${SANDBOX}" is built in and ${what}.`,
    suggest('Make one of your own', 'profile', 'add', 'NAME', '--base-url', 'URL', '--trade-url', 'URL'),
  );
}
