import { several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Answer } from '../../terminal/answer.js';
import { hasStop } from '../../trading/algos/trigger.js';
import { algoId } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { ALGO, algoList } from './algo-row.js';
import { type AlgoView, pauseAlgos, resumeAlgos } from './algos.js';
import { requireIdsOrAll, wouldChange } from './cancel.js';

const ids = several('the algo orders', algoId);
const output = shape.array(shape.object(ALGO));

export const pause = define({
  summary: 'Pause algo orders: place nothing, leave open orders',
  arguments: { ids },
  flags: { all: toggle('--all', 'every algo order of the account') },
  examples: ['algo pause a4k7x2q', 'algo pause --all'],
  output,
  dryRunOutput: output,
  async run(context, { ids: given, all }) {
    requireIdsOrAll(given, all);
    if (context.globals.dryRun) return wouldChange(context, given, all, 'Would pause');
    return paused(context, all ? 'all' : given);
  },
});

/** Pauses algo orders and says what is not protected. Throws Failure `usage` for one that is not open. */
export async function paused(context: Context, ids: readonly string[] | 'all'): Promise<Answer> {
  const views = await pauseAlgos(context, ids, 'user', 'you paused it');
  const stopping = views.filter(({ terms, facts }) => facts.ended === null && hasStop(terms));
  if (stopping.length > 0)
    context.output.warn(
      `Not protected while paused: ${namesOf(stopping)}. A stop that is reached is reported, not sent.`,
    );
  return algoList(views, context.host.now(), 'No algo orders at work.');
}

export const resume = define({
  summary: 'Resume paused algo orders',
  arguments: { ids },
  flags: { all: toggle('--all', 'every paused algo order of the account') },
  examples: ['algo resume a4k7x2q', 'algo resume --all'],
  output,
  dryRunOutput: output,
  async run(context, { ids: given, all }) {
    requireIdsOrAll(given, all);
    if (context.globals.dryRun) return wouldChange(context, given, all, 'Would resume');
    return resumed(context, all ? 'all' : given);
  },
});

/** Resumes algo orders. Throws Failure `usage` for one that is not open, and while the account is halted. */
export async function resumed(context: Context, ids: readonly string[] | 'all'): Promise<Answer> {
  return algoList(await resumeAlgos(context, ids), context.host.now(), 'No paused algo orders.');
}

function namesOf(views: readonly AlgoView[]): string {
  return views.map(({ id }) => id).join(', ');
}
