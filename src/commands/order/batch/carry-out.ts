import { paceOf } from '../../../client/pace.js';
import { Interrupted } from '../../../errors.js';
import { Progress } from '../../../terminal/progress.js';
import type { TradingAccount } from '../../../trading/account.js';
import { resumeCommand } from '../../../trading/batch/begin.js';
import { type Job, MOST_PAIRS } from '../../../trading/batch/job.js';
import { type Ending, JobRun, type Phase } from '../../../trading/batch/run.js';
import type { Context } from '../../frame/context.js';
import { sameProfile } from '../../frame/same-profile.js';
import { standOf } from './conclusion.js';

/** How long a signal waits for the answers to what has left. */
const PATIENCE_MS = 5_000;

const PHASE_WORDS: Readonly<Record<Exclude<Phase, 'placing'>, string>> = {
  settling: 'Looking for what is not known yet…',
  waiting: 'Waiting, then looking again…',
  checking: 'Checking that none is there twice…',
};

export interface Carried {
  readonly ending: Ending;
  /** Whether it could be found out if something on the way repeated a request; null where it was not tried. */
  readonly isChecked: boolean | null;
}

/** Carries out a job while a person watches it and may stop it. Throws Interrupted when they did. */
export async function carryOut(context: Context, account: TradingAccount, job: Job): Promise<Carried> {
  const { host, output, globals } = context;
  const bar = new Progress(host, output.errorScreen);
  const draw = (phase: Phase) => (phase === 'placing' ? drawAdvance(bar, job) : bar.say(PHASE_WORDS[phase]));
  const tell = (words: string) => {
    bar.clear();
    account.tell(words);
  };
  // its lines about each request would stand in the way of a bar, and the bar in theirs
  const run = new JobRun({ ...account, tell }, job, globals.verbose ? undefined : draw);
  const forget = host.onInterrupt(async () => {
    bar.say('Stopping: waiting for the answers to what has left…');
    await run.interrupt(PATIENCE_MS);
    bar.clear();
    output.warn(sameProfile(`${standOf(job)}. ${goOn(job)}`, host.arguments));
  });
  try {
    const ending = await run.run();
    // the signal's own work tells how far it came, and ends the program
    if (ending.kind === 'interrupted') throw new Interrupted('SIGINT');
    return { ending, isChecked: run.isChecked };
  } finally {
    bar.clear();
    forget();
  }
}

function goOn(job: Job): string {
  const { unknown, notSent } = job.counts();
  return unknown + notSent === 0 ? 'Nothing is left to do.' : `Go on with it: ${resumeCommand(job.id, job.terms)}`;
}

function drawAdvance(bar: Progress, job: Job): void {
  const { placed, refused, notSent } = job.counts();
  const seconds = Math.ceil(paceOf('key', Math.ceil(notSent / MOST_PAIRS)) / 1_000);
  bar.advance({ done: placed + refused, total: job.terms.count, note: `${seconds} s` });
}
