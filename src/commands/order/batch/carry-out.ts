import type { Context } from '../../../cli/context.js';
import { type Hint, Interrupted, suggest } from '../../../errors.js';
import { timeFor } from '../../../exchange/limiter/limits.js';
import { progressBar } from '../../../terminal/progress.js';
import type { TradingAccount } from '../../../trading/account.js';
import { resumeCommand } from '../../../trading/batches/begin.js';
import { type Job, MOST_PAIRS } from '../../../trading/batches/job.js';
import { type Ending, JobRun, type Phase } from '../../../trading/batches/run.js';
import { standOf } from './conclusion.js';

/** How long a signal waits for the answers to what has left. */
const PATIENCE_MS = 5_000;
/** How often the bar is drawn. */
const EVERY_MS = 100;

const UNSEEN = [
  'Whether something on the way repeated a request was not looked at to the end.',
  suggest('Find out', 'resolve'),
];

const PHASE_WORDS: Readonly<Record<Exclude<Phase, 'placing'>, string>> = {
  settling: 'Looking for what is not known yet…',
  waiting: 'Waiting, then looking again…',
  checking: 'Checking that none is there twice…',
  stopping: 'Stopping: waiting for the answers to what has left…',
};

interface Carried {
  readonly ending: Ending;
  /** Whether it could be found out if something on the way repeated a request; null where it was not tried. */
  readonly isChecked: boolean | null;
}

/** Carries out a job while a person watches it and may stop it. Throws Interrupted when they did. */
export async function carryOut(context: Context, account: TradingAccount, job: Job): Promise<Carried> {
  const { host, output } = context;
  const run = new JobRun(account, job);
  const hide = showRun(context, run);
  const tell = () => {
    hide();
    output.warn([`${standOf(job)}.`, ...(run.isBeingChecked ? UNSEEN : [goOn(job)])]);
  };
  const forget = host.onInterrupt(() => run.interrupt(PATIENCE_MS).then(tell), tell);
  try {
    const ending = await run.run();
    // the signal's own work tells how far it came, and ends the program
    if (ending.kind === 'interrupted') throw new Interrupted('SIGINT');
    return { ending, isChecked: run.isChecked };
  } finally {
    hide();
    forget();
  }
}

/** A bar, or words in its place; where each request is told, such a line would only be in the way. */
function showRun({ output, globals }: Context, run: JobRun): () => void {
  if (globals.verbose) return () => {};
  const bar = (room: number) => progressBar(output.errorScreen, advanceOf(run.job), room);
  const text = (room: number) => (run.phase === 'placing' ? bar(room) : PHASE_WORDS[run.phase]);
  return output.live(text, () => (run.phase === 'placing' ? 'good' : 'faint'), EVERY_MS);
}

function goOn(job: Job): string | Hint {
  const { unknown, notSent } = job.counts();
  return unknown + notSent === 0
    ? 'Nothing is left to do.'
    : suggest('Go on with it', ...resumeCommand(job.id, job.terms));
}

function advanceOf(job: Job) {
  const { placed, refused, notSent } = job.counts();
  const seconds = Math.ceil(timeFor(Math.ceil(notSent / MOST_PAIRS)) / 1_000);
  return { done: placed + refused, total: job.terms.count, note: `${seconds} s` };
}
