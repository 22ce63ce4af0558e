import { Failure, suggest } from '../../errors.js';
import { makeOwnFolder } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { BackgroundProgram, startFailed } from '../../platform/programs/background.js';
import type { AlgoStore } from '../../trading/algos/record/store.js';
import type { Context } from '../session/command.js';

/** Set for `pit algo run` that a command has started in the background. */
const BACKGROUND_VARIABLE = 'PIT_ALGO_BACKGROUND';

/** How long a locked keychain or a busy machine may delay the first sign of a watcher, in milliseconds. */
const START_MS = 45_000;

/** Between two looks at what another process does, in milliseconds. */
const POLL_MS = 250;

/** Whether a command has started this process to watch algo orders in the background. */
export function isWatcherProcess({ environment }: Pick<Host, 'environment'>): boolean {
  return environment[BACKGROUND_VARIABLE] === '1';
}

/** Not inherited: settings of Node for one command must not stay with a process for days. The certificates of the user may be needed. */
const DROPPED = /^(NODE_(?!EXTRA_CA_CERTS).*|DEBUG)$/;

interface Starting extends Pick<Context, 'host' | 'budget' | 'link'> {
  readonly globals: Pick<Context['globals'], 'profile'>;
}

/** Starts a process that watches, and waits for it as long as the command may take. Returns why none does; null if one does. */
export async function startWatcher(
  { host, globals, link, budget }: Starting,
  store: Pick<AlgoStore, 'isWatched'>,
): Promise<Failure | null> {
  budget.allowFor(START_MS);
  const waitMs = Math.min(START_MS, budget.remainingMs);
  if (link !== undefined) {
    link.watchAlgos();
    for (let waited = 0; !store.isWatched && waited < waitMs; waited += POLL_MS) await host.sleep(POLL_MS);
    return store.isWatched ? null : notInTime(waitMs);
  }
  const { command, arguments: args } = host.self;
  const profile = globals.profile === undefined ? [] : ['--profile', globals.profile];
  const folder = host.directories.state;
  makeOwnFolder(folder);
  const program = BackgroundProgram.start(
    host,
    { command, args: [...args, 'algo', 'run', '--json', ...profile] },
    {
      folder,
      inherits: (name) => !DROPPED.test(name),
      variables: { [BACKGROUND_VARIABLE]: '1' },
      detached: true,
    },
  );
  try {
    const found = await program.started(host, waitMs, () => store.isWatched || undefined);
    if (found === true) return null;
    return found === 'ended' ? startFailed('The watching process', program, WATCH_HERE) : notInTime(waitMs);
  } finally {
    program.release();
  }
}

const WATCH_HERE = suggest('Watch it in this terminal', 'algo', 'run');

function notInTime(waitMs: number): Failure {
  const message = `The watching process did not start within ${Math.round(waitMs / 1_000)} s.`;
  return new Failure('unreachable', message, { hint: WATCH_HERE });
}
