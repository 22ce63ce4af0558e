import { type CommandTable, type Definition, flag, required, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Failure, quoted, usage } from '../../errors.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import { PREPARED, preparedRow } from '../commit/commit.js';
import { describedTerms } from '../commit/described-terms.js';
import { type PrepareRequest, prepareWrite } from '../commit/prepare.js';
import { commitPrepared, findPrepared } from '../commit/send-prepared.js';
import { algoId, marketName, oneOf, orderId, preparedId } from '../inputs/parsers.js';
import { AGENT_ALGO_FLAGS, checkAlgo } from '../order/algo-args.js';
import { parseLadder } from '../order/batch-input.js';
import { checkGiven } from '../order/order-args.js';
import { type Context, define } from '../session/command.js';
import { openWrite } from '../writes/write.js';

/** In one prepared write. A user would not read more before confirming. */
const MOST_ORDERS = 50;

/** The same for the conditions of an algo order. */
const MOST_CONDITIONS = 5;
/** In characters: all of them are in one sentence of the question. */
const LONGEST_CONDITION = 30;

const MARKET = required('the market', marketName);
const SIDE = required('buy or sell', oneOf('side', 'buy', 'sell'));
const ACCOUNT = {
  account: flag('--account <name>', 'spot, isolated or cross', oneOf('account', 'spot', 'isolated', 'cross')),
};
const LOANS = { borrow: toggle('--borrow', 'borrow the shortfall'), repay: toggle('--repay', 'repay loans') };

/**
 * The command lines that only the tools of an agent run. They hold its limits, and are no part of pit's own command line: an agent
 * prepares, and `pit commit` is for its user.
 */
export function tradingCommands(limits: AgentLimits): CommandTable {
  const prepare: Prepare = async (context, request) => {
    const write = { ...(await openWrite(context, true)), agentLimits: limits };
    return answerOf(await prepareWrite(write, request));
  };
  return {
    'prepare order': async () => ({ default: prepareOrder(prepare) }),
    'prepare ladder': async () => ({ default: prepareLadder(prepare) }),
    'prepare replace': async () => ({ default: prepareReplacement(prepare) }),
    'prepare cancel': async () => ({ default: prepareCancellation(prepare) }),
    'prepare algo': async () => ({ default: prepareAlgo(prepare) }),
    'prepare algo-change': async () => ({ default: prepareAlgoChange(prepare) }),
    prepared: async () => ({ default: showPrepared() }),
    commit: async () => ({ default: commit(limits) }),
  };
}

/** Prepares a write within the limits of the agent. */
type Prepare = (context: Context, request: PrepareRequest) => Promise<ReturnType<typeof answerOf>>;

const NEW_ORDER = { side: SIDE, market: MARKET, amount: required('the amount', parseAmount) };

const PRICE_AND_TYPE = {
  at: flag('--at <price>', 'the price', parsePrice),
  type: flag('--type <type>', 'limit, postOnly or ioc', oneOf('type', 'limit', 'postOnly', 'ioc')),
};

function prepareOrder(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: NEW_ORDER,
    flags: { ...PRICE_AND_TYPE, ...ACCOUNT, ...LOANS },
    async run(context, { side, market, amount, at, type = 'limit', account = 'spot', borrow, repay }) {
      checkGiven({ account, borrow, repay, amount });
      if (at === undefined) throw usage('An order needs a price.', 'Give price, such as 28000 or bid-1%.');
      const draft = { side, market, amount, at, type, account, borrow, repay, id: undefined, overridden: [] };
      return prepare(context, { kind: 'order', draft });
    },
  });
}

function prepareLadder(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: {
      side: SIDE,
      market: MARKET,
      amount: required('the amount of all orders', parseAmount),
      prices: required('from:to:n', parseLadder),
    },
    flags: { weight: flag('--weight <how>', 'equal or linear', oneOf('weight', 'equal', 'linear')), ...ACCOUNT },
    async run(context, { side, market, amount, prices, weight = 'equal', account = 'spot' }) {
      checkGiven({ account, borrow: false, repay: false, amount });
      requireFew(prices.count);
      const input = { kind: 'ladder', ladder: prices, amount, weight } as const;
      return prepare(context, { kind: 'ladder', where: { market, side, account }, input });
    },
  });
}

