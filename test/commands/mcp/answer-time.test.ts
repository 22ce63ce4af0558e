import { expect, it } from 'vitest';
import type { CommandResult } from '../../../src/commands/mcp/run-command.js';
import { tradingTools } from '../../../src/commands/mcp/trading-tools.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryState } from '../../trading/support/trading.js';

const PREPARED = {
  ...{ profile: 'sandbox', market: 'btc_usdt', text: 'buy 1 btc_usdt', does: [], places: [], cancels: [] },
  ...{ notional: null, fee: null, feeCoin: null, warnings: [] },
};

/** The command lines that a call of a tool runs, each of which takes so many ms. */
async function lines(name: string, given: object, { isTimeoutGiven = false, tookMs = 0 } = {}) {
  const host = { ...fakeHost(), directories: { state: temporaryState() } };
  const journal = new Journal(host, host.directories.state, 'test');
  const session = { journal: async () => journal } as never;
  const none = { markets: undefined, maxOrder: undefined, maxDay: undefined, maxOpen: undefined };
  const terms = { commit: 'ask', allowBorrow: false, ...none } as const;
  const globals = { isTimeoutGiven, timeoutMs: 5_000 } as never;
  const { tools } = tradingTools({ host: host as never, session, globals }, terms);
  const ran: string[][] = [];
  const run = async (words: readonly string[]): Promise<CommandResult> => {
    ran.push([...words]);
    await host.sleep(tookMs);
    const data = words[0] === 'prepared' ? PREPARED : [];
    return { data, warnings: [], error: null } as never;
  };
  const call = { given, run, signal: new AbortController().signal, canAsk: true, replyTo: () => 'confirmed' };
  await tools.find((one) => one.name === name)?.answer(call as never);
  return ran.filter(([command]) => command !== 'prepared');
}

it('a commit ends after 40 s with what is known by then, because clients give up after a minute', async () => {
  const [words] = await lines('commit', { id: 'pit1' });
  expect(words).toEqual(['commit', '--yes', '--timeout=40.000', '--', 'pit1']);
});

it('so does the tool that finds out what became of a write', async () => {
  expect(await lines('resolve', { id: undefined })).toEqual([['resolve', '--timeout=40.000']]);
});

it('the time that the user gave to the server counts instead', async () => {
  const [words] = await lines('commit', { id: 'pit1' }, { isTimeoutGiven: true });
  expect(words).toEqual(['commit', '--yes', '--', 'pit1']);
});
