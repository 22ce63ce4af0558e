import type { Permission } from '../../domain/account.js';
import { RENAMED_COINS } from '../../domain/coin.js';
import { type OperationName, type OperationNamed, operations } from '../../exchange/operations/index.js';
import type { Access, Operation, Parameters, Values } from '../../exchange/operations/operation.js';
import type { Account } from '../accounts/accounts.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import type { CoinRules } from '../markets/coins.js';
import type { MarketRules } from '../markets/market.js';
import { RequestRefused } from '../refusals.js';
import type { Json } from './bodies.js';
import type { Dialect } from './interface-details.js';

/** Chosen, because the interface has no end parameter: the latest rows, or the first, which allows paging. */
export type KlineSince = 'first' | 'latest';

/** What a public operation gets. */
interface Call {
  readonly exchange: SandboxExchange;
  /** Which rows kline gives if more than 1,000 follow its `since` (default: the latest). */
  readonly klineSince?: KlineSince | undefined;
  readonly dialect: Dialect;
}

/** What a signed operation gets, after the signature was verified. */
export interface SignedCall extends Call {
  readonly account: Account;
  /** The zone of the interface's dates, in minutes ahead of UTC. */
  readonly zone: number;
}

type Unchecked = Record<string, string | undefined>;

/** An operation: its description and its implementation. */
export type Served = ServedOpenly<'public'> | ServedOpenly<'keyless'> | ServedSigned;

interface Described<Kind extends Access> {
  readonly name: string;
  readonly operation: Operation;
  readonly access: Kind;
}

/** An operation without a signature: public on the market-data host, keyless on the trade host. */
export interface ServedOpenly<Kind extends 'public' | 'keyless'> extends Described<Kind> {
  readonly run: PublicRun;
}

export interface ServedSigned extends Described<'signed'> {
  readonly permission: Permission;
  readonly run: SignedRun;
}

type PublicRun = (values: Unchecked, call: Call) => Json;
type SignedRun = (values: Unchecked, call: SignedCall) => Json;

/** Serves a market-data operation. `run` gets checked parameters and throws {@link RequestRefused}. */
export function servePublic<Name extends OperationName>(
  name: Name,
  run: (values: Values<OperationNamed<Name>>, call: Call) => Json,
): Served {
  // checkParameters has checked the values against the description from which their type is made
  return { name, operation: operations[name], access: 'public', run: run as PublicRun };
}

/** Serves an operation of the trade host that needs no signature. */
export function serveOpen<Name extends OperationName>(
  name: Name,
  run: (values: Values<OperationNamed<Name>>, call: Call) => Json,
): Served {
  return { name, operation: operations[name], access: 'keyless', run: run as PublicRun };
}

/** Serves a signed operation. */
export function serveSigned<Name extends OperationName>(
  name: Name,
  permission: Permission,
  run: (values: Values<OperationNamed<Name>>, call: SignedCall) => Json,
): Served {
  return { name, operation: operations[name], access: 'signed', permission, run: run as SignedRun };
}

/** Serves a signed operation of orders that the interface does not describe but clients use. */
export function serveObserved<Params extends Parameters>(
  name: string,
  operation: Operation<Params>,
  run: (values: Values<Operation<Params>>, call: SignedCall) => Json,
): Served {
  return { name, operation, access: 'signed', permission: 'entrust', run: run as SignedRun };
}

/** The rules of a market. Throws {@link RequestRefused} if it does not exist; for a renamed coin, with the new name. */
export function marketOf(exchange: SandboxExchange, name: string): MarketRules {
  const rules = exchange.markets.get(name);
  if (rules !== undefined) return rules;
  const renamed = name.split('_').find((coin) => Object.hasOwn(RENAMED_COINS, coin));
  const hint = renamed === undefined ? '' : ` (${renamed} is ${RENAMED_COINS[renamed]} now)`;
  throw new RequestRefused('unknownMarket', `${name}${hint}`);
}

/** The rules of a coin, in any letter case. Throws {@link RequestRefused} if it does not exist; for a renamed coin, with the new name. */
export function coinOf(exchange: SandboxExchange, name: string): CoinRules {
  const coin = name.toLowerCase();
  const rules = exchange.coins.get(coin);
  if (rules !== undefined) return rules;
  const hint = Object.hasOwn(RENAMED_COINS, coin) ? ` (${coin} is ${RENAMED_COINS[coin]} now)` : '';
  throw new RequestRefused('unknownCoin', `${coin}${hint}`);
}

const MINUTE = 60_000;

/** A time as `YYYY-MM-DD HH:MM:SS` in a zone given in minutes ahead of UTC. */
export function showWallClock(time: number, zone: number): string {
  return new Date(time + zone * MINUTE).toISOString().slice(0, 19).replace('T', ' ');
}

/** The ms since the Unix epoch at which such a second begins. Throws {@link RequestRefused} if there is no such time. */
export function readWallClock(name: string, text: string, zone: number): number {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`) - zone * MINUTE;
  // some engines read the 31st of February as a day of March
  if (Number.isNaN(time) || showWallClock(time, zone) !== text)
    throw new RequestRefused('badParameter', `${name} is no time`);
  return time;
}
