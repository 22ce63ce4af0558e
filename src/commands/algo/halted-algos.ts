import { counted } from '../../domain/decimal.js';
import { Failure, suggest } from '../../errors.js';
import { openAlgoIds } from '../../trading/algos/algo-folder.js';
import type { Context } from '../session/command.js';
import { isStopping } from './sentences.js';

/** The algo orders that a halt pauses. */
export interface PausedAlgos {
  readonly rows: readonly { readonly id: string; readonly market: string; readonly protected: boolean }[];
  /** For people; empty if there are none. */
  readonly text: string;
  /** Why they could not be paused: while the account is halted, none places an order all the same. */
  readonly failure: Failure | undefined;
}

const NONE: PausedAlgos = { rows: [], text: '', failure: undefined };

/** Pauses every algo order of the account, and names those whose stop nobody sends meanwhile. Never throws a Failure. */
export async function pauseAlgoOrders(context: Context, reason: string): Promise<PausedAlgos> {
  if (openAlgoIds(context.host.directories.state).length === 0) return NONE;
  try {
    // most accounts have none
    const { pauseAlgos } = await import('./algos.js');
    const views = await pauseAlgos(context, 'all', 'halt', reason);
    const rows = views.map(({ id, terms }) => ({ id, market: terms.market.market, protected: !isStopping(terms) }));
    if (rows.length === 0) return NONE;
    const open = rows.filter((row) => !row.protected);
    const unprotected =
      open.length === 0 ? '' : ` NOT PROTECTED: ${open.map(({ id, market }) => `${id} (${market})`).join(', ')}.`;
    return { rows, text: `Paused ${counted(rows.length, 'algo order')}.${unprotected}`, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `Algo orders are NOT PAUSED: ${error.message} While the account is halted, none of them places an order.`;
    return {
      ...NONE,
      failure: new Failure('partial', message, { hint: [...error.hints, suggest('See them', 'algo', 'list')] }),
    };
  }
}

/** Says after a halt was lifted that algo orders stay paused. */
export function noteStillPaused({ host, output }: Context): void {
  if (openAlgoIds(host.directories.state).length === 0) return;
  output.note(['Algo orders that the halt has paused stay paused.', suggest('Resume them', 'algo', 'resume', '--all')]);
}
