// Reads each kind of private file of a PIT_HOME in rounds, and prints what it got, each result once per kind.
import path from 'node:path';
import { Cache } from '../../../src/config/cache.js';
import { CompletionNames } from '../../../src/config/completion-names.js';
import { KeyStore } from '../../../src/config/keys.js';
import { Profiles } from '../../../src/config/profiles.js';
import { Failure } from '../../../src/errors.js';
import { FileStore } from '../../../src/exchange/limiter/file-store.js';
import { Latch } from '../../../src/exchange/limiter/latch.js';
import { readPrivate } from '../../../src/platform/files/private-files.js';
import { locate } from '../../../src/sandbox/lifecycle/files.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { PreparedStore } from '../../../src/trading/prepared/prepared-store.js';

const [home = '', rounds = '1'] = process.argv.slice(2);
const directories = {
  config: path.join(home, 'config'),
  state: path.join(home, 'state'),
  cache: path.join(home, 'cache'),
};
const { config, state, cache } = directories;
const host = {
  directories,
  now: Date.now,
  redaction: { apply: (text: string) => text, applyToData: (text: string) => text },
};
const noKeychain = () => {
  throw new Error('the keychain was loaded');
};

/** What was read, as a text; `nothing` if there was no such file. */
const KINDS: Readonly<Record<string, () => unknown>> = {
  profile: async () => (await new Profiles(config).get('main')).tradeUrl,
  setting: async () => (await new Profiles(config).get('main')).settings.zone,
  keys: async () => (await new KeyStore(config, noKeychain as never).get('main'))?.accessKey,
  latch: async () => {
    const halt = await new Latch({
      root: state,
      account: 'account',
      now: Date.now,
      monotonic: () => 0,
      secretKey: async () => '',
    }).find();
    return halt === undefined ? 'not halted' : (halt.reason ?? 'halted, of unknown reason');
  },
  journal: () => new Journal(host as never, state, 'account').unsettled().damaged.join(),
  prepared: () => new PreparedStore(host as never).find('pit0123456789abcdef01234567') ?? 'nothing',
  cache: () => new Cache(cache, Date.now).read('rules')?.value ?? 'nothing',
  names: () => new CompletionNames(cache, 'main').read('markets').join() || 'nothing',
  permits: async () =>
    typeof (await new FileStore(state, 'limits/host/key-3', { count: 3, reserved: 0 }, () => 0).take('common')),
  running: () => locate({ directories })?.accessKey ?? 'nothing',
  history: () => readPrivate(state, 'shell/history', 1_000)?.toString() ?? 'nothing',
};

const seen: Record<string, string[]> = {};
for (const [kind, read] of Object.entries(KINDS)) {
  const results = new Set<string>();
  for (let round = 0; round < Number(rounds); round += 1) {
    try {
      results.add(String(await read()));
    } catch (thrown) {
      results.add(thrown instanceof Failure ? `refused: ${thrown.kind}` : `error: ${String(thrown)}`);
    }
  }
  seen[kind] = [...results].sort();
}
process.stdout.write(JSON.stringify(seen));
