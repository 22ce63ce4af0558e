import type { AccountInfo } from '../../domain/account.js';
import { type Advice, Failure, suggest } from '../../errors.js';
import type { Exchange, HttpResponse } from '../../exchange/exchange.js';
import type { Context } from '../session/command.js';

export type Status = 'ok' | 'warn' | 'fail';

/** What a check found and how to fix it. */
export interface CheckResult {
  readonly status: Status;
  readonly detail: string;
  readonly fix: Advice | null;
}

export interface CheckFinding extends CheckResult {
  readonly check: string;
}

export interface Check {
  readonly name: string;
  /** This check reports a problem with the key or its profile; others are then skipped. */
  readonly reportsKey?: boolean;
  /** A failure that it throws is its result. */
  run(probes: Probes): Promise<CheckResult>;
}

export function ok(detail: string): CheckResult {
  return { status: 'ok', detail, fix: null };
}

export function warn(detail: string, fix: Advice): CheckResult {
  return { status: 'warn', detail, fix };
}

export function fail(detail: string, fix: Advice): CheckResult {
  return { status: 'fail', detail, fix };
}

/** For a check that another problem prevents. */
export function skipped(why: string, fix: Advice): CheckResult {
  return warn(`skipped: ${why}`, fix);
}

/** Skipped because of the key, which the check `key` reports. */
export function skippedWithoutKey(why: string): CheckResult {
  return skipped(why, 'Fix the key first.');
}

/**
 * Runs a check. A failure or a hang becomes its finding and stops no other check.
 *
 * @param timeout resolves when the time is up
 */
export async function runCheck(check: Check, probes: Probes, timeout: Promise<unknown>): Promise<CheckFinding> {
  const { name } = check;
  const timedOut = timeout.then(() =>
    fail('no answer in time', suggest('Give it more time', 'doctor', '--timeout', '60')),
  );
  try {
    return { check: name, ...(await Promise.race([check.run(probes), timedOut])) };
  } catch (thrown) {
    if (thrown instanceof Failure) return { check: name, ...resultOf(thrown, check) };
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return { check: name, ...fail(text, 'Run it again with --verbose and report what it prints.') };
  }
}

function resultOf({ kind, message, hints }: Failure, { reportsKey = false }: Check): CheckResult {
  if (kind === 'credentials' && !reportsKey) return skippedWithoutKey('the key or its profile has a problem');
  return fail(message, hints);
}

/** An answer of a host, with this machine's clock before and after it, in milliseconds since the Unix epoch. */
export interface ProbeAnswer extends HttpResponse {
  readonly sent: number;
  readonly received: number;
}

/** Requests that several checks share; each is sent once. */
export class Probes {
  #market: Promise<ProbeAnswer> | undefined;
  #trade: Promise<ProbeAnswer> | undefined;
  #account: Promise<AccountInfo> | undefined;

  constructor(readonly context: Context) {}

  /** The market-data host, asked for its markets. */
  market(): Promise<ProbeAnswer> {
    this.#market ??= this.#timed((client) => client.testMarketData());
    return this.#market;
  }

  /** The trade host, asked for what needs no key. */
  trade(): Promise<ProbeAnswer> {
    this.#trade ??= this.#timed((client) => client.testTrading());
    return this.#trade;
  }

  account(): Promise<AccountInfo> {
    this.#account ??= this.context.session.signedExchange().then((client) => client.account());
    return this.#account;
  }

  async #timed(probe: (client: Exchange) => Promise<HttpResponse>): Promise<ProbeAnswer> {
    const { session, host } = this.context;
    const client = await session.exchange();
    const sent = host.now();
    const answer = await probe(client);
    return { ...answer, sent, received: host.now() };
  }
}
