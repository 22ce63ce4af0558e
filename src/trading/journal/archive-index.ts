import path from 'node:path';
import { archiveLineIn } from './archive-line.js';
import {
  create,
  HIDDEN,
  ignoringDiskErrors,
  linesForwards,
  namesIn,
  readIfExists,
  sizeOf,
  valueInLine,
} from './files.js';
import { coinOf, isKind, marketOf, orderCancelledBy, ordersMadeBy, sentClientId } from './write.js';

/** A process that reads more of the archive than this, in bytes, keeps the index for the next one. */
const KEPT_AFTER = 32_768;

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 1;

/**
 * An order that a line of the archive names: its id, where the line begins in its file, in bytes, and the client id that it was placed
 * with; null if it was cancelled, or placed without one. There may be hundreds of thousands, so it is a list of values.
 */
type NamedOrder = readonly [id: string, offset: number, clientId: string | null];

/** What a file of the archive names, as far as it was read. */
interface FileNames {
  /** Where its last whole line ended, in bytes. */
  end: number;
  readonly markets: string[];
  readonly coins: string[];
  /** Those that single writes made or cancelled. */
  readonly orders: NamedOrder[];
}

/**
 * What the archive names: markets, coins, and orders by their ids. Files of the archive only grow, so each line is read once, and what it
 * names is kept in a file beside them, which is disposable. It serves lists that people read; what decides about a write is looked for in
 * the archive itself.
 */
export class ArchiveIndex {
  readonly #folder: string;
  readonly #keptAfter: number;
  #files: ReadonlyMap<string, FileNames> | undefined;

  /** @param folder of the archive */
  constructor(folder: string, keptAfter = KEPT_AFTER) {
    this.#folder = folder;
    this.#keptAfter = keptAfter;
  }

  markets(): readonly string[] {
    return this.#read().flatMap(([, { markets }]) => markets);
  }

  coins(): readonly string[] {
    return this.#read().flatMap(([, { coins }]) => coins);
  }

  /** By the names of the files, oldest first. */
  orders(): (readonly [file: string, orders: readonly NamedOrder[]])[] {
    return this.#read().map(([file, { orders }]) => [file, orders]);
  }

  /** Reads only the lines that were added since the last time. Oldest first. */
  #read(): [string, FileNames][] {
    const before = this.#files ?? this.#kept();
    let bytes = 0;
    const files = namesIn(this.#folder).map((name): [string, FileNames] => {
      const file = path.join(this.#folder, name);
      const known = before.get(name);
      // a file that is shorter than it was is another one
      const names =
        known !== undefined && sizeOf(file) >= known.end ? known : { end: 0, markets: [], coins: [], orders: [] };
      const from = names.end;
      this.#addNames(names, file);
      bytes += names.end - from;
      return [name, names];
    });
    this.#files = new Map(files);
    if (bytes > this.#keptAfter)
      ignoringDiskErrors(() => create(this.#file, JSON.stringify({ format: FORMAT, files }), false));
    return files;
  }

  /** Adds what the lines of a file name that were not read yet. */
  #addNames(names: FileNames, file: string): void {
    if (sizeOf(file) === names.end) return;
    const markets = new Set(names.markets);
    const coins = new Set(names.coins);
    const add = (known: Set<string>, all: string[], name: string | undefined) => {
      if (name === undefined || known.has(name)) return;
      known.add(name);
      all.push(name);
    };
    for (const { text, offset, end } of linesForwards(file, names.end)) {
      names.end = end;
      const line = archiveLineIn(text);
      if (line === undefined) continue;
      if ('cancelled' in line) {
        const { market, id } = line.cancelled;
        add(markets, names.markets, market);
        names.orders.push([id, offset, null]);
        continue;
      }
      const { settled } = line;
      const { write } = settled;
      add(markets, names.markets, marketOf(write));
      add(coins, names.coins, coinOf(write));
      const clientId = isKind(write, 'order') ? (sentClientId(write) ?? null) : null;
      if (isKind(write, 'order')) for (const id of ordersMadeBy(settled)) names.orders.push([id, offset, clientId]);
      for (const order of orderCancelledBy(settled)) if ('id' in order) names.orders.push([order.id, offset, null]);
    }
  }

  get #file(): string {
    return path.join(this.#folder, `${HIDDEN}index`);
  }

  /** What cannot be read is read again from the files. */
  #kept(): ReadonlyMap<string, FileNames> {
    let text = '';
    ignoringDiskErrors(() => {
      text = readIfExists(this.#file) ?? '';
    });
    const { format, files } = (valueInLine(text) ?? {}) as Partial<Kept>;
    return new Map(format === FORMAT && Array.isArray(files) && files.every(isFile) ? files : []);
  }
}

interface Kept {
  readonly format: number;
  readonly files: readonly (readonly [string, FileNames])[];
}

function isFile(one: unknown): one is readonly [string, FileNames] {
  const [name, names] = Array.isArray(one) ? one : [];
  const { end, markets, coins, orders } = (names ?? {}) as Partial<FileNames>;
  const areTexts = [markets, coins].every((texts) => Array.isArray(texts) && texts.every(isText));
  return isText(name) && typeof end === 'number' && areTexts && Array.isArray(orders) && orders.every(isNamedOrder);
}

function isNamedOrder(one: unknown): one is NamedOrder {
  const [id, offset, clientId] = Array.isArray(one) ? one : [];
  return isText(id) && typeof offset === 'number' && (clientId === null || isText(clientId));
}

function isText(one: unknown): one is string {
  return typeof one === 'string';
}
