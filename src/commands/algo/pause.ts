import { several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Failure, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { AlgoView } from '../../trading/algos/service/algo-views.js';
import { requestsUnderWay, underWayText } from '../halt/requests-under-way.js';
import { algoId } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { algoService } from './algo-service.js';
import { wouldChange } from './cancel.js';
import { ALGO, type AlgoDocument } from './view/algo-fields.js';
import { algoList } from './view/algo-row.js';

const ids = several('the algo orders', algoId);
const output = shape.array(shape.object(ALGO));

export const pause = define({
  summary: 'Pause algo orders: place nothing, leave open orders',
  arguments: { ids },
  flags: { all: toggle('--all', 'every algo order of the account') },
  oneOf: ['ids', '--all'],
  examples: ['algo pause a4k7x2q', 'algo pause --all'],
  output,
  dryRunOutput: output,
  async run(context, { ids: given, all }) {
    if (context.globals.dryRun) return wouldChange(context, given, all, 'Would pause');
    return paused(context, all ? 'all' : given);
  },
});

/**
 * Pauses algo orders, and waits for the requests that had left by then: what is shown is final, and no order follows it. Every command
 * says at its end what is not protected. Throws Failure `usage` for one that is not open.
 */
export async function paused(
  context: Context,
  ids: readonly string[] | 'all',
): Promise<Answer<readonly AlgoDocument[]>> {
  let underWay: number | string = 0;
  const { changed, unchanged } = await (await algoService(context)).pause(ids, 'user', 'you paused it', async () => {
    underWay = await requestsUnderWay(context);
  });
  const views = [...changed, ...unchanged];
  for (const view of changed) noteSentStop(context, view);
  for (const { id, facts } of unchanged)
    context.output.note(`${id} is paused already${facts.paused === null ? '' : `: ${facts.paused.reason}`}.`);
  const answer = algoList(views, context.host.now(), 'No algo orders at work.');
  if (underWay === 0) return answer;
  const message = `Paused. ${underWayText(underWay)} An order of an algo order may be among them.`;
  return { ...answer, failure: new Failure('partial', message, { hint: suggest('See them', 'algo', 'list') }) };
}

/** A stop that was reached just before is not held back any more. */
function noteSentStop({ output }: Context, { id, orders }: AlgoView): void {
  const sent = orders.filter(({ role, outcome }) => role === 'stop' && (outcome === 'placed' || outcome === 'unknown'));
  if (sent.length === 0) return;
  const names = sent.map(({ order, clientId }) => (order === null ? clientId : `order ${order.id}`));
  output.warn(`The stop of ${id} was sent before it was paused: ${names.join(', ')}.`);
}

export const resume = define({
  summary: 'Resume paused algo orders',
  arguments: { ids },
  flags: { all: toggle('--all', 'every paused algo order of the account') },
  oneOf: ['ids', '--all'],
  examples: ['algo resume a4k7x2q', 'algo resume --all'],
  output,
  dryRunOutput: output,
  async run(context, { ids: given, all }) {
    if (context.globals.dryRun) return wouldChange(context, given, all, 'Would resume');
    return resumed(context, all ? 'all' : given);
  },
});

/** Resumes algo orders. Throws Failure `usage` for one that is not open, and while the account is halted. */
export async function resumed(
  context: Context,
  ids: readonly string[] | 'all',
): Promise<Answer<readonly AlgoDocument[]>> {
  const { changed, unchanged } = await (await algoService(context)).resume(ids);
  // all stands for all that are paused
  const others = ids === 'all' ? [] : unchanged;
  for (const { id } of others) context.output.note(`${id} is not paused.`);
  return algoList([...changed, ...others], context.host.now(), 'No paused algo orders.');
}
