import fs from 'node:fs';
import path from 'node:path';
import { isPrivateFile, makePrivateFolder } from '../../config/private-files.js';
import { replaceFile } from '../../config/write-file.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import type { SeenName } from '../../exchange/exchange-client.js';
import { readTextBounded } from '../../platform/bounded-file.js';

/**
 * What may stand in each file, a line each. The lines come from an exchange and are read by shells, so nothing else is
 * ever written; the completions hold the files against the same rules again.
 */
const LINES = {
  markets: /^[a-z0-9]{1,20}_[a-z0-9]{1,20}$/,
  coins: /^[a-z0-9]{1,20}$/,
  orders: /^[a-z0-9]{1,20}_[a-z0-9]{1,20} [0-9]{1,19} (?:[A-Za-z0-9]{4,36}|-)$/,
  unresolved: /^[A-Za-z0-9]{4,36}$/,
  /** The market that a command read or traded in last. */
  recent: /^[a-z0-9]{1,20}_[a-z0-9]{1,20}$/,
} as const;

type NameKind = keyof typeof LINES;

/** More would make a shell slow, and no one reads through them. */
const MAX_LINES = 20_000;

/** More than so many of the longest lines. */
const MAX_BYTES = 4 * 2 ** 20;

const FOLDER = 'symbols';

/**
 * The folder of an exchange's symbols: the profile's name or, if hosts come from the environment, a name made of them. The
 * completion scripts make the same name in the shell's own language, from the environment alone.
 */
export function namesFolder(profile: string, environment: Readonly<Record<string, string | undefined>>): string {
  const { PIT_TRADE_URL = '', PIT_BASE_URL = '' } = environment;
  if (PIT_TRADE_URL === '' && PIT_BASE_URL === '') return profile;
  return `+${PIT_TRADE_URL}+${PIT_BASE_URL}`.replace(/[^A-Za-z0-9+]/g, '_');
}

/** The small files from which a shell completes names without running pit. Nothing here ever fails a command. */
export class CompletionNames {
  readonly #root: string;

  /**
   * @param cache `directories.cache`
   * @param folder as {@link namesFolder} names it
   */
  constructor(
    cache: string,
    private readonly folder: string,
  ) {
    this.#root = path.join(cache, FOLDER);
  }

  /** The lines that are there and allowed. */
  read(kind: NameKind): string[] {
    try {
      if (!isPrivateFile(this.#root, path.join(this.folder, kind))) return [];
      return allowed(kind, readTextBounded(this.#file(kind), MAX_BYTES).split('\n'));
    } catch {
      return [];
    }
  }

  /** Replaces the lines in one step if they differ. Silent if that is not possible. */
  write(kind: NameKind, lines: readonly string[]): void {
    const text = allowed(kind, lines)
      .slice(0, MAX_LINES)
      .map((line) => `${line}\n`)
      .join('');
    try {
      if (fs.existsSync(this.#file(kind)) && readTextBounded(this.#file(kind), MAX_BYTES) === text) return;
      makePrivateFolder(this.#root);
      makePrivateFolder(this.#root, this.folder);
      replaceFile(this.#file(kind), text);
    } catch {
      // a shell that offers fewer completions does no harm
    }
  }

  #file(kind: NameKind): string {
    return path.join(this.#root, this.folder, kind);
  }
}

function allowed(kind: NameKind, lines: readonly string[]): string[] {
  return lines.filter((line) => LINES[kind].test(line));
}

/** More open orders than that are not offered by a shell. */
const MAX_ORDERS = 2_000;

interface OpenOrder {
  readonly market: string;
  readonly clientId: string | null;
}

/**
 * What a command has seen of names that a shell can offer: markets, coins, open orders. It is noted in passing, from answers
 * that came anyway, and kept once, at the end of the command.
 */
export class SeenNames {
  readonly #coins = new Set<string>();
  #markets: readonly string[] | undefined;
  #recent: string | undefined;
  /** By id; null for one that is open no more. */
  readonly #orders = new Map<string, OpenOrder | null>();
  readonly #cancelled = new Set<string>();

  markets(markets: readonly Market[]): void {
    this.#markets = markets.map(({ market }) => market);
    for (const { base, quote } of markets) this.#coins.add(base).add(quote);
  }

  observe(seen: SeenName): void {
    if (seen.kind === 'market') this.#recent = seen.market;
    if (seen.kind === 'coins') for (const coin of seen.coins) this.#coins.add(coin);
    if (seen.kind === 'orders') for (const order of seen.orders) this.#order(order);
    // what is not filled of an IOC is cancelled at once
    if (seen.kind === 'placed' && seen.type !== 'ioc')
      for (const id of seen.ids) this.#orders.set(id, { market: seen.market, clientId: seen.clientId });
    if (seen.kind === 'cancelled') {
      if ('id' in seen.order) this.#orders.set(seen.order.id, null);
      else this.#cancelled.add(seen.order.clientId);
    }
  }

  #order({ id, market, clientId, state }: Order): void {
    const known = this.#orders.get(id)?.clientId ?? null;
    this.#orders.set(id, state === 'open' ? { market, clientId: clientId ?? known } : null);
  }

  /**
   * Writes what has changed.
   * @param unresolved the ids of writes whose outcome is unknown, if that was read
   */
  save(names: CompletionNames, unresolved: readonly string[] | undefined): void {
    if (this.#markets !== undefined) names.write('markets', this.#markets);
    if (this.#recent !== undefined) names.write('recent', [this.#recent]);
    if (this.#coins.size > 0) names.write('coins', [...new Set([...names.read('coins'), ...this.#coins])].sort());
    if (this.#orders.size + this.#cancelled.size > 0) names.write('orders', this.#merged(names.read('orders')));
    if (unresolved !== undefined) names.write('unresolved', unresolved);
  }

  /** What was seen now first, then what was known before and not seen to have ended. */
  #merged(before: readonly string[]): string[] {
    const earlier = before
      .map((line) => line.split(' '))
      .map(([market = '', id = '', client = '']) => {
        return { market, id, clientId: client === '-' ? null : client };
      });
    const clientIds = new Map(earlier.map(({ id, clientId }) => [id, clientId]));
    const seen = [...this.#orders].reverse().flatMap(([id, order]) => (order === null ? [] : { ...order, id }));
    return [...seen, ...earlier.filter(({ id }) => !this.#orders.has(id))]
      .map((order) => ({ ...order, clientId: order.clientId ?? clientIds.get(order.id) ?? null }))
      .filter(({ clientId }) => clientId === null || !this.#cancelled.has(clientId))
      .slice(0, MAX_ORDERS)
      .map(({ market, id, clientId }) => `${market} ${id} ${clientId ?? '-'}`);
  }
}
