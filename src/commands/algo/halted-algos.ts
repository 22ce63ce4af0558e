import { counted } from '../../domain/decimal.js';
import { Failure, suggest, withoutPeriod } from '../../errors.js';
import { hasStop } from '../../trading/algos/plan/terms.js';
import { openAlgoIds, openAlgos } from '../../trading/algos/record/algo-folder.js';
import type { AlgoFacts } from '../../trading/algos/record/facts.js';
import { AlgoStore } from '../../trading/algos/record/store.js';
import type { Context } from '../session/command.js';

/** The algo orders that a halt pauses. */
export interface PausedAlgos {
  readonly rows: readonly { readonly id: string; readonly market: string; readonly protected: boolean }[];
  /** For people; empty if there are none. */
  readonly text: string;
  /** Why they could not be paused. */
  readonly failure: Failure | undefined;
}

const NONE: PausedAlgos = { rows: [], text: '', failure: undefined };

/**
 * Pauses every algo order of the account, and names those whose stop will not be sent while they are paused. Never throws a Failure.
 * @param isHalted whether the account is halted: if not, they are paused all the same, but by no halt that could be lifted
 * @param why as the user gave it; null if they gave no reason
 */
export async function pauseAlgoOrders(context: Context, isHalted: boolean, why: string | null): Promise<PausedAlgos> {
  if (openAlgoIds(context.host.directories.state).length === 0) return NONE;
  try {
    // most accounts have none
    const { algoService } = await import('./algo-service.js');
    const service = await algoService(context);
    await service.pause('all', isHalted ? 'halt' : 'user', isHalted ? reasonOf(why) : unhaltedReasonOf(why));
    // the process that watches them may have paused them first
    const views = (await service.list({ all: false })).filter(({ facts }) => facts.paused !== null);
    const rows = views.map(({ id, terms }) => ({ id, market: terms.market.market, protected: !hasStop(terms) }));
    if (rows.length === 0) return NONE;
    const open = rows.filter((row) => !row.protected);
    const unprotected =
      open.length === 0 ? '' : ` NOT PROTECTED: ${open.map(({ id, market }) => `${id} (${market})`).join(', ')}.`;
    return { rows, text: `Paused ${counted(rows.length, 'algo order')}.${unprotected}`, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `Algo orders are NOT PAUSED: ${withoutPeriod(error.message)}.`;
    const allTheSame = isHalted ? ' While the account is halted, none of them places an order.' : '';
    return {
      ...NONE,
      failure: new Failure('partial', `${message}${allTheSame}`, {
        hint: [...error.hints, suggest('See them', 'algo', 'list')],
      }),
    };
  }
}

function reasonOf(why: string | null): string {
  return why === null ? 'by pit halt' : `by pit halt: ${why}`;
}

/** No halt will be lifted: the user has to hear what ends the pause. */
function unhaltedReasonOf(why: string | null): string {
  const by = why === null ? 'by pit halt' : `by pit halt (${why})`;
  return `${by}, which could not halt the account; pit algo resume lets it go on`;
}

/** Says after a halt of these profiles was lifted which of their algo orders stay paused. It needs no keys. */
export function noteStillPaused({ host, output }: Context, profiles: readonly string[]): void {
  const { state } = host.directories;
  const paused = openAlgos(state).flatMap(({ account, ids }) => {
    const store = new AlgoStore(host, state, account);
    return ids.filter((id) => {
      const facts = readFacts(store, id);
      // one that was cancelled may be here for a moment
      if (facts === undefined || facts.ended !== null || facts.cancelled !== null) return false;
      return facts.paused?.cause === 'halt' && profiles.includes(facts.began.terms.profile);
    });
  });
  if (paused.length > 0)
    output.note(['Algo orders paused by the halt stay paused.', suggest('Resume them', 'algo', 'resume', ...paused)]);
}

/** Undefined for a record that is damaged or cannot be read. */
function readFacts(store: AlgoStore, id: string): AlgoFacts | undefined {
  try {
    return store.read(id)?.facts;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