function prepareReplacement(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: { market: MARKET, order: required('the order', orderId) },
    flags: {
      at: flag('--at <price>', 'the new price', parsePrice),
      amount: flag('--amount <amount>', 'the new total', parseAmount),
      ...ACCOUNT,
      ...LOANS,
    },
    async run(context, { market, order, at, amount, account, borrow, repay }) {
      checkGiven({ account: account ?? 'spot', borrow, repay, amount: undefined });
      if (at === undefined && amount === undefined)
        throw usage('A replacement needs a new price or amount.', 'Give price, amount, or both.');
      return prepare(context, { kind: 'replace', market, order, changes: { at, amount, account, borrow, repay } });
    },
  });
}

function prepareCancellation(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: { market: MARKET, orders: several('the orders', orderId) },
    flags: { all: toggle('--all', 'every open order') },
    async run(context, { market, orders, all }) {
      requireFew(orders.length);
      return prepare(context, { kind: 'cancel', market, orders: all ? 'all' : [...new Set(orders)] });
    },
  });
}

function prepareAlgo(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: NEW_ORDER,
    flags: { ...PRICE_AND_TYPE, ...AGENT_ALGO_FLAGS },
    async run(context, { side, market, amount, at, type, ...flags }) {
      if (flags.when.length > MOST_CONDITIONS)
        throw usage(`when has too many conditions: ${flags.when.length}.`, `Give up to ${MOST_CONDITIONS}.`);
      const long = flags.when.find(({ text }) => text.length > LONGEST_CONDITION);
      if (long !== undefined)
        throw usage(`The condition ${quoted(long.text)} is too long.`, `Use up to ${LONGEST_CONDITION} characters.`);
      // an agent runs no program of the user
      const given = { ...flags, exec: undefined, notify: false };
      const order = { side, market, amount, at, type, account: 'spot', borrow: false, repay: false } as const;
      namingParameters(() =>
        checkAlgo({ ...order, id: undefined, once: false, wait: undefined, overridden: [] }, given),
      );
      return prepare(context, {
        kind: 'algo',
        draft: { ...given, side, market, amount, at, type: type ?? 'limit', overridden: [] },
      });
    },
  });
}

function prepareAlgoChange(prepare: Prepare): Definition {
  return define({
    ...INTERNAL,
    arguments: {
      change: required('what to do', oneOf('kind', 'algoCancel', 'algoPause', 'algoResume')),
      market: MARKET,
      ids: several('the algo orders', algoId),
    },
    async run(context, { change, market, ids }) {
      requireFew(ids.length);
      return prepare(context, { kind: change, market, ids: [...new Set(ids)] });
    },
  });
}

function showPrepared(): Definition {
  return define({
    ...INTERNAL,
    arguments: { id: required('the id of the prepared write', preparedId) },
    run: async (context, { id }) => answerOf(await findPrepared(await openWrite(context), id)),
  });
}

function commit(limits: AgentLimits): Definition {
  return define({
    ...INTERNAL,
    // it sends: what was done is not lost if it cannot be printed
    dryRunOutput: shape.anything,
    arguments: { id: required('the id of the prepared write', preparedId) },
    async run(context, { id }) {
      const write = { ...(await openWrite(context)), agentLimits: limits };
      return commitPrepared(context, write, await findPrepared(write, id));
    },
  });
}

const INTERNAL = { summary: '', examples: [], output: shape.object(PREPARED) } as const;

/** Checks what an agent has given: what is wrong names its parameters, not the flags of the command line. */
function namingParameters(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    const hints = error.hints.map((part) => (typeof part === 'string' ? withParameters(part) : part));
    throw usage(withParameters(error.message), hints);
  }
}

const PARAMETERS: Readonly<Record<string, string>> = { at: 'price', 'post-only': 'type postOnly', ioc: 'type ioc' };

/** A message whose flags are named as the parameters of the tools. */
export function withParameters(text: string): string {
  return text.replaceAll(/--([a-z-]+)/g, (_, flag: string) => PARAMETERS[flag] ?? flag);
}

function requireFew(count: number): void {
  if (count > MOST_ORDERS)
    throw usage(
      `These are too many orders: ${count}, and an agent may prepare up to ${MOST_ORDERS} at once.`,
      'Prepare them in parts.',
    );
}

function answerOf(prepared: Parameters<typeof preparedRow>[0]) {
  return { data: preparedRow(prepared), show: () => describedTerms(prepared.write).text };
}
