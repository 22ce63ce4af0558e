import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readGlobals } from '../../src/cli/definition.js';
import { type PrepareRequest, prepareWrite } from '../../src/commands/commit/prepare.js';
import { parseLadder } from '../../src/commands/order/batch-input.js';
import { createContext } from '../../src/commands/session/context.js';
import type { ExchangeLink } from '../../src/commands/session/exchange-link.js';
import { openWrite } from '../../src/commands/writes/write.js';
import type { OrderType, Side } from '../../src/domain/order.js';
import { directoriesOf } from '../../src/platform/files/directories.js';
import { type Host, monotonicMs } from '../../src/platform/host.js';
import { Output } from '../../src/terminal/output.js';
import { parseAmount, parsePrice } from '../../src/trading/expressions.js';
import type { AgentLimits } from '../../src/trading/guards/agent-limits.js';
import type { PreparedWrite } from '../../src/trading/prepared/prepared-write.js';
import { fakeHost } from './fake-host.js';
import { atTerminal } from './terminal.js';

interface Committing {
  /** Flags. */
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly host?: Partial<Host>;
  /** What the user types at the question. */
  readonly answer?: string;
  /** Runs while the question waits. */
  readonly meanwhile?: () => Promise<void>;
}

/** Commits with `--json` at a terminal, whose user confirms. Returns the exit code, the document of stdout, and what the terminal shows. */
export async function commitAtTerminal(
  home: string,
  id: string,
  { words = [], environment = {}, host = {}, answer = 'y\r', meanwhile }: Committing = {},
): Promise<{ readonly code: number; readonly data: unknown; readonly screen: string }> {
  const ask = { await: '[y/N]', type: answer, ...(meanwhile === undefined ? {} : { meanwhile }) };
  const terminal = { home, environment, host, columns: 200, stdout: 'pipe' as const, steps: [ask] };
  const { status, screen, piped } = await atTerminal(['commit', id, ...words, '--json'], terminal);
  return { code: status, data: piped === '' ? undefined : JSON.parse(piped), screen };
}

interface Options {
  readonly profile?: string;
  readonly agentLimits?: AgentLimits;
  readonly host?: Partial<Host>;
  /** The way to the exchange, if it is not the network. */
  readonly link?: ExchangeLink;
}

/** Prepares a write in a PIT_HOME, as an agent would have it prepared. */
export async function prepareIn(
  home: string,
  request: PrepareRequest,
  { profile, agentLimits, host: replaced = {}, link }: Options = {},
): Promise<PreparedWrite> {
  const host: Host = {
    ...fakeHost(),
    environment: { PIT_HOME: home },
    directories: directoriesOf(home),
    now: Date.now,
    monotonic: monotonicMs,
    randomBytes,
    sleep: (milliseconds) => delay(milliseconds),
    ...replaced,
  };
  const globals = readGlobals({ color: false, ...(profile === undefined ? {} : { profile }) });
  const { context } = createContext({ host, globals, output: new Output(host, 'json') }, {}, undefined, link);
  const write = await openWrite(context, true);
  return prepareWrite({ ...write, agentLimits }, request);
}

const FLAGS = { account: 'spot', borrow: false, repay: false } as const;

/** `buy 0.01 btc_usdt bid-2%` as a request. */
export function order(words: string, type: OrderType = 'limit'): PrepareRequest {
  const [side = '', amount = '', market = '', at = ''] = words.split(' ');
  const terms = { side: side as Side, market, amount: parseAmount(amount), at: parsePrice(at), type };
  return { kind: 'order', draft: { ...FLAGS, ...terms, id: undefined, overridden: [] } };
}

/** `buy 0.3 btc_usdt bid-1%:bid-5%:3` as a request. */
export function ladder(words: string): PrepareRequest {
  const [side = '', amount = '', market = '', prices = ''] = words.split(' ');
  const input = { kind: 'ladder', ladder: parseLadder(prices), amount: parseAmount(amount), weight: 'equal' } as const;
  return { kind: 'ladder', where: { market, side: side as Side, account: 'spot' }, input };
}

/** A request to give an order another price. */
export function replacement(market: string, id: string, at: string): PrepareRequest {
  const changes = { at: parsePrice(at), amount: undefined, account: undefined, borrow: false, repay: false };
  return { kind: 'replace', market, order: id, changes };
}
