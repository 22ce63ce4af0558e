import type { ParsedLine } from '../../cli/run.js';
import { Failure, suggest, usage } from '../../errors.js';
import { type AlgoTerms, hasStop } from '../../trading/algos/plan/terms.js';
import { AlgoStore } from '../../trading/algos/record/store.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import { NO_ESTIMATES, type Shown, type WorkedOut } from '../../trading/prepared/prepared-write.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { algoText } from '../algo/view/sentences.js';

/** The changes of algo orders that an agent may ask for, by the subcommand of `pit algo` that makes them. */
export const ALGO_CHANGES = { algoCancel: 'cancel', algoPause: 'pause', algoResume: 'resume' } as const;

export type AlgoChange = keyof typeof ALGO_CHANGES;

export function isAlgoChange(kind: string): kind is AlgoChange {
  return Object.hasOwn(ALGO_CHANGES, kind);
}

/**
 * What the command line of a change comes to.
 * @throws Failure `usage` for an algo order that is not open in this market, and for one of the user if the agent asks nobody: a stop of
 *   the user is not the agent's to give up
 */
export function workOutChange(
  trading: Pick<TradingContext, 'host' | 'journal'>,
  limits: AgentLimits,
  { kind, market, line }: { readonly kind: AlgoChange; readonly market: string; readonly line: ParsedLine },
): Shown {
  const { ids } = line.input as unknown as { readonly ids: readonly string[] };
  const terms = requireChangeable(trading, { market, ids }, limits);
  const write: WorkedOut = {
    ...{ kind, market, argv: ['algo', ALGO_CHANGES[kind], ...ids], key: null, askedKey: null },
    ...{ text: changeText(kind, terms), does: [], places: [], cancels: [], notional: null },
  };
  return { write, estimates: { ...NO_ESTIMATES, warnings: changeWarnings(kind, terms) } };
}

function requireChangeable(
  { host, journal }: Pick<TradingContext, 'host' | 'journal'>,
  { market, ids }: { readonly market: string; readonly ids: readonly string[] },
  limits: AgentLimits,
): AlgoTerms[] {
  const store = new AlgoStore(host, host.directories.state, journal.folder);
  return ids.map((id) => {
    const facts = store.read(id)?.facts;
    if (facts === undefined || facts.began.terms.market.market !== market)
      throw usage(`There is no algo order ${id} in ${market}.`, suggest('List them', 'algo', 'list', '--all'));
    if (facts.ended !== null)
      throw usage(`The algo order ${id} has ended (${facts.ended.outcome}).`, suggest('See it', 'algo', 'show', id));
    const { terms } = facts.began;
    if (limits.given.isUnattended === true && terms.agent === undefined)
      throw usage(
        `The user made the algo order ${id}, so an agent that runs unattended may not change it.`,
        suggest('The user can', 'algo', 'cancel', id),
      );
    return terms;
  });
}

/** `pause algo order a4k7x2q: sell 0.1 btc_usdt, stop 27,500.00` */
function changeText(kind: AlgoChange, terms: readonly AlgoTerms[]): string {
  const names = terms.map((one) => `${one.id}: ${algoText(one)}`);
  return `${ALGO_CHANGES[kind]} algo order${terms.length === 1 ? '' : 's'} ${names.join('; ')}`;
}

/** What the user has to know of a change before confirming it. */
function changeWarnings(kind: AlgoChange, terms: readonly AlgoTerms[]): string[] {
  const stopping = terms.filter(hasStop).map(({ id }) => id);
  if (kind === 'algoResume' || stopping.length === 0) return [];
  return [
    `NOT PROTECTED after this: ${stopping.join(', ')}. No stop of ${stopping.length === 1 ? 'it' : 'them'} is sent.`,
  ];
}

/** The algo order that a commit has made; undefined if it has made none. */
export function madeAlgo(
  { host, journal }: Pick<TradingContext, 'host' | 'journal'>,
  id: string,
): AlgoTerms | undefined {
  try {
    return new AlgoStore(host, host.directories.state, journal.folder).read(id)?.facts?.began.terms;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
