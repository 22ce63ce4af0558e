import fs from 'node:fs';
import path from 'node:path';
import { isPrivateFile, makePrivateFolder, replaceFile } from './private.js';

/**
 * What may stand in each file, a line each. The lines come from an exchange and are read by shells, so nothing else is
 * ever written; the completions hold the files against the same rules again.
 */
const LINES = {
  markets: /^[a-z0-9]{1,20}_[a-z0-9]{1,20}$/,
  coins: /^[a-z0-9]{1,20}$/,
  orders: /^[a-z0-9]{1,20}_[a-z0-9]{1,20} [0-9]{1,19} (?:[A-Za-z0-9]{4,36}|-)$/,
  unresolved: /^[A-Za-z0-9]{4,36}$/,
} as const;

type SymbolKind = keyof typeof LINES;

/** More would make a shell slow, and no one reads through them. */
const MOST_LINES = 20_000;

const FOLDER = 'symbols';

/**
 * The folder of an exchange's symbols: the profile's name or, if hosts come from the environment, a name made of them. The
 * completion scripts make the same name in the shell's own language, from the environment alone.
 */
export function symbolsFolder(profile: string, environment: Readonly<Record<string, string | undefined>>): string {
  const { PIT_TRADE_URL = '', PIT_BASE_URL = '' } = environment;
  if (PIT_TRADE_URL === '' && PIT_BASE_URL === '') return profile;
  return `+${PIT_TRADE_URL}+${PIT_BASE_URL}`.replace(/[^A-Za-z0-9+]/g, '_');
}

/** The small files from which a shell completes names without running pit. Nothing here ever fails a command. */
export class Symbols {
  readonly #root: string;

  /**
   * @param cache `directories.cache`
   * @param folder as {@link symbolsFolder} names it
   */
  constructor(
    cache: string,
    private readonly folder: string,
  ) {
    this.#root = path.join(cache, FOLDER);
  }

  /** The lines that are there and allowed. */
  read(kind: SymbolKind): string[] {
    try {
      if (!isPrivateFile(this.#root, path.join(this.folder, kind))) return [];
      return allowed(kind, fs.readFileSync(this.#file(kind), 'utf8').split('\n'));
    } catch {
      return [];
    }
  }

  /** Replaces the lines in one step if they differ. Silent if that is not possible. */
  write(kind: SymbolKind, lines: readonly string[]): void {
    const text = allowed(kind, lines)
      .slice(0, MOST_LINES)
      .map((line) => `${line}\n`)
      .join('');
    try {
      if (fs.existsSync(this.#file(kind)) && fs.readFileSync(this.#file(kind), 'utf8') === text) return;
      makePrivateFolder(this.#root);
      makePrivateFolder(this.#root, this.folder);
      replaceFile(this.#file(kind), text);
    } catch {
      // a shell that offers fewer completions does no harm
    }
  }

  #file(kind: SymbolKind): string {
    return path.join(this.#root, this.folder, kind);
  }
}

function allowed(kind: SymbolKind, lines: readonly string[]): string[] {
  return lines.filter((line) => LINES[kind].test(line));
}
