import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { accountName } from '../../src/commands/session/account-name.js';
import { Interrupted } from '../../src/errors.js';
import type { Host } from '../../src/platform/host.js';
import { Journal } from '../../src/trading/journal/journal.js';
import { fakeHost, NOW } from '../support/fake-host.js';
import { programHere } from '../support/in-process.js';
import { BOOK, marketList, NO_ORDER, orderRow, parametersOf } from '../support/wire.js';
import { lostAnswer } from '../support/world/hosts.js';
import { TERMS } from '../trading/support/terms.js';
import { temporaryState } from '../trading/support/trading.js';
import { environmentAt, literalExchange } from './literal-exchange.js';

/**
 * Runs a write after an order that may be repeated, so that duplicates are checked, and sends a signal at each check after
 * the write. Returns the number of checks, how many had no handler for the signal, and what the handlers printed at once: a
 * command without an answer so far continues after them, and its own output may contain the same text; and all that was printed.
 */
async function interrupted(line: string, write: string) {
  const works: Works = new Set();
  const checks = { count: 0, unhandled: 0, printed: '' };
  let isWritten = false;
  const { url } = literalExchange((asked, parameters) => {
    if (asked === `/api/${write}`) isWritten = true;
    const isList = asked === '/api/getOrders';
    if (isList && isWritten) {
      checks.count += 1;
      if (works.size === 0) checks.unhandled += 1;
      const before = host.printed().length;
      for (const work of works) work('SIGINT');
      checks.printed += host.printed().slice(before);
    }
    if (isList) return isWritten || parametersOf(parameters).side === 'sell' ? NO_ORDER : listOf(['7']);
    return '{"code":1000,"message":"ok","id":"7"}';
  });
  const folders = foldersIn(temporaryState());
  const host = hostOf(line, url, folders, works);
  const journal = new Journal(
    host,
    folders.state,
    accountName({ sandbox: false, tradeUrl: url }, () => 'literal-access-key'),
  );
  const entry = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'before', reqTime: NOW });
  entry.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
  await run(host, await programHere()).catch(() => undefined);
  return { ...checks, left: works.size, all: host.printed() };
}

/** A list of open buys with these ids. */
function listOf(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => orderRow({ id, price: 30_000, amount: 0.01, time: 1_648_461_600_123 })));
}

describe('a signal during the check for duplicates after a write', () => {
  it.each([
    ['cancel-after btc_usdt --yes', 'cancelAllOrdersAfter', /it cannot be stopped\.\n/],
    [
      'cancel-after btc_usdt --hold --yes -- bot',
      'cancelAllOrdersAfter',
      /it cannot be stopped\. The command was not run\./,
    ],
  ])('reports what %s has done', async (line, write, words) => {
    const { count, unhandled, left, printed } = await interrupted(line, write);
    expect([count > 0, unhandled, left]).toEqual([true, 0, 0]);
    expect(printed).toMatch(words);
  });

  it.each([
    ['cancel btc_usdt --all --yes', /1 of 1 answers had arrived\..* pit cancel btc_usdt --all/s],
    ['cancel btc_usdt 7', /1 of 1 answers had arrived\./],
  ])('prints what became of each order of %s, and then that it was interrupted', async (line, words) => {
    const { count, unhandled, left, all } = await interrupted(line, 'cancelOrder');
    expect([count > 0, unhandled, left]).toEqual([true, 0, 0]);
    expect(all).toMatch(/^outcome .*\n(cancelled|unknown) +7 /m);
    expect(all).toMatch(words);
  });
});

/**
 * Runs a command, and sends a signal while the exchange holds a request unanswered. Returns what the handlers printed at once, and all that
 * was printed.
 */
async function interruptedAt(line: string, isMoment: (operation: string, count: number) => boolean, answers: Answers) {
  const works: Works = new Set();
  const counts: Record<string, number> = {};
  let printed = '';
  const { url } = literalExchange((asked) => {
    const operation = path.basename(asked);
    const count = (counts[operation] ?? 0) + 1;
    counts[operation] = count;
    const before = host.printed().length;
    if (isMoment(operation, count)) for (const work of works) work('SIGINT');
    printed += host.printed().slice(before);
    // that of the machine would be far from the time of this host
    return { body: answers(operation, count), date: null };
  });
  const host = hostOf(line, url, foldersIn(temporaryState()), works);
  await run(host, await programHere()).catch(() => undefined);
  return { printed, all: host.printed() };
}

type Answers = (operation: string, count: number) => string;

type Works = Set<(signal: 'SIGINT') => unknown>;

