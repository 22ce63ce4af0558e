import path from 'node:path';
import { Failure, type FailureKind, suggest, usage } from '../errors.js';
import { shown, unknownWord } from './nearest.js';
import { checkSetting, isHostKey, requireSetting } from './settings.js';
import { ConfigStore, type Document, damaged, type Writer } from './store.js';
import { checkUrl, type UrlRole } from './urls.js';

/** The built-in profile. */
export const SANDBOX = 'sandbox';

/** What a profile's file holds. */
interface Fields {
  readonly baseUrl: string;
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Profile extends Fields {
  readonly name: string;
  /** The sandbox's hosts are empty here: they are known once it runs and never read from a file. */
  readonly builtIn: boolean;
}

/** What it takes to make a profile. */
interface NewProfile {
  readonly name: string;
  readonly baseUrl: string;
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
}

/** Lower case only: some file systems take `Main` and `main` for one file. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

const ACTIVE_FILE = 'active.json';

/** Whether a text can name a profile. A profile's name is also its file's name, so nothing else ever becomes one. */
function isName(text: string): boolean {
  return NAME.test(text);
}

/** @throws Failure `usage` when the text cannot name a profile */
export function checkName(text: string): string {
  if (isName(text)) return text;
  throw usage(
    `${shown(text)} cannot name a profile.`,
    'Use 1 to 32 lower-case letters, digits, "-" and "_", starting with a letter or a digit.',
  );
}

/** The file of a profile. Only for checked names. */
export function profileFile(name: string): string {
  return path.join('profiles', `${name}.json`);
}

/** The file of a profile's keys. Only for checked names. */
export function keyFile(name: string): string {
  return path.join('keys', `${name}.json`);
}

/** The field that stands in a key file for keys in the keychain: the name of their entry. */
export const ENTRY = 'keychain';

/** The entry of the keychain that a key file names; null if it names none. Another profile's entry is none. */
export function entryOf(document: Document, profile: string): string | null {
  const entry = document[ENTRY];
  const isOwn =
    typeof entry === 'string' && entry.startsWith(`${profile}-`) && ENTRY_END.test(entry.slice(profile.length));
  return isOwn ? entry : null;
}

const ENTRY_END = /^-[0-9a-f]{16}$/;

/** The key file of a profile, while the folder is locked; null also if it is damaged or open to others. */
export function documentIn(writer: Writer, profile: string): Document | null {
  try {
    return writer.read(keyFile(profile));
  } catch (thrown) {
    if (thrown instanceof Failure) return null;
    throw thrown;
  }
}

/**
 * Refuses to lose the name of an entry while keys are in it: they would stay in the keychain forever. Commands remove them
 * first, so this meets only files that changed in between. Throws Failure `usage`.
 */
export function requireNoEntry(writer: Writer, profile: string, folder: string): void {
  const entry = entryOf(documentIn(writer, profile) ?? {}, profile);
  if (entry === null) return;
  throw usage(`Keys of a profile "${profile}" are in the keychain, as the entry "${entry}" of pit.`, [
    suggest('Remove them first', 'keys', 'remove', '--profile', profile),
    `Without that profile: remove the entry from the keychain, and delete ${path.join(folder, keyFile(profile))}.`,
  ]);
}

/**
 * The profiles: hosts and settings under a name, one file each, and one file that names the active one. The built-in
 * `sandbox` always exists, and is active until another profile is used.
 *
 * Every method throws Failure `credentials` if a file it needs is damaged, unreadable or open to others.
 */
export class Profiles {
  readonly #store: ConfigStore;

  /** @param folder `directories.config`; made at the first write */
  constructor(folder: string) {
    this.#store = new ConfigStore(folder);
  }

  /** All profiles, the sandbox first, then by name. */
  async list(): Promise<Profile[]> {
    const profiles: Profile[] = [];
    for (const name of this.names()) profiles.push(await this.get(name));
    return profiles;
  }

  /** The names of all profiles, the sandbox first. */
  names(): string[] {
    const made = this.#store.names('profiles').filter((name) => isName(name) && name !== SANDBOX);
    return [SANDBOX, ...made];
  }

  /** @throws Failure `usage` for an unknown name, with the nearest ones */
  async get(name: string): Promise<Profile> {
    const document = await this.#store.read(profileFile(checkName(name)));
    return this.#profile(name, document);
  }

  /**
   * The profile a command uses.
   *
   * @throws Failure `usage` for a word that cannot be a name, and `credentials` for an unknown name, with the nearest ones
   */
  async toUse(name: string): Promise<Profile> {
    const document = await this.#store.read(profileFile(checkName(name)));
    return this.#profile(name, document, 'credentials');
  }

