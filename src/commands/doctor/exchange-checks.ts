import type { Permission, Permissions } from '../../domain/account.js';
import { quotedName } from '../../domain/quotation.js';
import { adviceParts, Failure, type Hint, suggest, tryRead, withoutPeriod } from '../../errors.js';
import { networkFault } from '../../exchange/connect.js';
import { haltText, LIFT_HALT, type LimiterState } from '../../exchange/exchange.js';
import { zonedTime } from '../../terminal/time.js';
import { mayHaveAlgos } from '../../trading/algos/record/algo-folder.js';
import { accountsWithJournal } from '../../trading/journal/files.js';
import { Journal } from '../../trading/journal/journal.js';
import { clientIdOf } from '../../trading/journal/write.js';
import { SLACK_MS } from '../../trading/settling/reconcile.js';
import { unknownWrites } from '../../trading/settling/unknown-writes.js';
import { PERMISSIONS, whatNeeds } from '../account/permissions.js';
import { accountName, SANDBOX_JOURNAL } from '../session/account-name.js';
import type { Context } from '../session/command.js';
import {
  type Check,
  type CheckResult,
  fail,
  ok,
  type ProbeAnswer,
  type Probes,
  skipped,
  skippedWithoutKey,
  warn,
} from './check.js';

const DAY_MS = 86_400_000;
/** Most certificates are renewed earlier than this. */
const CERTIFICATE_WARNING_DAYS = 14;
/** More than an answer's delay and a Date of whole seconds explain. */
const SKEW_MS = 2_000;

interface HostProbe {
  readonly name: string;
  readonly probe: (probes: Probes) => Promise<ProbeAnswer>;
  readonly url: (hosts: { readonly baseUrl: string; readonly tradeUrl: string }) => string;
}

const HOSTS: readonly HostProbe[] = [
  { name: 'market', probe: (probes) => probes.market(), url: ({ baseUrl }) => baseUrl },
  { name: 'trade', probe: (probes) => probes.trade(), url: ({ tradeUrl }) => tradeUrl },
];

/** `market-host`, `market-tls`, `trade-host` and `trade-tls`. */
export const hosts: readonly Check[] = HOSTS.flatMap(({ name, probe, url }) => {
  const urlOf = async ({ context: { session } }: Probes) => url((await session.exchange()).hosts);
  return [
    {
      name: `${name}-host`,
      run: async (probes: Probes) => {
        const { sent, received } = await probe(probes);
        return ok(`${await urlOf(probes)} answered in ${received - sent} ms`);
      },
    },
    {
      name: `${name}-tls`,
      run: async (probes: Probes) => certificateResult(await urlOf(probes), () => probe(probes)),
    },
  ];
});

async function certificateResult(url: string, probe: () => Promise<ProbeAnswer>): Promise<CheckResult> {
  if (url.startsWith('http:')) return ok('plain http, only to this machine');
  try {
    const { certificateExpires, received } = await probe();
    if (certificateExpires === null) return ok('the certificate was accepted');
    const days = Math.floor((certificateExpires - received) / DAY_MS);
    const detail = `the certificate was accepted; it expires in ${days} ${days === 1 ? 'day' : 'days'}`;
    return days < CERTIFICATE_WARNING_DAYS ? warn(detail, 'Ask the exchange: only it can renew it.') : ok(detail);
  } catch (thrown) {
    const fault = thrown instanceof Failure ? networkFault(thrown) : undefined;
    if (!(thrown instanceof Failure) || fault === undefined) throw thrown;
    if (fault.fault === 'certificate') return fail(fault.message, fault.hint ?? thrown.hints);
    return skipped('the host could not be reached', 'Fix the host first.');
  }
}

/** How long the exchange may take to answer a subscription and a heartbeat. */
const STREAM_MS = 10_000;
/** How often it is checked whether the heartbeat was answered. */
const POLL_MS = 10;

