import type { Order } from '../../domain/order.js';
import { type Advice, suggest, usage } from '../../errors.js';
import { lossesOf } from '../../trading/algos/service/losses.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import { ALGO_GUARD } from '../../trading/guards/limits.js';
import { readOpenOrders } from '../../trading/history/open-orders.js';
import { PreparedStore } from '../../trading/prepared/prepared-store.js';
import {
  NO_ESTIMATES,
  type PreparedKind,
  type PreparedWrite,
  type Shown,
  type WorkedOut,
} from '../../trading/prepared/prepared-write.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import type { Context } from '../session/command.js';
import { openWrite, requireNotHalted, type WriteContext } from '../writes/write.js';
import { readLine, runLine } from './agent-line.js';
import { isAlgoChange, workOutChange } from './algo-changes.js';
import { placedBefore, refuseUnreported } from './unreported.js';

/** A write that an agent asks for. */
export interface PrepareRequest {
  readonly kind: PreparedKind;
  readonly market: string;
  /** The command line that a user would type for it: prices and amounts may be expressions. */
  readonly argv: readonly string[];
}

/** They place nothing. */
const PASSES_HALT: ReadonlySet<PreparedKind> = new Set(['cancel', 'algoCancel', 'algoPause']);

/**
 * Works out a command line as its dry run does, and keeps what it comes to for its commit. Sends nothing.
 * @throws Failure `usage` for what the command would refuse, for a guard that blocks, while the account is halted, and if an equal
 *   write was committed whose outcome was not reported; whatever kept a needed answer from being read
 */
export async function prepareWrite(
  context: Context,
  limits: AgentLimits,
  request: PrepareRequest,
): Promise<PreparedWrite> {
  const opened = await openWrite(context);
  const { trading, host, session } = opened;
  if (!PASSES_HALT.has(request.kind)) await requireNotHalted(opened);
  const { write, estimates } = await workOut(context, opened, limits, request);
  const store = new PreparedStore(host);
  refuseUnreported(trading, store, write);
  const before = placedBefore(trading, store, write);
  const warnings = [...estimates.warnings, ...store.unread(), ...(before === undefined ? [] : [before])];
  const { profile } = await session.connection();
  const account = trading.journal.folder;
  return store.keep({ write, estimates: { ...estimates, warnings }, profile, account, limits: limits.given });
}

async function workOut(
  context: Context,
  opened: WriteContext,
  limits: AgentLimits,
  { kind, market, argv }: PrepareRequest,
): Promise<Shown> {
  const line = await readLine(context, kind, argv);
  // what their dry runs show is less than an agent's user has to see
  if (kind === 'cancel') return workOutCancellation(opened, line.input as unknown as CancelInput);
  if (isAlgoChange(kind)) return workOutChange(opened.trading, limits, { kind, market, line });
  let worked: Shown | undefined;
  await runLine({ ...context, globals: { ...context.globals, dryRun: true } }, line, {
    id: null,
    limits,
    ifBlocked: inTerminal(kind === 'algo' ? [...argv, '--override', ALGO_GUARD] : argv),
    workedOut: (shown) => {
      worked = shown;
    },
  });
  if (worked === undefined) throw new Error(`${kind} was not worked out`);
  return worked;
}

/** What the command line of a cancellation gives. */
interface CancelInput {
  readonly market: string;
  readonly ids: readonly { readonly id: string }[];
  readonly all: boolean;
}

async function workOutCancellation(context: WriteContext, { market, ids, all }: CancelInput): Promise<Shown> {
  const { open } = await explainUnknownMarket(context, market, () => readOpenOrders(context.trading, market));
  const everything = [...open.buy, ...open.sell];
  const isNamed = ({ id }: Order) => ids.some((one) => one.id === id);
  const missing = ids.find(({ id }) => !everything.some((order) => order.id === id));
  if (missing !== undefined)
    throw usage(
      `Order ${missing.id} is not open in ${market}.`,
      suggest('See what became of it', 'order', 'show', market, missing.id),
    );
  const wanted = all ? everything : everything.filter(isNamed);
  const [first, ...others] = wanted;
  if (first === undefined) throw usage(`There are no open orders in ${market}.`, 'Nothing has to be cancelled.');
  const cancels = wanted.map(({ id, side, price, amount, filled }) => ({ id, side, price, amount, filled }));
  const what = others.length === 0 ? `order ${first.id}` : `${wanted.length} orders`;
  const write: WorkedOut = {
    ...{ kind: 'cancel', market, argv: ['cancel', market, ...wanted.map(({ id }) => id)], key: null, askedKey: null },
    ...{ text: `cancel ${what} in ${market}`, does: [], places: [], cancels, notional: null },
  };
  const warnings = lossesOf(context.trading, market, wanted).map(({ text }) => text);
  return { write, estimates: { ...NO_ESTIMATES, warnings } };
}

/** What a user can do about a guard: an agent can do nothing. */
function inTerminal(argv: readonly string[]): Advice {
  return ['An agent cannot override a guard.', suggest('The user can, in a terminal', ...argv)];
}