  /** The name of the active profile. Its file may have been deleted by hand: `toUse` says so. */
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
    if (name === SANDBOX) throw builtIn('exists already');
    const fields: Fields = {
      baseUrl: checkUrl('base', '--base-url', profile.baseUrl),
      tradeUrl: checkUrl('trade', '--trade-url', profile.tradeUrl),
      wsUrl: profile.wsUrl === null ? null : checkUrl('ws', '--ws-url', profile.wsUrl),
      settings: {},
    };
    await this.#store.change((writer) => {
      if (writer.has(profileFile(name))) {
        throw usage(
          `The profile "${name}" exists already.`,
          suggest('Change it', 'profile', 'set', name, 'KEY', 'VALUE'),
        );
      }
      // Keys of an earlier profile of this name were meant for its hosts, not for these.
      this.#dropKeys(writer, name);
      writer.write(profileFile(name), toDocument(fields));
    });
    return this.get(name);
  }

  /** Makes a profile the active one. @throws Failure `usage` if it does not exist */
  async use(name: string): Promise<void> {
    checkName(name);
    await this.#store.change((writer) => {
      this.#profile(name, writer.read(profileFile(name)));
      writer.write(ACTIVE_FILE, { active: name });
    });
  }

  /**
   * Sets a host (`baseUrl`, `tradeUrl`, `wsUrl`) or a setting. A new trade host drops the profile's keys, which were
   * meant for the old one. The other hosts never get a key. Keys in the keychain have to be
   * removed before.
   * @returns whether there were keys to drop
   * @throws Failure `usage` for an unknown key or an invalid value
   */
  async set(name: string, key: string, value: string): Promise<boolean> {
    checkName(name);
    const kept = checkSetting(key, value);
    let dropped = false;
    await this.#edit(name, (fields, writer) => {
      if (!isHostKey(key)) return { ...fields, settings: { ...fields.settings, [key]: kept } };
      if (name === SANDBOX) throw builtIn('has hosts of its own');
      const changed = { ...fields, [key]: kept };
      if (key !== 'tradeUrl' || kept === fields.tradeUrl) return changed;
      // Keys first: a kill in between must not leave them with another host.
      dropped = this.#dropKeys(writer, name);
      return changed;
    });
    return dropped;
  }

  /** Removes a setting or the `wsUrl`. @throws Failure `usage` for an unknown key and for the two required hosts */
  async unset(name: string, key: string): Promise<void> {
    checkName(name);
    if (!isHostKey(key)) requireSetting(key);
    if (key === 'baseUrl' || key === 'tradeUrl') {
      throw usage(`A profile needs its ${key}.`, suggest('Set another one', 'profile', 'set', name, key, 'URL'));
    }
    await this.#edit(name, (fields) => {
      if (key === 'wsUrl') return { ...fields, wsUrl: null };
      const { [key]: _taken, ...settings } = fields.settings;
      return { ...fields, settings };
    });
  }

  /**
   * Removes a profile and its keys, unless they are in the keychain; the sandbox becomes active if it was.
   * @throws Failure `usage` if it does not exist, or if keys are in the keychain
   */
  async remove(name: string): Promise<void> {
    if (checkName(name) === SANDBOX) throw builtIn('cannot be removed');
    await this.#store.change((writer) => {
      if (!writer.has(profileFile(name))) throw this.#unknown(name);
      // Keys first: a kill in between must not leave them without their profile.
      this.#dropKeys(writer, name);
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

  #dropKeys(writer: Writer, name: string): boolean {
    requireNoEntry(writer, name, this.#store.folder);
    return writer.delete(keyFile(name));
  }

  #profile(name: string, document: Document | null, kind?: FailureKind): Profile {
    const file = this.#path(profileFile(name));
    if (name === SANDBOX) return sandboxFrom(document, file);
    if (document === null) throw this.#unknown(name, kind);
    return profileFrom(name, document, file);
  }

  #unknown(name: string, kind?: FailureKind) {
    return unknownWord('profile', name, this.names(), kind);
  }

  #path(file: string): string {
    return path.join(this.#store.folder, file);
  }
}

function builtIn(what: string) {
  return usage(
    `The profile "${SANDBOX}" is built in and ${what}.`,
    suggest('Make one of your own', 'profile', 'add', 'NAME', '--base-url', 'URL', '--trade-url', 'URL'),
  );
}

/**
 * A profile from its file, checked as if it had just been typed: it may have been edited by hand, and it decides where keys
 * go.
 * @throws Failure `credentials` that names the file
 */
function profileFrom(name: string, document: Document, file: string): Profile {
  const url = (role: UrlRole, field: string) => hostFrom(role, field, document[field], file);
  return {
    name,
    builtIn: false,
    baseUrl: url('base', 'baseUrl'),
    tradeUrl: url('trade', 'tradeUrl'),
    wsUrl: (document.wsUrl ?? null) === null ? null : url('ws', 'wsUrl'),
    settings: settingsFrom(document, file),
  };
}

/** The sandbox; its file, if there is one, holds settings only. */
function sandboxFrom(document: Document | null, file: string): Profile {
  const settings = document === null ? {} : settingsFrom(document, file);
  return { name: SANDBOX, builtIn: true, baseUrl: '', tradeUrl: '', wsUrl: null, settings };
}

function toDocument(fields: Fields, builtIn = false): Document {
  const { baseUrl, tradeUrl, wsUrl, settings } = fields;
  return builtIn ? { settings } : { baseUrl, tradeUrl, wsUrl, settings };
}

function hostFrom(role: UrlRole, field: string, value: unknown, file: string): string {
  if (typeof value !== 'string') throw damaged(file, `${field} is missing`);
  try {
    return checkUrl(role, field, value);
  } catch (thrown) {
    throw inFile(thrown, file);
  }
}

/** An unknown setting is mistyped or a newer version's guard: ignoring it could cost money. */
function settingsFrom(document: Document, file: string): Record<string, string> {
  const settings = document.settings ?? {};
  if (typeof settings !== 'object' || Array.isArray(settings)) throw damaged(file, 'settings is not an object');
  return Object.fromEntries(Object.entries(settings ?? {}).map(([key, value]) => [key, settingFrom(key, value, file)]));
}

function settingFrom(key: string, value: unknown, file: string): string {
  if (typeof value !== 'string') throw damaged(file, 'a setting is not a string');
  try {
    return checkSetting(key, value);
  } catch (thrown) {
    throw inFile(thrown, file);
  }
}

function inFile(thrown: unknown, file: string): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  const hint = [...thrown.hints, `It stands in ${file}.`];
  return new Failure('credentials', thrown.message, { hint });
}