export const stream: Check = {
  name: 'stream',
  async run({ context: { session, host, budget } }) {
    const { wsUrlMissing } = await session.connection();
    if (wsUrlMissing !== null) return skipped(withoutPeriod(wsUrlMissing.message), wsUrlMissing.hint);
    const [market] = (await tryRead(async () => (await session.markets()).all())) ?? [];
    if (market === undefined) return skipped('the market-data host lists no market to follow', 'Fix the host first.');
    const end = new AbortController();
    const connectMs = Math.min(STREAM_MS, budget.remainingMs / 2);
    void host.sleep(connectMs, end.signal).then(() => end.abort());
    const start = host.monotonic();
    const channel = { kind: 'ticker', market: market.market } as const;
    const following = await session.stream([channel], { signal: end.signal, connectMs });
    const advice = suggest('See what the exchange sends', 'stream', `ticker:${market.market}`, '--raw');
    const answeredText = (latencyMs: number) => `a heartbeat was answered in ${latencyMs} ms`;
    try {
      for await (const event of following) {
        if (event.type === 'refused') return fail(`the exchange rejected a ticker: ${event.message}`, advice);
        // what HTTP shows says nothing about the stream
        if (event.type !== 'data' || event.source !== 'push') continue;
        const tookMs = host.monotonic() - start;
        while (following.latencyMs === null && !end.signal.aborted) await host.sleep(POLL_MS, end.signal);
        const { latencyMs } = following;
        const first = `connected; the first ticker came after ${tookMs} ms`;
        if (latencyMs === null) return warn(`${first}, but no heartbeat was answered`, advice);
        return ok(`${first}, and ${answeredText(latencyMs)}`);
      }
      const { latencyMs } = following;
      const noTicker = `no ticker of ${market.market} was pushed`;
      const waitedMs = Math.round(connectMs);
      if (latencyMs === null) return fail(`${noTicker}, and no heartbeat was answered, in ${waitedMs} ms`, advice);
      const connected = `connected, and ${answeredText(latencyMs)}`;
      return warn(`${connected}, but ${noTicker} in ${waitedMs} ms; the market may be quiet`, advice);
    } finally {
      end.abort();
      await following.close();
    }
  },
};

export const clock: Check = {
  name: 'clock',
  async run(probes) {
    const answer = await tryRead(() => probes.trade());
    if (answer === undefined) return skipped('the trade host did not answer', 'Fix the host first.');
    const { date, sent, received } = answer;
    if (date === null) return ok('the exchange does not send its time');
    const skew = skewOf(date, sent, received);
    if (Math.abs(skew) <= SKEW_MS) return ok("this machine's clock agrees with the exchange");
    const seconds = Math.round(Math.abs(skew) / 1_000);
    const { sandbox } = await probes.context.session.connection();
    if (sandbox) return ok(`the sandbox's clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this machine's`);
    return warn(
      `this machine's clock is ${seconds} s ${skew > 0 ? 'slow' : 'fast'}; pit corrects for it, other programs may not`,
      'Synchronize it: timedatectl set-ntp true',
    );
  },
};

/**
 * How far the exchange's clock is at least ahead of this machine's, in milliseconds. Its `Date` counts whole seconds and was
 * written between the request and the answer.
 * @internal for its test
 */
export function skewOf(date: number, sent: number, received: number): number {
  const [least, most] = [date - received, date + 1_000 - sent];
  if (least > 0) return least;
  return Math.min(most, 0);
}

export const key: Check = {
  name: 'key',
  reportsKey: true,
  async run(probes) {
    const { keysMissing, keychainEntry, profile } = await probes.context.session.connection();
    if (keysMissing !== null) return fail(keysMissing.message, keysMissing.hint);
    const { username } = await probes.account();
    const place = keychainEntry === null ? '' : ', from the keychain,';
    const account = username === null ? '' : `; the account is ${quotedName(username)}`;
    return ok(`the key of "${profile}"${place} is accepted${account}`);
  },
};

export const permissions: Check = {
  name: 'permissions',
  async run(probes) {
    const account = await tryRead(() => probes.account());
    if (account === undefined) return skippedWithoutKey('the key could not be checked');
    return permissionsResult(account.permissions);
  },
};

function permissionsResult(granted: Permissions): CheckResult {
  const names = Object.keys(PERMISSIONS) as Permission[];
  const describe = (some: readonly Permission[]) => some.map((name) => PERMISSIONS[name]).join('; ');
  const allowed = names.filter((name) => granted[name]);
  const missing = names.filter((name) => granted[name] === false);
  const unknown = names.filter((name) => granted[name] === null);
  const may = allowed.length === 0 ? 'none granted' : `granted: ${describe(allowed)}`;
  const others = [
    ...(missing.length === 0 ? [] : [`Not granted: ${describe(missing)}`]),
    ...(unknown.length === 0 ? [] : [`The exchange does not say: ${describe(unknown)}`]),
  ];
  const detail = [may, ...others].join('. ');
  // trading needs only these two
  const needed = missing.filter((name) => name === 'asset' || name === 'entrust');
  if (needed.length === 0) return ok(detail);
  return warn(
    detail,
    `Grant it on the exchange's website. These commands need it: ${needed.map(whatNeeds).join(', ')}`,
  );
}

