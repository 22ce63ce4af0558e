import type { CliContext, CommandContext } from '../../cli/context.js';
import type { CommandTable } from '../../cli/definition.js';
import type { RunningCommand } from '../../cli/run.js';
import { Cache } from '../../config/cache.js';
import { reqTimeToleranceMs } from '../../config/settings.js';
import { Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { requireOwnFolder } from '../../platform/private-files.js';
import { TimeBudget } from '../../platform/time-budget.js';
import type { Output } from '../../terminal/output.js';
import { Prompts } from '../../terminal/prompts.js';
import type { RecentBooks } from '../../trading/guards/recent-books.js';
import type { JournalEntry } from '../../trading/journal/entry.js';
import type { Journal, Unsettled } from '../../trading/journal/journal.js';
import type { UnknownWrite } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { accountName } from './account-name.js';
import { ActiveExchange } from './active-exchange.js';
import { ActiveProfile } from './active-profile.js';
import { LiveData } from './live-data.js';
import { Sandbox } from './sandbox.js';
import type { Session } from './session.js';

/** What a command works with. */
export interface Context extends CommandContext {
  /** Every command of the program. */
  readonly commands: CommandTable;
  /** The command's remaining time. */
  readonly budget: TimeBudget;
  readonly session: Session;
  readonly trading: Trading;
  readonly sandbox: Sandbox;
}

/**
 * Creates a command's context. Nothing is read yet.
 * @param recentBooks of the commands before it, in a shell
 */
export function createContext(
  base: CliContext,
  commands: CommandTable,
  recentBooks?: RecentBooks,
): RunningCommand & { readonly context: Context } {
  const { host, globals, output } = base;
  const budget = new TimeBudget(globals.timeoutMs, host.monotonic, globals.isTimeoutGiven);
  const sandbox = new Sandbox(host, budget, output);
  const profile = new ActiveProfile(host, globals, budget, sandbox);
  const orderMarkets = () => getTrading().orderMarkets();
  const exchange = new ActiveExchange(host, globals, budget, output, sandbox, profile, orderMarkets);
  const live = new LiveData(sandbox, profile, exchange);
  const session: Session = { profile, exchange, live, cache: new Cache(host.directories.cache, host.now) };
  let prompts: Prompts | undefined;
  let trading: Trading | undefined;
  const getTrading = () => {
    trading ??= new Trading(host, budget, output, session, recentBooks);
    return trading;
  };
  // in `pit shell` the process lives on, and other commands would take its unsettled writes for writes in progress
  host.endSignal?.addEventListener('abort', () => trading?.releaseUnsettled());
  return {
    context: {
      ...base,
      commands,
      budget,
      session,
      sandbox,
      get prompts() {
        const colour = globals.color ? undefined : false;
        prompts ??= new Prompts(host, { colour }, (ask) => askInTime(budget, globals, ask), !globals.yes);
        return prompts;
      },
      get trading() {
        return getTrading();
      },
    },
    deadline: {
      leftMs: () => (budget.hasDeadline ? budget.remainingMs : Number.POSITIVE_INFINITY),
      timeoutFailure: () => timeoutFailure(budget, trading?.unsettledIds() ?? [], session.exchange.writesUnderWay),
    },
    activeProfile: async () => (await session.profile.connection()).profile,
    open: () => exchange.warnOfLocalHalt(),
    close: () => saveNames(session, () => trading?.unknownIds()),
  };
}

/** Asks a question. Throws Failure `declined` if there is no answer before `--timeout` is over, if that was given. */
async function askInTime<Value>(
  budget: TimeBudget,
  { isTimeoutGiven }: CliContext['globals'],
  ask: (signal?: AbortSignal) => Promise<Value>,
): Promise<Value> {
  if (!isTimeoutGiven) return budget.pausedDuring(() => ask());
  const leaving = new AbortController();
  const unanswered = new Failure('declined', `The question was not answered within ${budget.words}.`, {
    hint: 'Nothing was done. Leave out --timeout to answer without haste.',
  });
  const timer = setTimeout(() => leaving.abort(unanswered), budget.remainingMs);
  try {
    return await ask(leaving.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The failure of a command that overran its deadline. What it has recorded or sent may be executed.
 * @param ids of the writes that it has recorded
 */
function timeoutFailure(
  { words }: TimeBudget,
  ids: readonly string[],
  underWay: ActiveExchange['writesUnderWay'],
): Failure {
  const message = `The command did not end within its ${words} and was stopped`;
  const [first] = ids;
  if (first === undefined && underWay.size === 0)
    return new Failure('unreachable', `${message}.`, { hint: 'Give it more time with --timeout SECONDS.' });
  const unknown = first === undefined ? [...underWay].map(({ name }) => name) : ids;
  return new Failure('unknown', `${message}: the outcome of ${unknown.join(', ')} is unknown.`, {
    ...(first === undefined ? {} : { clientId: first }),
    hint: [
      'Do not send it again before you know.',
      ...(first === undefined ? [] : [suggest('Find out', 'resolve', ...(ids.length === 1 ? [first] : []))]),
    ],
  });
}

/** Saves names seen in responses for shell completion. */
async function saveNames(session: Session, unknownIds: () => readonly string[] | undefined): Promise<void> {
  if (!session.exchange.isOpen) return;
  try {
    session.exchange.seenNames.save(await session.profile.completionNames(), unknownIds());
  } catch {
    // without a connection no response was read, so there are no names to save
  }
}

/** Opens the journal and makes the {@link TradingContext} of the command. */
class Trading {
  readonly #host: Host;
  readonly #budget: TimeBudget;
  readonly #output: Output;
  readonly #session: Session;
  readonly #recentBooks: RecentBooks | undefined;

  #journal: Journal | undefined;
  #unsettled: Unsettled | undefined;

  constructor(host: Host, budget: TimeBudget, output: Output, session: Session, recentBooks: RecentBooks | undefined) {
    this.#host = host;
    this.#budget = budget;
    this.#output = output;
    this.#session = session;
    this.#recentBooks = recentBooks;
  }

  /**
   * The client, journal and callbacks of a signed command. Throws Failure `credentials`.
   * @param own the time and the output of one of several writes, if it has its own
   */
  async open(own?: {
    readonly budget: TimeBudget;
    readonly output: Pick<Output, 'note' | 'warn' | 'live'>;
  }): Promise<TradingContext> {
    const host = this.#host;
    const session = this.#session;
    const budget = own?.budget ?? this.#budget;
    const output = own?.output ?? this.#output;
    const client = await session.exchange.signed(own?.budget);
    const connection = await session.profile.connection();
    // loaded here: commands that only read do not need it
    const { warnOfDuplicates, warnOfDuplicateWithdrawals } = await import('./duplicate-warnings.js');
    const { OutcomeCountdown } = await import('./outcome-countdown.js');
    const { keptStore } = await import('../../trading/pnl/kept-history.js');
    const journal = await this.#journalOnUse();
    const countdown = new OutcomeCountdown(output, host.errors.isTTY === true);
    return {
      host,
      budget,
      client,
      get journal() {
        return journal();
      },
      get keptHistory() {
        const { accessKey } = session.profile.credentials(connection);
        const tradeUrl = connection.tradeUrl ?? SANDBOX_URL;
        return keptStore(
          session.cache,
          accountName({ sandbox: false, tradeUrl }, () => accessKey),
        );
      },
      recentBooks: this.#recentBooks,
      orderPushes: await session.live.orderPushes(),
      requestLifetimeMs: reqTimeToleranceMs(connection.settings),
      showWait: (wait) => countdown.show(wait),
      reportProgress: (message) => {
        if (host.errors.isTTY === true) output.note(message);
      },
      warn: (message) => output.warn(message),
      reportDuplicateOrders: (duplicates) => warnOfDuplicates(output, duplicates),
      reportDuplicateWithdrawals: (duplicates) => warnOfDuplicateWithdrawals(output, duplicates),
    };
  }

  /** The markets that the journal mentions. Throws Failure `credentials`. */
  async orderMarkets(): Promise<readonly string[]> {
    return (await this.openJournal()).markets();
  }

  /** The ids of the unsettled writes that this process owns. */
  unsettledIds(): string[] {
    return this.#ownUnsettledEntries().map(({ write }) => write.clientId ?? write.id);
  }

  /** Releases the unsettled writes of this process, so that other commands may claim them. */
  releaseUnsettled(): void {
    for (const entry of this.#ownUnsettledEntries()) entry.release();
  }

  #ownUnsettledEntries(): JournalEntry[] {
    return this.#journal?.unsettledEntries().filter(({ isOwn }) => isOwn) ?? [];
  }

  /**
   * The writes with an unknown outcome, for the end of a command: the journal is read once.
   * @throws Failure `usage` if it cannot be read, and `credentials`
   */
  async unknownWrites(): Promise<readonly UnknownWrite[]> {
    const [journal, { unknownWrites }] = await Promise.all([
      this.openJournal(),
      import('../../trading/settling/unknown-writes.js'),
    ]);
    this.#unsettled ??= journal.unsettled();
    return unknownWrites(journal, this.#unsettled);
  }

  /** The ids of writes whose outcome is unknown; undefined if the journal was not used. */
  unknownIds(): string[] | undefined {
    const { entries } = this.#unsettled ?? this.#journal?.unsettled() ?? {};
    return entries?.filter(({ isUnderWay }) => !isUnderWay).map(({ write }) => write.clientId ?? write.id);
  }

  /** The journal alone. It needs no exchange, so no sandbox is started. Throws Failure `credentials`. */
  async openJournal(): Promise<Journal> {
    return (await this.#journalOnUse())();
  }

  /** The journal is made when it is first used: a question can be asked before Node's cryptography is loaded for its name. */
  async #journalOnUse(): Promise<() => Journal> {
    const host = this.#host;
    const session = this.#session;
    const connection = await session.profile.connection();
    await session.profile.loadKeys();
    const account = accountName(connection, () => session.profile.credentials(connection).accessKey);
    const { Journal } = await import('../../trading/journal/journal.js');
    requireOwnFolder(host.directories.state);
    return () => {
      this.#journal ??= new Journal(host, host.directories.state, account);
      return this.#journal;
    };
  }
}

/** Stands for the sandbox's host, whose port changes. */
const SANDBOX_URL = 'http://sandbox';
