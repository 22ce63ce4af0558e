import type { Operation, Values } from '../../protocol/operation.js';
import { type OperationName, type OperationNamed, operations } from '../../protocol/operations/index.js';
import { RENAMED_COINS } from '../../protocol/words.js';
import type { Account, Exchange } from '../exchange.js';
import type { MarketRules } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import type { Json } from './json.js';

/** What a public operation works with. */
export interface Call {
  readonly exchange: Exchange;
}

/** What a signed operation works with, after the signature was verified. */
export interface SignedCall extends Call {
  readonly account: Account;
}

type Unchecked = Record<string, string | undefined>;

/** An operation that is served: its description and what it does. */
export type Served =
  | { readonly name: OperationName; readonly operation: Operation; readonly access: 'public'; readonly run: PublicRun }
  | { readonly name: OperationName; readonly operation: Operation; readonly access: 'signed'; readonly run: SignedRun };

type PublicRun = (values: Unchecked, call: Call) => Json;
type SignedRun = (values: Unchecked, call: SignedCall) => Json;

/** Serves a market-data operation. `run` sees checked parameters and throws {@link Refusal} to say no. */
export function publicly<Name extends OperationName>(
  name: Name,
  run: (values: Values<OperationNamed<Name>>, call: Call) => Json,
): Served {
  // checkParameters has held the values against the same description that their type is made of
  return { name, operation: operations[name], access: 'public', run: run as PublicRun };
}

/** Serves a signed operation; see {@link publicly}. */
export function signedly<Name extends OperationName>(
  name: Name,
  run: (values: Values<OperationNamed<Name>>, call: SignedCall) => Json,
): Served {
  return { name, operation: operations[name], access: 'signed', run: run as SignedRun };
}

/** The rules of a market. Throws {@link Refusal} for one that does not exist, naming a renamed coin's new name. */
export function marketOf(exchange: Exchange, name: string): MarketRules {
  const rules = exchange.markets.get(name);
  if (rules !== undefined) return rules;
  const renamed = name.split('_').find((coin) => Object.hasOwn(RENAMED_COINS, coin));
  const mend = renamed === undefined ? '' : ` (${renamed} is ${RENAMED_COINS[renamed]} now)`;
  throw new Refusal('unknownMarket', `${name}${mend}`);
}
