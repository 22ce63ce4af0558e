import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readGlobals } from '../../src/cli/definition.js';
import { type PrepareRequest, prepareWrite } from '../../src/commands/commit/prepare.js';
import { commands } from '../../src/commands/index.js';
import { createContext } from '../../src/commands/session/context.js';
import type { ExchangeLink } from '../../src/commands/session/exchange-link.js';
import { directoriesOf } from '../../src/platform/files/directories.js';
import { type Host, monotonicMs } from '../../src/platform/host.js';
import { Output } from '../../src/terminal/output.js';
import { AgentLimits } from '../../src/trading/guards/agent-limits.js';
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
  { profile, agentLimits = new AgentLimits({}), host: replaced = {}, link }: Options = {},
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
  const { context } = createContext({ host, globals, output: new Output(host, 'json') }, commands, link);
  return prepareWrite(context, agentLimits, request);
}

/** `buy 0.01 btc_usdt bid-2%` as a request. */
export function order(words: string, ...flags: readonly string[]): PrepareRequest {
  const [side = '', amount = '', market = '', at = ''] = words.split(' ');
  return { kind: 'order', market, argv: ['order', side, market, amount, '--at', at, ...flags] };
}

/** `buy 0.3 btc_usdt bid-1%:bid-5%:3` as a request. */
export function ladder(words: string, ...flags: readonly string[]): PrepareRequest {
  const [side = '', amount = '', market = '', prices = ''] = words.split(' ');
  const argv = ['order', 'batch', side, market, '--ladder', prices, '--amount', amount, ...flags];
  return { kind: 'ladder', market, argv };
}

/** A request to give an order another price. */
export function replacement(market: string, id: string, at: string): PrepareRequest {
  return { kind: 'replace', market, argv: ['order', 'replace', market, id, '--at', at] };
}

/** A request to cancel orders, or all of them. */
export function cancellation(market: string, ...orders: readonly string[]): PrepareRequest {
  return { kind: 'cancel', market, argv: ['cancel', market, ...orders] };
}
