import { confirm, requireConsent } from '../../cli/consent.js';
import { several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted, formatAmount } from '../../domain/decimal.js';
import { suggest, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { openDuplicates } from '../../trading/algos/service/algo-views.js';
import { type CancelledAlgo, cancelAlgos } from '../../trading/algos/service/cancel-algos.js';
import { algoId } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { answerOrThrow, outcomeFailure } from '../writes/outcome-failure.js';
import { algoService } from './algo-service.js';
import { duplicateText } from './open-duplicates.js';
import { ALGO, type AlgoDocument } from './view/algo-fields.js';
import { algoList } from './view/algo-row.js';

export default define({
  summary: 'End algo orders: cancel their orders, wait, say what filled',
  arguments: { ids: several('the algo orders', algoId) },
  flags: { all: toggle('--all', 'every algo order of the account; asks for confirmation') },
  oneOf: ['ids', '--all'],
  examples: ['algo cancel a4k7x2q', 'algo cancel --all --yes --json'],
  output: shape.array(shape.object(ALGO)),
  dryRunOutput: shape.array(shape.object(ALGO)),
  async run(context, { ids, all }) {
    if (context.globals.dryRun) return wouldChange(context, ids, all, 'Would cancel');
    if (!all) return cancelled(context, [...new Set(ids)]);
    requireConsent(context);
    const open = await (await algoService(context)).list({ all: false });
    if (open.length > 0) await confirm(context, `Cancel ${counted(open.length, 'algo order')} and their open orders?`);
    return cancelled(context, 'all');
  },
});

/** The algo orders that a command would change, which `--dry-run` names. */
export async function wouldChange(
  context: Context,
  ids: readonly string[],
  all: boolean,
  what: string,
): Promise<Answer<readonly AlgoDocument[]>> {
  const open = await (await algoService(context)).list({ all: false });
  const unknown = ids.filter((id) => !open.some((view) => view.id === id));
  if (unknown.length > 0)
    throw usage(`No open algo order ${unknown.join(' or ')}.`, suggest('List them', 'algo', 'list', '--all'));
  const chosen = all ? open : open.filter(({ id }) => ids.includes(id));
  const answer = algoList(chosen, context.host.now(), 'No algo orders at work.');
  const lines = chosen.map(({ id }) => `${what} ${id}.`);
  return { ...answer, show: ({ paint }) => [...lines, paint.faint('Dry run: nothing was changed.')].join('\n') };
}

/** Ends algo orders and says what came of it. Throws Failure `usage` for one that is not open. */
export async function cancelled(
  context: Context,
  ids: readonly string[] | 'all',
): Promise<Answer<readonly AlgoDocument[]>> {
  const results = await cancelAlgos(await algoService(context), ids);
  const now = context.host.now();
  const answer = algoList(
    results.map(({ view }) => view),
    now,
    'No algo orders at work.',
  );
  for (const { view } of results) {
    const { id, terms, facts } = view;
    if (facts.ended?.outcome === 'done') context.output.warn(`${id}: ${facts.ended.reason}.`);
    const position = terms.entry === null ? undefined : facts.ended?.position;
    if (position !== undefined && position.sign > 0)
      context.output.warn(
        `${id} leaves ${formatAmount(position)} ${terms.market.base} that its entry has built: nothing protects it any more.`,
      );
  }
  const undone = results.filter(({ isDone }) => !isDone);
  const withDuplicates = results.filter(({ view }) => openDuplicates(view).length > 0);
  const cancelThem = withDuplicates.map(({ view }) =>
    suggest('Cancel it', 'cancel', view.terms.market.market, ...openDuplicates(view)),
  );
  const duplicateTexts = withDuplicates.map(({ view }) => duplicateText(view.id, openDuplicates(view)));
  const open = undone.filter(({ view, failure }) => failure === null || view.children.some(isOpen));
  const unrecorded = undone.filter(({ failure }) => failure !== null);
  const failure = unrecorded[0]?.failure ?? null;
  const sentences = [
    ...duplicateTexts,
    notCancelledText(idsOf(open)),
    unrecordedText(idsOf(unrecorded)),
    failure?.message ?? '',
  ];
  const again = undone.length === 0 ? [] : [suggest('Try again', 'algo', 'cancel', ...idsOf(undone))];
  const left = outcomeFailure({
    done: results.length - undone.length,
    unknown: open.length,
    refused: undone.length - open.length,
    left: withDuplicates.length,
    // something was sent
    why: undone.some(({ hasCancelled }) => hasCancelled) ? 'partial' : failure?.kind,
    message: sentences.filter((sentence) => sentence !== '').join(' '),
    again: [...cancelThem, ...(failure?.hints ?? []), ...again],
  });
  return answerOrThrow(answer, left);
}

function isOpen({ state }: CancelledAlgo['view']['children'][number]): boolean {
  return state !== 'closed';
}

function idsOf(cancelled: readonly CancelledAlgo[]): string[] {
  return cancelled.map(({ view }) => view.id);
}

function notCancelledText(ids: readonly string[]): string {
  if (ids.length === 0) return '';
  const names = ids.join(' and ');
  return ids.length === 1
    ? `${names} is not cancelled yet, and its orders may be open.`
    : `${names} are not cancelled yet, and their orders may be open.`;
}

function unrecordedText(ids: readonly string[]): string {
  if (ids.length === 0) return '';
  const names = ids.join(' and ');
  return ids.length === 1
    ? `${names} could not be recorded as cancelled, so it continues.`
    : `${names} could not be recorded as cancelled, so they continue.`;
}
