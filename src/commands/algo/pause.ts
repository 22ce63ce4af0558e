import { several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Answer } from '../../terminal/answer.js';
import { algoId } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { ALGO, algoList } from './algo-row.js';
import { pauseAlgos, resumeAlgos } from './algos.js';
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

/** Pauses algo orders. Every command says at its end what is not protected. Throws Failure `usage` for one that is not open. */
export async function paused(context: Context, ids: readonly string[] | 'all'): Promise<Answer> {
  const { changed, unchanged } = await pauseAlgos(context, ids, 'user', 'you paused it');
  const views = [...changed, ...unchanged];
  for (const { id, facts } of unchanged)
    context.output.note(`${id} is paused already${facts.paused === null ? '' : `: ${facts.paused.reason}`}.`);
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
  const { changed, unchanged } = await resumeAlgos(context, ids);
  // all stands for all that are paused
  const others = ids === 'all' ? [] : unchanged;
  for (const { id } of others) context.output.note(`${id} is not paused.`);
  return algoList([...changed, ...others], context.host.now(), 'No paused algo orders.');
}
