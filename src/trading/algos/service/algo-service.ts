import type { BestPrices } from '../../../domain/book.js';
import { Failure, suggest, usage } from '../../../errors.js';
import { haltText, LIFT_HALT } from '../../../exchange/exchange.js';
import { guardLimits } from '../../guards/limits.js';
import type { AlgoTerms } from '../plan/terms.js';
import type { FactRecord } from '../record/fact-record.js';
import { type AlgoFact, isHeldBack, type PauseCause } from '../record/facts.js';
import { stoppedFailure, type Watcher } from '../record/watchers.js';
import type { AlgoEvent } from '../run/algo-voice.js';
import { AlgoRunner } from '../run/runner.js';
import type { AlgoServiceOptions } from './algo-account.js';
import { type AlgoView, AlgoViews } from './algo-views.js';
import { waitForCondition } from './wait-for-condition.js';

export interface CreatedAlgo {
  readonly id: string;
  readonly watched: boolean;
  /** Why no process watches it; null if one does. */
  readonly unwatchedBecause: Failure | null;
}

/** How an algo order is made that an agent has prepared. */
export interface AgentCreation {
  /** The id under which it was prepared. */
  readonly id: string;
  /** Throws Failure if a limit of the agent is exceeded. No other algo order is made meanwhile. */
  readonly requireRoom: () => Promise<void>;
}

/** Algo orders that the user wants paused or resumed. */
export interface ChangedAlgos {
  readonly changed: readonly AlgoView[];
  /** Those that were so before. */
  readonly unchanged: readonly AlgoView[];
}

/** What one process that watches says, and which algo orders it takes. */
export interface RunnerChoices {
  readonly report: (event: AlgoEvent) => void;
  readonly other: (watcher: Watcher) => void;
  readonly warn?: (message: string) => void;
  readonly isBackground?: boolean;
  readonly only?: ReadonlySet<string>;
}

/** The algo orders of an account, as commands make, show, pause and resume them: `cancel-algos.ts` ends them. */
export class AlgoService {
  readonly options: AlgoServiceOptions;
  readonly views: AlgoViews;

  constructor(options: AlgoServiceOptions) {
    this.options = options;
    this.views = new AlgoViews(options);
  }

  /**
   * Makes an algo order, and has it watched: by the process that watches already, or by a new one in the background.
   * @param terms for the id that it gets
   * @param prices the best prices now
   * @throws Failure `usage` if its record cannot be written: there is no algo order then
   */
  async create(
    terms: (id: string) => AlgoTerms,
    { bid, ask }: BestPrices,
    prepared?: AgentCreation,
  ): Promise<CreatedAlgo> {
    const { store, account } = this.options;
    const client = await account.signedExchange();
    const id = await store.alone(async () => {
      await prepared?.requireRoom();
      return store.create(
        (made) => ({ fact: 'began', time: client.now(), terms: terms(made), bid, ask }),
        prepared?.id,
      );
    });
    const unwatchedBecause = await this.#ensureWatched();
    return { id, watched: unwatchedBecause === null, unwatchedBecause };
  }