export const tolerance: Check = {
  name: 'tolerance',
  async run(probes) {
    const { session } = probes.context;
    const { keysMissing, profile } = await session.connection();
    if (keysMissing !== null) return skippedWithoutKey('there is no key');
    // its answer shows what time it is on the exchange
    if ((await tryRead(() => probes.account())) === undefined) return skippedWithoutKey('the key could not be checked');
    const { client, requestLifetimeMs } = await session.trading();
    const young = requestLifetimeMs - Math.min(SLACK_MS, requestLifetimeMs / 2);
    const old = requestLifetimeMs + SLACK_MS;
    const accepts = (age: number) => client.acceptsReqTimeForAccount(client.now() - age);
    const [isYoungAccepted, isOldAccepted] = await Promise.all([accepts(young), accepts(old)]);
    const set = `the setting reqTimeTolerance says ${requestLifetimeMs / 1_000} s`;
    if (isYoungAccepted && !isOldAccepted) return ok(`the exchange accepts requests for as long as ${set}`);
    const what = isOldAccepted
      ? `still accepts requests that are ${old / 1_000} s`
      : `rejects requests that are ${young / 1_000} s`;
    return warn(`the exchange ${what} old; ${set}`, [
      'Ask the exchange for how long it accepts a request.',
      suggest('Set that', 'profile', 'set', profile, 'reqTimeTolerance', 'SECONDS'),
    ]);
  },
};

export const journal: Check = {
  name: 'journal',
  async run(probes) {
    const { context } = probes;
    const thisJournal = await journalOf(context);
    const result = thisJournal === undefined ? skippedWithoutKey(NO_JOURNAL) : unknownOutcomes(thisJournal);
    const elsewhere = await unknownOutcomesElsewhere(context, thisJournal?.folder ?? null);
    if (elsewhere === null) return result;
    return warn(`${result.detail}; ${elsewhere.detail}`, [...adviceParts(result.fix), ...elsewhere.fixes]);
  },
};

const NO_JOURNAL = 'there is no key, and each key has its own journal';

async function journalOf({ session }: Context): Promise<Journal | undefined> {
  if ((await session.connection()).keysMissing !== null) return undefined;
  return (await session.trading()).journal;
}

function unknownOutcomes(journal: Journal): CheckResult {
  const unknown = unknownWritesIn(journal);
  const [first] = unknown;
  if (first === undefined) {
    const isWhole = journal.unsettled().damaged.length === 0;
    return unexpectedOutcomes(journal) ?? ok(isWhole ? 'every outcome is known' : 'every readable outcome is known');
  }
  const detail =
    unknown.length === 1
      ? `the outcome of ${first.clientId} is unknown`
      : `the outcomes of ${unknown.length} writes are unknown`;
  return warn(detail, suggest('Find out', 'resolve'));
}

/** Writes that the exchange executed although they counted as refused or not sent, and that the user has not asked for since. */
function unexpectedOutcomes(journal: Journal): CheckResult | undefined {
  const ids = journal.unexpected().map(({ write }) => clientIdOf(write));
  if (ids.length === 0) return undefined;
  const what = ids.length === 1 ? `${ids[0]} was executed` : `${ids.length} writes were executed`;
  return warn(`${what} after counting as not sent or rejected`, suggest('See what exists', 'resolve'));
}

/** Without damaged records, which have a check of their own. */
function unknownWritesIn(one: Journal) {
  return unknownWrites(one, { entries: one.unsettledEntries(), damaged: [], unreadable: [] });
}

interface UnknownElsewhere {
  readonly detail: string;
  readonly fixes: readonly Hint[];
}

/**
 * Unknown outcomes in the journals of other keys; null if there are none. The sandbox's journal does not count: its key
 * never changes.
 */
