import type { Customer } from '../accounts/accounts.js';
import type { LedgerBalance } from '../accounts/ledger.js';
import type { FundsState } from '../funds/funds-service.js';
import { MINUTE } from '../markets/candles.js';
import { haveSameRules, MARKETS, type MarketRules } from '../markets/market.js';
import type { CancelTimer } from '../orders/order-service.js';
import { FIRST, type Sequence } from '../orders/sequences.js';
import type { Recording } from '../replay/recorded-markets.js';
import type { Progress } from '../replay/replays.js';
import type { Task } from '../scheduler.js';
import { MarketSimulator, type PriceMove, type SimulatorState } from '../simulator/market-simulator.js';
import type { ClockState } from './clock.js';

/** When and with which seed an exchange began. It stays as long as its directory. */
interface Genesis {
  readonly seed: number;
  /** The ms of the first minute that is not prehistory. */
  readonly start: number;
  /** Markets that begin without a past because a recording comes first. */
  readonly emptyMarkets: readonly string[];
  /** Whether there are no markets but these. */
  readonly isAlone: boolean;
}

/** The beginning of an exchange that replays a recording of the past. */
export interface ReplayGenesis {
  /** ms since the Unix epoch. The clock is stopped there. */
  readonly time: number;
  /** The markets that have no past. */
  readonly emptyMarkets: readonly string[];
  /** The rules of markets as a tape has them. Other rules than those of a market of the same name replace them. */
  readonly markets?: readonly MarketRules[];
  /** Whether there are no other markets than `emptyMarkets`: then nothing is simulated. */
  readonly isAlone?: boolean;
}

/** All of an exchange that does not grow with its history, saved with each commit. Orders, bills, trades and candles have tables. */
export interface State extends FundsState {
  readonly genesis: Genesis;
  /** Null while the clock follows the machine's. */
  clock: ClockState | null;
  readonly customers: Customer[];
  /** By account and coin. */
  readonly balances: Map<string, LedgerBalance>;
  readonly sequence: Sequence;
  readonly cancelTimers: Task<CancelTimer>[];
  /** By market. */
  readonly priceMoves: Map<string, PriceMove>;
  /** Markets that tapes have the rules of. */
  readonly tapeMarkets: MarketRules[];
  /** By market. */
  readonly recordings: Map<string, Recording>;
  /** By market. */
  readonly replays: Map<string, Progress>;
  simulator: SimulatorState;
  /** How long orders and pushes take, in ms by the exchange's clock. */
  latency: number;
}

/** What the state of a new exchange follows from. */
interface GenesisOptions {
  readonly seed: number;
  /** The machine's clock, in ms since the Unix epoch. */
  readonly now: () => number;
  /** When the exchange begins if not in the present. */
  readonly replayGenesis?: ReplayGenesis | undefined;
}

/** The state of a new exchange, before its first account. */
export function genesisState({ seed, now, replayGenesis }: GenesisOptions): State {
  const time = replayGenesis?.time ?? now();
  const minute = Math.floor(time / MINUTE) * MINUTE;
  // a minute of simulated trading comes first, so that there is a market from the beginning
  const start = replayGenesis === undefined ? minute - MINUTE : minute;
  return {
    genesis: {
      seed,
      start,
      emptyMarkets: replayGenesis?.emptyMarkets ?? [],
      isAlone: replayGenesis?.isAlone ?? false,
    },
    clock: replayGenesis === undefined ? null : { shown: time, real: time, speed: 1, stopped: true },
    customers: [],
    balances: new Map(),
    sequence: { ...FIRST },
    attempts: new Map(),
    verified: new Map(),
    obtained: new Map(),
    fundsTasks: [],
    cancelTimers: [],
    priceMoves: new Map(),
    tapeMarkets: (replayGenesis?.markets ?? []).filter(isOther).map(rulesOf),
    recordings: new Map(),
    replays: new Map(),
    simulator: MarketSimulator.start(start),
    latency: 0,
  };
}

/** Whether a tape has a market that the exchange does not have, or not with these rules. */
function isOther(rules: MarketRules): boolean {
  const own = MARKETS.get(rules.name);
  return own === undefined || !haveSameRules(own, rules);
}

/** The plain data that are kept of a market. */
export function rulesOf({
  name,
  base,
  quote,
  priceScale,
  amountScale,
  minAmount,
  minNotional,
}: MarketRules): MarketRules {
  return { name, base, quote, priceScale, amountScale, minAmount, minNotional };
}
