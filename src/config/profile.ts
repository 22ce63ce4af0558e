import { Failure } from '../errors.js';
import { checkSetting } from './settings.js';
import { type Document, damaged } from './store.js';
import { checkUrl, type UrlRole } from './urls.js';

/** The built-in profile: the exchange in a box. */
export const SANDBOX = 'sandbox';

/** What a profile's file holds. */
export interface Fields {
  readonly baseUrl: string;
  readonly tradeUrl: string;
  readonly wsUrl: string | null;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Profile extends Fields {
  readonly name: string;
  /** The sandbox's hosts are empty here: they are known once it runs, and are never read from a file. */
  readonly builtIn: boolean;
}

/**
 * A profile from its file. What it says is checked as if it had just been typed, because it may have been edited by
 * hand and decides where keys go.
 * @throws Failure `credentials` that names the file
 */
export function profileFrom(name: string, document: Document, file: string): Profile {
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
export function sandboxFrom(document: Document | null, file: string): Profile {
  const settings = document === null ? {} : settingsFrom(document, file);
  return { name: SANDBOX, builtIn: true, baseUrl: '', tradeUrl: '', wsUrl: null, settings };
}

export function toDocument(fields: Fields, builtIn = false): Document {
  const { baseUrl, tradeUrl, wsUrl, settings } = fields;
  return builtIn ? { settings } : { baseUrl, tradeUrl, wsUrl, settings };
}

function hostFrom(role: UrlRole, field: string, value: unknown, file: string): string {
  if (typeof value !== 'string') throw damaged(file, `${field} is missing`);
  try {
    return checkUrl(role, field, value, 'stored');
  } catch (thrown) {
    throw inFile(thrown, file);
  }
}

/** A setting that is not known is a mistyped one or a newer pit's guard: ignoring it could cost money. */
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