async function unknownOutcomesElsewhere(
  context: Context,
  activeFolder: string | null,
): Promise<UnknownElsewhere | null> {
  const { host } = context;
  const { state } = host.directories;
  const counts = accountsWithJournal(state)
    .filter((account) => account !== activeFolder && account !== SANDBOX_JOURNAL)
    .map((account) => new Journal(host, state, account))
    .map((one) => ({ account: one.folder, count: unknownWritesIn(one).length + one.unsettled().damaged.length }))
    .filter(({ count }) => count > 0);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const profiles = (await tryRead(() => profilesByAccount(context))) ?? new Map<string, string>();
  const owners = new Set(counts.map(({ account }) => profiles.get(account)));
  const fixes = [...owners].map((profile) =>
    profile === undefined
      ? suggest('Restore the key used then and run', 'resolve')
      : suggest('Find out', 'resolve', '--profile', profile),
  );
  const subject = total === 1 ? '1 write has' : `${total} writes have`;
  return { detail: `${subject} an unknown outcome under another key`, fixes };
}

async function profilesByAccount({ session }: Context): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, tradeUrl, builtIn } of await session.profiles.list()) {
    // keys that cannot be read now, as in a locked keychain, hide no other profile
    const keys = builtIn ? null : await tryRead(() => session.keys.get(name));
    if (keys)
      found.set(
        accountName({ sandbox: false, tradeUrl }, () => keys.accessKey),
        name,
      );
  }
  return found;
}

export const records: Check = {
  name: 'records',
  async run({ context }) {
    const thisJournal = await journalOf(context);
    if (thisJournal === undefined) return skippedWithoutKey(NO_JOURNAL);
    const {
      unreadable: [unreadable],
      damaged,
    } = thisJournal.unsettled();
    if (unreadable !== undefined)
      return warn(unreadable.failure.message, ['Fix that first.', suggest('Then run', 'resolve')]);
    if (damaged.length === 0) return ok('no record is damaged');
    const names = damaged.map((id) => thisJournal.fileOf(id)).join(', ');
    const what =
      damaged.length === 1 ? `the outcome of ${damaged[0]} is` : `the outcomes of ${damaged.length} writes are`;
    return warn(`${what} unknown: damaged ${names}`, suggest('Find out', 'resolve'));
  },
};

export const halted: Check = {
  name: 'halted',
  async run({ context: { session } }) {
    const latch = await session.latch();
    const halt = await latch.find();
    const where = latch.isShared ? 'on the machines that share its Redis' : 'on this machine';
    return halt === undefined ? ok(`no, ${where}`) : warn(`${haltText(halt)}, ${where}`, LIFT_HALT);
  },
};

export const algos: Check = {
  name: 'algos',
  async run({ context: { host } }) {
    const { state } = host.directories;
    const nothing = ok('every algo order is watched, or there is none');
    if (!mayHaveAlgos(state)) return nothing;
    const { unsentStopsText, unwatchedText, unwritableText } = await import('../algo/unwatched.js');
    const [unwritable, unwatched, unsent] = [
      unwritableText(host),
      await unwatchedText(host),
      await unsentStopsText(host),
    ];
    const unprotected = [...unwritable, ...unwatched, ...unsent].join(' ');
    if (unprotected === '') return nothing;
    if (unwritable.length + unwatched.length === 0) return warn(unprotected, suggest('See them', 'algo', 'list'));
    const fix =
      unwatched.length > 0
        ? 'Or keep it running: pit algo service systemd, or launchd.'
        : 'If the disk is full or read-only, correct that, or set PIT_HOME to another folder.';
    return fail(unprotected, fix);
  },
};

export const limits: Check = {
  name: 'limits',
  async run({ context: { session } }) {
    if ((await session.connection()).keysMissing !== null)
      return skippedWithoutKey('there is no key, and the limits are per key');
    // the sandbox's keys are known once it is connected
    await session.exchange();
    return limitsResult(await session.limiterState());
  },
};

/** @internal for its test */
export function limitsResult({ kind, lockedUntil, redisProblem, share, limits: all }: LimiterState): CheckResult {
  if (lockedUntil !== null)
    return fail(
      `the exchange has locked this machine's address until ${zonedTime(lockedUntil)}`,
      'Wait until then; pit sends nothing before.',
    );
  if (redisProblem !== null)
    return warn(
      `Redis is unreachable (${redisProblem}), so this machine uses only ${Math.round(share * 100)}% of each limit`,
      ['Start Redis.', suggest('See its address', 'profile', 'show')],
    );
  const counts = all.map(({ name, count, taken }) => `${name} ${taken ?? '?'} of ${count} in use`);
  const where = kind === 'redis' ? 'through Redis' : 'by the processes of this PIT_HOME';
  return ok(`shared ${where}: ${counts.join(', ')}`);
}
