// `npm run campaign:mutants [-- FILE… | --changed] [--sample N] [--seed SEED]`: changes one thing at a time in the named files, in those
// that differ from the branch `main` or in all of them, and expects a test to fail each time. 85 % of the changes in each group is the
// bar. A group runs only the tests that belong to it: they start no program, so that a change costs a second or two. Of a large group, a
// sample of 300 changes is tried, the same in each run of the same code with the same seed.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { preparePackages, root } from './prepare.js';

/** @param {string} name */
const settling = (name) => `src/trading/settling/${name}.ts`;
/** @param {string} name */
const testOfSettling = (name) => `test/trading/settling/${name}.test.ts`;

/** @param {string} name */
const planning = (name) => `src/trading/algos/plan/${name}.ts`;

/** The source files of a folder, but not those in folders below it. @param {string} folder */
const sourcesIn = (folder) =>
  readdirSync(path.join(root, 'src', folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${folder}/${name}`);

// of commands, `reference` is what notices other words of flags and arguments
const GROUPS = [
  { files: ['src/domain/decimal.ts'], tests: ['test/domain/decimal.test.ts'] },
  { files: ['src/exchange/requests/signing.ts'], tests: ['test/exchange/signing.test.ts'] },
  {
    files: ['src/trading/orders/terms.ts'],
    tests: [
      'test/trading/orders/rules.test.ts',
      'test/trading/orders/remainder.test.ts',
      'test/trading/settling/reconcile-orders.test.ts',
      'test/trading/settling/lost-answers.test.ts',
      'test/trading/settling/no-false-alarm.test.ts',
      'test/trading/settling/uncertain-duplicates.test.ts',
      'test/trading/guards/*.test.ts',
    ],
  },
  {
    files: ['src/trading/expressions.ts'],
    tests: ['test/trading/expressions.test.ts', 'test/trading/expressions-property.test.ts'],
  },
  {
    files: ['src/trading/guards/guards.ts', 'src/trading/guards/limits.ts', 'src/trading/journal/notional.ts'],
    tests: ['test/trading/guards/*.test.ts'],
  },
  {
    files: ['archive', 'archive-line', 'day-sums', 'entry', 'files', 'journal', 'list-marks', 'paths', 'write'].map(
      (name) => `src/trading/journal/${name}.ts`,
    ),
    tests: [
      ...['claims', 'damage', 'day-notional', 'journal', 'list-marks', 'long-archive', 'old-cancellations'].map(
        (name) => `test/trading/journal/${name}.test.ts`,
      ),
      ...['archive-line', 'settled', 'write'].map((name) => `test/trading/journal/${name}.test.ts`),
      'test/trading/replace/record.test.ts',
    ],
  },
  { files: [settling('reconcile')], tests: [testOfSettling('reconcile-decisions')] },
  {
    files: ['reconcile-orders', 'open-writes', 'order-list', 'close-write'].map(settling),
    tests: [
      'test/trading/journal/claims.test.ts',
      ...[
        ...['acknowledged', 'late-withdrawals', 'order-list', 'reconcile-orders', 'reconcile-orders-decisions'],
        ...['reopened', 'uncertain-duplicates'],
      ].map(testOfSettling),
    ],
  },
  {
    files: ['find-order', 'settle-order', 'settle-sent-order', 'poll-until-found', 'same-refusal'].map(settling),
    tests: [
      ...['acknowledged', 'find-order', 'poll-until-found', 'reconcile-orders', 'refused', 'same-refusal'],
      ...['settle-sent-order', 'until-known'],
    ].map(testOfSettling),
  },
  {
    files: sourcesIn('trading/settling/withdrawals'),
    tests: [
      'test/trading/withdrawals/sending.test.ts',
      ...['contested-withdrawals', 'duplicate-withdrawals', 'find-withdrawal', 'late-withdrawals'].map(testOfSettling),
      testOfSettling('settle-withdrawal-manually'),
    ],
  },
  {
    files: ['settle-lines', 'settle-job', 'duplicates', 'dated-read'].map(settling),
    // others use whole jobs at an exchange that fails: they would take a minute for each change
    tests: [
      'test/commands/session/duplicate-warnings.test.ts',
      'test/exchange/exchange-clock.test.ts',
      'test/trading/batches/others.test.ts',
      ...['order-list', 'reconcile-orders-decisions', 'resolve', 'settle-job', 'settle-lines'].map(testOfSettling),
    ],
  },
  {
    files: ['resolve', 'unknown-writes', 'pauses'].map(settling),
    tests: [
      'test/trading/journal/claims.test.ts',
      'test/trading/replace/replace.test.ts',
      ...['contested-withdrawals', 'pauses', 'resolve', 'unknown-writes'].map(testOfSettling),
    ],
  },
  {
    files: ['manual-outcome', 'settle-manually', 'settle-order-manually', 'settle-withdrawal-manually'].map((name) =>
      settling(`manual/${name}`),
    ),
    tests: [
      'test/trading/journal/damage.test.ts',
      'test/trading/batches/answers.test.ts',
      ...['settle-order-manually', 'settle-withdrawal-manually'].map(testOfSettling),
    ],
  },
  {
    files: ['src/trading/batches/job.ts'],
    tests: ['answers', 'earlier-records', 'job-states'].map((name) => `test/trading/batches/${name}.test.ts`),
  },
  {
    files: sourcesIn('trading/batches').filter((file) => !file.endsWith('/job.ts')),
    tests: [
      // it resumes a job from each place where its record may be cut off, which takes seconds
      'test/trading/batches/!(cut-record).test.ts',
      ...['resolve', 'settle-job', 'settle-lines'].map(testOfSettling),
      'test/trading/settling/uncertain-duplicates.test.ts',
      'test/trading/guards/limits.test.ts',
    ],
  },
  {
    files: [
      ...['children', 'decide', 'decision-input', 'exits', 'may-place', 'next-step', 'plan-entry'].map(planning),
      ...['algo-market', 'prices', 'retry', 'terms', 'trigger'].map(planning),
      ...sourcesIn('trading/algos/plan/entries'),
      ...['facts', 'summary'].map((name) => `src/trading/algos/record/${name}.ts`),
    ],
    tests: ['check-terms', 'entries', 'exits', 'prices', 'values'].map(
      (name) => `test/trading/algos/plan/${name}.test.ts`,
    ),
  },
  {
    files: sourcesIn('trading/algos/run'),
    tests: ['test/trading/algos/run/*.test.ts', 'test/trading/algos/record/store.test.ts'],
  },
  {
    files: ['fields', 'trading', 'funds', 'market-data'].map((name) => `src/exchange/operations/${name}.ts`),
    tests: ['fields', 'codecs', 'responses', 'parameters'].map((name) => `test/exchange/${name}.test.ts`),
  },
  {
    files: ['cancel-orders', 'cancel-targets', 'cancellation'].map((name) => `src/trading/cancel/${name}.ts`),
    tests: [
      'test/trading/cancel/*.test.ts',
      'test/trading/replace/replace.test.ts',
      ...['refused', 'until-known'].map(testOfSettling),
    ],
  },
  {
    files: [
      ...['failures', 'observed-codes', 'raw-writes', 'refusals', 'request', 'response', 'write-requests'],
      'write-response',
    ].map((name) => `src/exchange/requests/${name}.ts`),
    tests: [
      ...['codecs', 'echoes', 'parameters', 'refusals', 'responses', 'signing', 'wire', 'write-requests', 'writes'].map(
        (name) => `test/exchange/${name}.test.ts`,
      ),
    ],
  },
  {
    files: ['src/exchange/requests/transport.ts', ...sourcesIn('exchange/network')],
    tests: [
      ...['foreign-hosts', 'reads', 'responses', 'transport', 'two-clocks', 'writes'].map(
        (name) => `test/exchange/${name}.test.ts`,
      ),
      'test/exchange/network/*.test.ts',
      'test/exchange/stream/network.test.ts',
      'test/trading/send-gate.test.ts',
    ],
  },
  {
    files: sourcesIn('exchange/limiter'),
    tests: [
      'test/exchange/limits.test.ts',
      // those with a Redis in this process
      ...['false-redis', 'home', 'socket'].map((name) => `test/exchange/limiter/${name}.redis.test.ts`),
      ...['any-second', 'client', 'ip-lock', 'latch', 'permits', 'shared-halts'].map(
        (name) => `test/exchange/limiter/${name}.test.ts`,
      ),
      'test/commands/halt/halt.test.ts',
      'test/commands/order/batch-locked.test.ts',
      'test/trading/send-gate.test.ts',
    ],
  },
  {
    files: [
      ...['event-queue', 'feed', 'feed-health', 'feeds', 'held-pushes', 'read-schedule'].map(
        (name) => `src/exchange/stream/${name}.ts`,
      ),
      ...sourcesIn('exchange/channels'),
    ],
    tests: [
      'test/exchange/channels/*.test.ts',
      ...['checks', 'event-queue', 'feed-health', 'feeds', 'held-pushes', 'read-schedule', 'stream-client'].map(
        (name) => `test/exchange/stream/${name}.test.ts`,
      ),
    ],
  },
  {
    files: ['connection', 'order-pushes', 'socket', 'stream-client', 'subscribe-message'].map(
      (name) => `src/exchange/stream/${name}.ts`,
    ),
    tests: ['checks', 'network', 'order-pushes', 'stream-client'].map((name) => `test/exchange/stream/${name}.test.ts`),
  },
  {
    files: ['src/exchange/exchange-clock.ts', 'src/exchange/exchange-zone.ts'],
    tests: [
      ...['exchange-clock', 'exchange-zone', 'rehearsal-clock', 'two-clocks'].map(
        (name) => `test/exchange/${name}.test.ts`,
      ),
    ],
  },
  {
    files: sourcesIn('sandbox/engine'),
    tests: [
      'test/sandbox/engine/*.test.ts',
      'test/sandbox/orders/*.test.ts',
      'test/sandbox/replay/recorded-markets.test.ts',
    ],
  },
  {
    files: sourcesIn('sandbox/orders'),
    tests: [
      'test/sandbox/orders/*.test.ts',
      'test/sandbox/margin/*.test.ts',
      ...['batch-and-lists', 'rules', 'signed'].map((name) => `test/sandbox/server/${name}.test.ts`),
      'test/sandbox/replay/recorded-markets.test.ts',
      'test/sandbox/streams/account.test.ts',
    ],
  },
  {
    files: sourcesIn('sandbox/funds'),
    tests: ['test/sandbox/funds/*.test.ts', 'test/sandbox/admin/{addresses,admin}.test.ts'],
  },
  {
    files: sourcesIn('cli'),
    tests: [
      'test/cli/*.test.ts',
      ...['exit-codes', 'schemas', 'widths'].map((name) => `test/cli-contract/${name}.test.ts`),
      ...['deadline', 'errors', 'exit-codes', 'given-twice', 'interrupted', 'negative-numbers'].map(
        (name) => `test/commands/${name}.test.ts`,
      ),
      'test/commands/inputs/parsers.test.ts',
      'test/commands/reference/reference.test.ts',
    ],
  },
  {
    files: sourcesIn('config'),
    tests: [
      'test/config/*.test.ts',
      'test/commands/completion/completion-names.test.ts',
      'test/commands/profiles/*.test.ts',
      'test/trading/guards/limits.test.ts',
      'test/commands/errors.test.ts',
    ],
  },
  {
    files: sourcesIn('commands/cancel'),
    tests: [
      'test/commands/cancel/*.test.ts',
      ...['losses', 'lost-orders'].map((name) => `test/commands/algo/${name}.test.ts`),
      ...['halt-everything', 'halt-panic'].map((name) => `test/commands/halt/${name}.test.ts`),
      'test/commands/interrupted.test.ts',
      'test/commands/reference/reference.test.ts',
    ],
  },
  {
    files: sourcesIn('commands/halt'),
    tests: [
      'test/commands/halt/!(*.redis).test.ts',
      'test/trading/flatten/*.test.ts',
      'test/commands/interrupted.test.ts',
      'test/commands/reference/reference.test.ts',
    ],
  },
  {
    files: sourcesIn('commands/writes'),
    tests: [
      'test/commands/writes/*.test.ts',
      'test/commands/cancel/cancel-after.test.ts',
      'test/commands/interrupted.test.ts',
      'test/commands/reference/reference.test.ts',
    ],
  },
  {
    files: [...sourcesIn('commands/order'), ...sourcesIn('commands/order/guided')],
    tests: [
      'test/commands/order/*.test.ts',
      ...['algo', 'view/algo-fields', 'changed-rules', 'previews', 'refusals', 'result', 'trail-distance'].map(
        (name) => `test/commands/algo/${name}.test.ts`,
      ),
      'test/commands/algo/unstarted-watcher.test.ts',
      'test/commands/guided/!(*.terminal).test.ts',
      'test/commands/interrupted.test.ts',
      'test/commands/listings/orders.test.ts',
      'test/commands/live/watch.test.ts',
      ...['algo-orders', 'trading', 'unattended'].map((name) => `test/commands/mcp/${name}.test.ts`),
      'test/commands/reference/reference.test.ts',
      'test/commands/writes/guards.test.ts',
      'test/trading/orders/own-fills.test.ts',
    ],
  },
  {
    files: sourcesIn('commands/commit'),
    tests: [
      'test/commands/commit/*.test.ts',
      ...['algo-orders', 'lost-answers', 'trading', 'unattended'].map((name) => `test/commands/mcp/${name}.test.ts`),
    ],
  },
  {
    files: sourcesIn('commands/stream'),
    tests: ['test/commands/stream/*.test.ts', 'test/commands/reference/reference.test.ts'],
  },
  { files: sourcesIn('commands/mcp'), tests: ['test/commands/mcp/*.test.ts'] },
];

preparePackages();
const { values: options, positionals: words } = parseArgs({
  options: {
    changed: { type: 'boolean', default: false },
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '2018-10-23' },
  },
  allowPositionals: true,
});
const isChanged = options.changed;
const measured = GROUPS.flatMap(({ files }) => files);
const changed = isChanged ? changedFiles() : [];
const named = isChanged ? changed.filter((file) => measured.includes(file)) : words;
if (isChanged) {
  const others = changed.filter((file) => !measured.includes(file));
  if (others.length > 0) console.log(`Not measured, because no group has them: ${others.join(', ')}`);
  if (named.length === 0) process.exit(0);
}
const unknown = named.filter((file) => !GROUPS.some(({ files }) => files.includes(file)));
if (unknown.length > 0) {
  console.error(`No tests are listed for ${unknown.join(', ')}: add a group to scripts/mutants.js.`);
  process.exit(2);
}
for (const { files, tests } of GROUPS) {
  const mutated = named.length === 0 ? files : files.filter((file) => named.includes(file));
  if (mutated.length === 0) continue;
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'stryker.config.js', '--checkers', 'sample'],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        PIT_MUTANTS: mutated.join(','),
        PIT_MUTANT_TESTS: tests.join(','),
        PIT_MUTANT_SAMPLE: options.sample,
        PIT_MUTANT_SEED: options.seed,
      },
    },
  );
  // a group below the bar does not keep the others from being measured
  if (status !== 0) process.exitCode = 1;
}

/** The files of the program that differ from the branch `main`, committed or not, and new ones that git does not know yet. */
function changedFiles() {
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const base = git('merge-base', 'HEAD', 'main');
  const names = [
    git('diff', '--name-only', '--diff-filter=d', base, '--', 'src'),
    git('ls-files', '--others', '--exclude-standard', 'src'),
  ];
  return names.flatMap((text) => text.split('\n')).filter((name) => name.endsWith('.ts'));
}
