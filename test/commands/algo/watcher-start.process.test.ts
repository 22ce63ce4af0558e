import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWatcher } from '../../../src/commands/algo/watcher-process.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryHome } from '../../support/pit.js';

// The process that is to watch is a real one of Node, which never says that it does.

test.each([
  ['that the user has set', true, 300, /within 0 s/],
  ['that grows if the user has not set it', false, 300, /within 45 s/],
])(
  'a real process that does not begin to watch is waited for within the time of the command, %s',
  async (_, isUserSet, milliseconds, message) => {
    const state = temporaryHome();
    let now = 0;
    const host = {
      ...fakeHost(),
      directories: { config: state, state, cache: state },
      self: { command: process.execPath, arguments: ['-e', 'setTimeout(() => {}, 20_000)'] },
      environment: { PATH: process.env.PATH ?? '' },
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
        await delay(1);
      },
    };
    const budget = new TimeBudget(milliseconds, host.monotonic, isUserSet);
    const failure = await startWatcher({ host, globals: {}, budget, link: undefined }, { isWatched: false });
    expect([failure?.kind, failure?.message, now <= budget.milliseconds + 50]).toEqual([
      'unreachable',
      expect.stringMatching(message),
      true,
    ]);
  },
);
