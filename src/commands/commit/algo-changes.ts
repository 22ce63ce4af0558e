import { confirm } from '../../cli/consent.js';
import { Failure, suggest, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { type AlgoTerms, hasStop } from '../../trading/algos/plan/terms.js';
import { AlgoStore } from '../../trading/algos/record/store.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import type { AlgoChange } from '../../trading/prepared/prepared-write.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { cancelled, wouldChange } from '../algo/cancel.js';
import { paused, resumed } from '../algo/pause.js';
import { algoText } from '../algo/sentences.js';
import type { Context } from '../session/command.js';
import type { WriteContext } from '../writes/write.js';

/** What a change is called in sentences. */
const VERBS = { algoCancel: 'cancel', algoPause: 'pause', algoResume: 'resume' } as const;

/**
 * The terms of the algo orders that an agent may change.
 * @throws Failure `usage` for one that is not open in this market, and for one of the user if the agent asks nobody: a stop of the user
 *   is not the agent's to give up
 */
export function requireChangeable(
  { host, journal }: Pick<TradingContext, 'host' | 'journal'>,
  { market, ids }: Pick<AlgoChange['terms'], 'market' | 'ids'>,
  agentLimits: AgentLimits | undefined,
): AlgoTerms[] {
  const store = new AlgoStore(host, host.directories.state, journal.folder);
  return ids.map((id) => {
    const facts = store.read(id)?.facts;
    if (facts === undefined || facts.began.terms.market.market !== market)
      throw usage(`There is no algo order ${id} in ${market}.`, suggest('List them', 'algo', 'list', '--all'));
    if (facts.ended !== null)
      throw usage(`The algo order ${id} has ended (${facts.ended.outcome}).`, suggest('See it', 'algo', 'show', id));
    const { terms } = facts.began;
    if (agentLimits?.given.isUnattended === true && terms.agent === undefined)
      throw usage(
        `The user made the algo order ${id}, so an agent that runs unattended may not change it.`,
        suggest('The user can', 'algo', 'cancel', id),
      );
    return terms;
  });
}

/** `pause algo order a4k7x2q: sell 0.1 btc_usdt, stop 27,500.00` */
export function changeText({ kind }: Pick<AlgoChange, 'kind'>, terms: readonly AlgoTerms[]): string {
  const names = terms.map((one) => `${one.id}: ${algoText(one)}`);
  return `${VERBS[kind]} algo order${terms.length === 1 ? '' : 's'} ${names.join('; ')}`;
}

/** What the user has to know of a change before confirming it. */
export function changeWarnings({ kind }: Pick<AlgoChange, 'kind'>, terms: readonly AlgoTerms[]): string[] {
  const stopping = terms.filter(hasStop).map(({ id }) => id);
  if (kind === 'algoResume' || stopping.length === 0) return [];
  return [
    `NOT PROTECTED after this: ${stopping.join(', ')}. No stop of ${stopping.length === 1 ? 'it' : 'them'} is sent.`,
  ];
}

/** Carries out a change that was prepared. Throws Failure as its command does, and `declined` if the user does not confirm it. */
export async function changePrepared(command: Context, context: WriteContext, change: AlgoChange): Promise<Answer> {
  const { terms, kind } = change;
  const chosen = requireChangeable(context.trading, terms, context.agentLimits);
  const verb = VERBS[kind];
  if (context.globals.dryRun) return wouldChange(command, terms.ids, false, `Would ${verb}`);
  for (const warning of changeWarnings(change, chosen)) context.output.warn(warning);
  const { text } = terms;
  await confirm(context, `${text.charAt(0).toUpperCase()}${text.slice(1)}?`);
  switch (kind) {
    case 'algoCancel':
      return cancelled(command, terms.ids);
    case 'algoPause':
      return paused(command, terms.ids);
    case 'algoResume':
      return resumed(command, terms.ids);
  }
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