/** A host for a command, which keeps the signal handlers of the command. */
function hostOf(line: string, url: string, directories: ReturnType<typeof foldersIn>, works: Works) {
  return {
    ...fakeHost(),
    ...{ arguments: line.split(' '), environment: environmentAt(url), directories },
    onInterrupt: (work: (signal: 'SIGINT') => unknown) => {
      works.add(work);
      return () => works.delete(work);
    },
  };
}

function foldersIn(state: string) {
  return { config: `${state}/config`, state: `${state}/state`, cache: `${state}/cache` };
}

describe('a signal while a timer is held', () => {
  const OK = '{"code":1000,"message":"ok"}';
  const answers: Answers = (operation, count) =>
    operation !== 'cancelAllOrdersAfter' ? NO_ORDER : count > 2 ? '{"code":1009,"message":"maintenance"}' : OK;

  it('a signal during a restart says that the timer may run longer', async () => {
    const again = (operation: string, count: number) => operation === 'cancelAllOrdersAfter' && count === 2;
    const { printed } = await interruptedAt('cancel-after btc_usdt --hold --yes', again, answers);
    expect(printed).toMatch(
      /^Warning: The exchange will cancel every order of btc_usdt at \S+ \(UTC\) at the earliest( and by \S+ \(UTC\))?, unless/,
    );
  });
});

it.each([
  'order buy btc_usdt 0.01 --at 19000 --yes',
  'order batch buy btc_usdt --ladder 19000:19010:3 --amount 0.3 --yes',
])('a signal while %s is being checked says that nothing was sent', async (line) => {
  const isCheck = (operation: string) => operation === 'depth';
  const answers: Answers = (operation) => (operation === 'markets' ? marketList() : BOOK);
  expect((await interruptedAt(line, isCheck, answers)).printed).toBe('Nothing was sent.\n');
});

describe('a signal during a write with --json', () => {
  const answers: Answers = (operation) => {
    if (operation === 'markets') return marketList();
    return operation === 'depth' ? BOOK : '{"code":1000,"message":"ok","id":"7"}';
  };

  it.each([
    ['order buy btc_usdt 0.01 --at 30000 --yes', 'depth', 'Nothing was sent.', null, null],
    [
      'order buy btc_usdt 0.01 --at 30000 --id mine0001 --override price-band --yes',
      'order',
      'The order may have been placed; pit stopped before it knew.',
      'Find out: pit resolve mine0001',
      'mine0001',
    ],
    [
      'order replace btc_usdt 7 --at 29000 --yes',
      'cancelOrder',
      'The order may be cancelled, and its replacement may have been sent.',
      expect.stringMatching(/^Find out: pit resolve \w+$/),
      expect.any(String),
    ],
  ])('ends %s with an error object, held at %s', async (line, held, message, hint, clientId) => {
    const isHeld = (operation: string) => operation === held;
    const order = line.includes(' replace ')
      ? JSON.stringify(orderRow({ id: '7', price: 30_000, amount: 0.01, time: NOW }))
      : NO_ORDER;
    const own: Answers = (operation, count) => (operation === 'getOrder' ? order : answers(operation, count));
    const { printed } = await interruptedAt(`${line} --json`, isHeld, own);
    const [object, ...others] = printed.trimEnd().split('\n');
    expect(JSON.parse(object ?? '')).toEqual({
      error: { kind: 'interrupted', message, hint, exitCode: 130, code: null, clientId },
    });
    expect(others).toEqual([]);
  });

  it('ends cancel btc_usdt 7 with an error object after a moment for its answer', async () => {
    const own: Answers = (operation, count) => (operation === 'getOrder' ? NO_ORDER : answers(operation, count));
    const { printed, all } = await interruptedAt('cancel btc_usdt 7 --json', (name) => name === 'cancelOrder', own);
    const hint = 'Cancelling again does no harm: pit cancel btc_usdt 7';
    const message = '0 of 1 answers had arrived.';
    expect(printed).toBe('');
    expect(JSON.parse(all)).toEqual({
      error: { kind: 'interrupted', message, hint, exitCode: 130, code: null, clientId: null },
    });
  });
});