  /** Has a process watch, unless one does. Returns why none does; null if one does. The algo orders exist whatever fails here. */
  async #ensureWatched(): Promise<Failure | null> {
    try {
      const { store, startWatcher } = this.options;
      const watcher = store.watcher();
      if (watcher?.isStopped === true) return stoppedFailure(watcher);
      return store.isWatched ? null : await startWatcher();
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return thrown;
    }
  }

  /**
   * The algo orders that have not ended, newest first; with `all`, those too that have ended and are kept.
   * @throws Failure `usage` if the records cannot be read, and `credentials`
   */
  async list({ all }: { readonly all: boolean }): Promise<AlgoView[]> {
    const { store } = this.options;
    const views = await this.views.of([...store.openIds(), ...(all ? store.endedIds() : [])]);
    return newestFirst(views.filter(({ facts }) => all || facts.ended === null));
  }

  /**
   * The algo orders that have not ended, newest first, by what is on the disk alone: what the exchange has filled since is not in it. It
   * sends no request, so that a screen can ask every few seconds.
   * @throws Failure `usage` if the records cannot be read, and `credentials`
   */
  async recorded(): Promise<AlgoView[]> {
    const views = await this.views.of(this.options.store.openIds(), 'records');
    return newestFirst(views.filter(({ facts }) => facts.ended === null));
  }

  /** One algo order. Its duplicates count as seen then. Throws Failure `usage` for an id that there is not. */
  async show(id: string): Promise<AlgoView> {
    const { store } = this.options;
    const problem = store.read(id)?.problem ?? null;
    if (problem !== null) {
      const hint = suggest('Its orders may be open at the exchange. See them, then remove the record', 'orders');
      throw usage(`Nothing is done for the algo order ${id}: ${problem}.`, hint);
    }
    const [view] = await this.views.of([id]);
    if (view === undefined) throw usage(`There is no algo order ${id}.`, suggest('List them', 'algo', 'list', '--all'));
    store.unseenDuplicates.seen(id);
    return view;
  }

  /** Why algo orders that have not ended cannot be shown, a clause for each; empty if all can. */
  unshown(): string[] {
    const { store } = this.options;
    return store.openIds().flatMap((id) => {
      const problem = store.read(id)?.problem ?? null;
      return problem === null ? [] : `nothing is done for ${id}: ${problem}`;
    });
  }

  /**
   * Pauses algo orders: what is open at the exchange stays there, and nothing else is placed. A request that asked before this may still be
   * on its way.
   * @param settled called once all are paused, before they are read
   * @throws Failure `usage` for one that is not open, or that cannot be recorded: the others are paused
   */
  pause(
    ids: readonly string[] | 'all',
    cause: Extract<PauseCause, 'user' | 'halt'>,
    reason: string,
    settled: () => Promise<void> = async () => undefined,
  ): Promise<ChangedAlgos> {
    const fact = (time: number) => ({ fact: 'paused', time, cause, reason, role: null }) as const;
    return this.#addFacts(ids, fact, CHANGES.paused, settled);
  }

  /**
   * Lets paused algo orders go on, and has them watched.
   * @throws Failure `usage` for one that is not open, and while the account is halted
   */
  async resume(ids: readonly string[] | 'all'): Promise<ChangedAlgos> {
    const { account, warn } = this.options;
    const halt = await (await account.exchange()).halt();
    if (halt !== undefined) throw usage(`Nothing is resumed: the account is ${haltText(halt)}.`, LIFT_HALT);
    const resumed = await this.#addFacts(ids, (time) => ({ fact: 'resumed', time }), CHANGES.resumed);
    const { changed } = resumed;
    const unwatched = changed.length === 0 ? null : await this.#ensureWatched();
    if (unwatched === null) return { ...resumed, changed: changed.map((view) => ({ ...view, isWatched: true })) };
    warn([`NOT WATCHED: ${unwatched.message}`, ...unwatched.hints]);
    return resumed;
  }

  async #addFacts(
    ids: readonly string[] | 'all',
    fact: (time: number) => AlgoFact,
    changes: (record: FactRecord) => boolean,
    settled: () => Promise<void> = async () => undefined,
  ): Promise<ChangedAlgos> {
    const { store, account } = this.options;
    const client = await account.exchange();
    const chosen = this.chosenIds(ids);
    const changing = chosen.filter((id) => {
      const record = store.read(id);
      return record !== undefined && changes(record);
    });
    const failures: Failure[] = [];
    for (const id of changing) {
      try {
        store.add(id, fact(client.now()));
      } catch (error) {
        // the others are changed all the same
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    await settled();
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    const views = await this.views.of(chosen);
    const isChanged = ({ id }: AlgoView) => changing.includes(id);
    return { changed: views.filter(isChanged), unchanged: views.filter((view) => !isChanged(view)) };
  }

  /** The ids of open algo orders. Throws Failure `usage` for ids that there are not, or that have ended. */
  chosenIds(ids: readonly string[] | 'all'): readonly string[] {
    const { store } = this.options;
    const open = store.openIds();
    if (ids === 'all') return open;
    const chosen = [...new Set(ids)];
    const wrong = chosen.flatMap((id) => {
      // one that has ended stays among the open ones for a moment
      const { facts, problem = null } = store.read(id) ?? {};
      if (problem !== null) return `Nothing is done for the algo order ${id}: ${problem}.`;
      const ended = facts?.ended ?? null;
      if (ended !== null) return `The algo order ${id} has ended (${ended.outcome}).`;
      return open.includes(id) ? [] : `There is no algo order ${id}.`;
    });
    if (wrong.length > 0) throw usage(wrong.join(' '), suggest('List them', 'algo', 'list', '--all'));
    return chosen;
  }

  /** What watches and trades the algo orders in this process. */
  runner({ report, other, warn, isBackground = false, only }: RunnerChoices): AlgoRunner {
    const { host, account, store, open, isAlone } = this.options;
    const say = warn ?? this.options.warn;
    return new AlgoRunner({
      host,
      store,
      open,
      limits: async () => guardLimits(await account.currentSettings()),
      follow: (channels, choices) => account.stream(channels, { ...choices, reads: 'polls' }),
      waitForCondition: (terms, met, signal) => waitForCondition(this.options, terms, met, say, signal),
      report,
      warn: say,
      other,
      waitsForOther: !isBackground && only === undefined,
      isSeen: !isBackground,
      only,
      isAlone,
    });
  }
}

/** Whether a fact of the user still changes something. */
const CHANGES: Readonly<Record<'paused' | 'resumed', (record: FactRecord) => boolean>> = {
  paused: ({ facts }) => facts !== undefined && !isHeldBack(facts, 'stop'),
  resumed: ({ facts }) => facts !== undefined && facts.paused !== null,
};

function newestFirst(views: readonly AlgoView[]): AlgoView[] {
  return [...views].sort((one, other) => other.facts.began.time - one.facts.began.time);
}
