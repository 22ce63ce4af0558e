import path from 'node:path';
import { COIN } from '../domain/coin.js';
import { MARKET } from '../domain/market.js';
import { CLIENT_ID } from '../domain/order.js';
import { makePrivateFolder, readPrivate } from '../platform/files/private-files.js';
import { replaceFile } from '../platform/files/replacement.js';

/**
 * What a line of each file looks like. The lines come from an exchange and shells offer them, so no other line is ever written
 * or read. All are in ASCII: what else a shell does with a name is not known.
 */
const LINES = {
  markets: only(MARKET.asciiPattern),
  coins: only(COIN.asciiPattern),
  /** The market, the id, the client id or `-`, and the terms if they are known. */
  orders: only(
    `${MARKET.asciiPattern} [0-9]{1,19} (?:${CLIENT_ID.asciiPattern}|-)(?: (?:buy|sell) [0-9.,]{1,60} at [0-9.,]{1,60})?`,
  ),
  unresolved: only(CLIENT_ID.asciiPattern),
  /** The market that a command read or traded in last. */
  recent: only(MARKET.asciiPattern),
} as const;

function only(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

type NameKind = keyof typeof LINES;

/** An order that was open when a command saw it. */
export interface KnownOrder {
  readonly market: string;
  readonly id: string;
  readonly clientId: string | null;
  /** `buy 0.5 at 28,100.00`; null if that is unknown. */
  readonly terms: string | null;
}

/** More would make a shell slow, and no one reads through them. */
const MAX_LINES = 20_000;

/** More than so many of the longest lines. */
const MAX_BYTES = 4 * 2 ** 20;

/** In the place of a client id. */
const NONE = '-';

const FOLDER = 'symbols';

/** The folder of an exchange's symbols: the profile's name or, if hosts come from the environment, a name made of them. */
export function namesFolder(profile: string, environment: Readonly<Record<string, string | undefined>>): string {
  const { PIT_TRADE_URL = '', PIT_BASE_URL = '' } = environment;
  if (PIT_TRADE_URL === '' && PIT_BASE_URL === '') return profile;
  return `+${PIT_TRADE_URL}+${PIT_BASE_URL}`.replace(/[^A-Za-z0-9+]/g, '_');
}

/** What {@link namesFolder} makes of any valid profile. A line that is being typed may name anything else. */
const FOLDER_NAME = /^[\w+-]+$/;

/** The small files with the names that shells complete. Nothing here ever fails a command. */
export class CompletionNames {
  readonly #folder: string;

  readonly #root: string;

  /**
   * @param cache `directories.cache`
   * @param folder as {@link namesFolder} names it
   */
  constructor(cache: string, folder: string) {
    this.#folder = folder;

    this.#root = path.join(cache, FOLDER);
  }

  /** The valid lines of a file; none if it cannot be read. */
  read(kind: NameKind): string[] {
    if (!FOLDER_NAME.test(this.#folder)) return [];
    try {
      return linesIn(kind, this.#text(kind));
    } catch {
      return [];
    }
  }

  /** Replaces the lines in one step if they differ. Silent if that is not possible. */
  write(kind: NameKind, lines: readonly string[]): void {
    this.update(kind, () => lines);
  }

  /** As {@link CompletionNames.write}, with lines that are made of those before. */
  update(kind: NameKind, change: (lines: readonly string[]) => readonly string[]): void {
    try {
      const before = this.#text(kind);
      const text = allowed(kind, change(linesIn(kind, before)))
        .slice(0, MAX_LINES)
        .map((line) => `${line}\n`)
        .join('');
      if (before === text) return;
      makePrivateFolder(this.#root);
      makePrivateFolder(this.#root, this.#folder);
      // a reader leaves out what a power failure has damaged
      replaceFile(this.#file(kind), text, { isDurable: false });
    } catch {
      // a shell that offers fewer completions does no harm
    }
  }

  /** The orders that were open. */
  readOrders(): KnownOrder[] {
    return this.read('orders').map(orderIn);
  }

  /** As {@link CompletionNames.update}. */
  updateOrders(change: (orders: readonly KnownOrder[]) => readonly KnownOrder[]): void {
    this.update('orders', (lines) => change(lines.map(orderIn)).map(lineOf));
  }

  #text(kind: NameKind): string | undefined {
    return readPrivate(this.#root, path.join(this.#folder, kind), MAX_BYTES)?.toString('utf8');
  }

  #file(kind: NameKind): string {
    return path.join(this.#root, this.#folder, kind);
  }
}

function orderIn(line: string): KnownOrder {
  const [market = '', id = '', clientId = '', ...terms] = line.split(' ');
  return {
    market,
    id,
    clientId: clientId === NONE ? null : clientId,
    terms: terms.length === 0 ? null : terms.join(' '),
  };
}

function lineOf({ market, id, clientId, terms }: KnownOrder): string {
  return [market, id, clientId ?? NONE, ...(terms === null ? [] : [terms])].join(' ');
}

function linesIn(kind: NameKind, text = ''): string[] {
  return allowed(kind, text.split('\n'));
}

function allowed(kind: NameKind, lines: readonly string[]): string[] {
  return lines.filter((line) => LINES[kind].test(line));
}