describe('a signal during a write of several orders with --json', () => {
  /** Sends a signal once so many requests of an operation came; those from then on are never answered. */
  async function stoppedAt(line: string, operation: string, count: number) {
    const works: Works = new Set();
    const reports: unknown[] = [];
    let seen = 0;
    const { url } = literalExchange(async (asked, parameters) => {
      const name = path.basename(asked);
      if (name === operation) seen += 1;
      if (name === operation && seen >= count) {
        // the answers before it have arrived
        await new Promise(setImmediate);
        if (reports.length === 0) for (const work of works) reports.push(work('SIGINT'));
        return lostAnswer();
      }
      if (name === 'markets') return marketList();
      if (name === 'depth') return BOOK;
      if (name === 'orderMoreV2') return BATCH_DONE;
      if (name !== 'getOrders') return '{"code":1000,"message":"ok"}';
      return parametersOf(parameters).side === 'buy' && seen === 0 ? listOf(OPEN) : NO_ORDER;
    });
    const host = hostOf(line, url, foldersIn(temporaryState()), works);
    const ended = await run(host, await programHere()).catch((thrown: unknown) => thrown);
    await Promise.all(reports);
    const documents = host
      .printed()
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    return { ended, answers: documents.filter((one) => !('error' in one) && !('warning' in one)), documents };
  }
  const OPEN = Array.from({ length: 12 }, (_, index) => String(70 + index));
  const BATCH_DONE = JSON.stringify({
    ...{ code: 1000, message: 'ok', data: Array.from({ length: 20 }, (_, index) => 90 + index) },
  });

  it('prints the outcome of each cancellation of cancel --all', async () => {
    const { ended, answers, documents } = await stoppedAt('cancel btc_usdt --all --yes --json', 'cancelOrder', 9);
    expect(ended).toBeInstanceOf(Interrupted);
    expect(answers).toHaveLength(1);
    const outcomes = (answers[0] as { outcome: string; id: string }[]).map(({ outcome }) => outcome);
    expect(outcomes.length).toBeGreaterThanOrEqual(8);
    expect(documents.at(-1)).toMatchObject({ error: { kind: 'interrupted', exitCode: 130 } });
  });

  it('prints the outcome of each line of order batch', async () => {
    const line = 'order batch buy btc_usdt --ladder 19000:19400:60 --amount 6 --override price-band --yes --json';
    const { answers, documents } = await stoppedAt(line, 'orderMoreV2', 2);
    expect(answers).toHaveLength(1);
    const { orders } = answers[0] as { orders: { outcome: string }[] };
    const count = (wanted: string) => orders.filter(({ outcome }) => outcome === wanted).length;
    expect([orders.length, count('placed') + count('unknown') > 0]).toEqual([60, true]);
    expect(documents.at(-1)).toMatchObject({ error: { kind: 'interrupted', exitCode: 130 } });
  });
});

it('a second signal reports the progress of a batch without waiting for the answers, and releases the job', async () => {
  const state = temporaryState();
  const file = path.join(state, 'orders.csv');
  writeFileSync(file, Array.from({ length: 40 }, (_, index) => `${20_000 + index},0.01`).join('\n'));
  let free = () => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  let signals: Parameters<Host['onInterrupt']> = [() => {}];
  let sent = 0;
  const { url } = literalExchange(async (asked) => {
    const operation = path.basename(asked);
    if (operation !== 'orderMoreV2')
      return operation === 'markets' ? marketList() : operation === 'depth' ? BOOK : NO_ORDER;
    sent += 1;
    await freed;
    return lostAnswer();
  });
  const { sleep, ...others } = fakeHost();
  const host = {
    ...{ ...others, environment: environmentAt(url) },
    arguments: `order batch buy btc_usdt --file ${file} --override price-band --yes`.split(' '),
    directories: foldersIn(state),
    onInterrupt: (...words: typeof signals) => {
      signals = words;
      return () => {};
    },
    // no time budget ends before the second signal
    sleep: (milliseconds: number) => freed.then(() => sleep(milliseconds)),
  };
  const ended = run(host, await programHere()).catch((thrown: unknown) => thrown);
  while (sent === 0) await delay(5);
  const [work, onSecondSignal] = signals;
  const before = host.printed().length;
  const done = work('SIGINT');
  await delay(0);
  expect(host.printed().slice(before)).toBe('');
  onSecondSignal?.('SIGINT');
  expect(host.printed().slice(before)).toMatch(
    /^Warning: 0 of 40 orders placed, 20 unknown, 20 not sent\.\s+\S* ?To continue: pit order batch buy btc_usdt --resume job(?:ab){10} --override price-band\n$/,
  );
  // so that this process, which may be a shell, can resume it
  const account = accountName({ sandbox: false, tradeUrl: url }, () => 'literal-access-key');
  const [job] = new Journal(host, foldersIn(state).state, account).unsettledEntries();
  expect(job?.events.at(-1)?.isReleased).toBe(true);
  free();
  await done;
  expect(await ended).toBeInstanceOf(Interrupted);
});
