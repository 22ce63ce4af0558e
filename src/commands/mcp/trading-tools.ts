import type { CommandTable } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { formatAmount, grouped } from '../../domain/decimal.js';
import { Failure, suggest, usage } from '../../errors.js';
import { safe } from '../../terminal/text.js';
import { isoTime } from '../../terminal/time.js';
import { AgentLimits } from '../../trading/guards/agent-limits.js';
import type { Journal } from '../../trading/journal/journal.js';
import { type Outcome, operationName } from '../../trading/journal/write.js';
import { PREPARED_FOR } from '../../trading/prepared/prepared-folder.js';
import { type Kept, PreparedStore } from '../../trading/prepared/prepared-store.js';
import { leavesRecord, type PreparedKind } from '../../trading/prepared/prepared-write.js';
import { PREPARED, type PreparedRow } from '../commit/prepared-facts.js';
import { isRecorded } from '../commit/unreported.js';
import { clientId } from '../inputs/parsers.js';
import type { Context } from '../session/command.js';
import resolve from '../writes/resolve.js';
import { optional, text } from './parameters.js';
import { PREPARE, requestOf } from './prepare-request.js';
import type { CommandResult, PrintedWarning } from './run-command.js';
import { commandWords, type Tool, type ToolAnswer, type ToolCall, tool } from './tool.js';
import { tradingCommands } from './trading-commands.js';

/** Clients give up after a minute: an outcome that is not known by then is reported as unknown. */
const LONGEST_ANSWER_MS = 40_000;

/** No client is known that gives up sooner. */
const PATIENT_MS = 4_000;

/** What `pit mcp --allow-trading` allows. */
export interface TradingTerms {
  readonly commit: 'ask' | 'unattended';
  readonly markets: readonly string[] | undefined;
  /** Amounts by quote coin, as settings keep them: `100usdt,0.01btc`. */
  readonly maxOrder: string | undefined;
  readonly maxDay: string | undefined;
  readonly maxOpen: number | undefined;
  readonly allowBorrow: boolean;
}

/** The tools that may change something, and the commands that they run. */
interface Trading {
  readonly tools: readonly Tool[];
  readonly commands: CommandTable;
}

/** Without what the agent has given. */
const { kind: _kind, market: _market, ...PREPARED_FIELDS } = PREPARED;

const ID = { id: text('id of prepare') };

/** The tools `prepare`, `commit` and `resolve`. Throws Failure `usage` for an agent that would trade unattended without limits. */
export function tradingTools(context: ToolContext, terms: TradingTerms): Trading {
  const isUnattended = terms.commit === 'unattended';
  const { markets, maxOrder, maxDay, maxOpen, allowBorrow } = terms;
  const given = { markets, maxOrder, maxDay, maxOpen };
  const limits = isUnattended ? AgentLimits.ofUnattended({ ...given, mayBorrow: allowBorrow }) : AgentLimits.of(given);
  const store = new PreparedStore(context.host);
  return {
    commands: tradingCommands(limits),
    tools: [
      tool({
        name: 'prepare',
        title: 'Prepare a trade',
        description: `Use it first for every order, ladder, replacement, cancellation and algo order: it checks and prices it, and sends nothing. pit runs an algo order: exits alone (stop, trail, or take with one of them), or an entry with exits that protect what it fills. It returns the exact orders and an id, which commit takes within ${PREPARED_FOR}, once.`,
        parameters: PREPARE,
        output: shape.object(PREPARED_FIELDS),
        effect: 'write',
        answer: async ({ given, run }) => {
          const { kind, market, argv } = requestOf(given);
          return run(commandWords('prepare', {}, [kind, market, ...argv]));
        },
      }),
      tool({
        name: 'commit',
        title: 'Send a prepared trade',
        description: `Send a prepared write, exactly once. ${isUnattended ? 'Nobody is asked.' : 'The user is asked.'} If the outcome is unknown, do not repeat it: call resolve.`,
        parameters: ID,
        output: shape.anything,
        effect: 'destructive',
        answer: (call) => {
          const { id } = call.given;
          const commit = () => commitAndReport(context, store, call, id, isUnattended);
          return isUnattended ? commit() : askAndCommit(store, call, id, commit);
        },
      }),
      tool({
        name: 'resolve',
        title: 'Find out what became of a write',
        description:
          'Use it when the outcome of a commit is unknown, or its answer did not arrive, before you prepare anything like it again.',
        parameters: { id: optional(text('default: every write whose outcome is unknown or may not have reached you')) },
        output: resolve.output,
        effect: 'write',
        answer: (call) => resolveAndReport(context, store, call, call.given.id),
      }),
    ],
  };
}

type ToolContext = Pick<Context, 'host' | 'session' | 'globals'>;

/** Returns the `--timeout` of the next command line: together they have a limited time, unless `pit mcp` was given one. */
function timeoutFlag({ host, globals }: ToolContext): () => { readonly timeout?: string } {
  const end = host.monotonic() + LONGEST_ANSWER_MS;
  const leftS = () => Math.max(1, (end - host.monotonic()) / 1_000).toFixed(3);
  return () => (globals.isTimeoutGiven ? {} : { timeout: leftS() });
}

/**
 * Runs a commit, and records that its outcome was reported, unless the client has gone. A client of an agent that asks nobody may have given
 * up waiting without a word. Then the agent knows the outcome once it asks for it.
 */
async function commitAndReport(
  context: ToolContext,
  store: PreparedStore,
  call: Pick<ToolCall, 'run' | 'signal' | 'isNewest' | 'onceAnswered' | 'ifGivenUp'>,
  id: string,
  isUnattended: boolean,
): Promise<ToolAnswer> {
  const { run, signal, isNewest } = call;
  const { host, session } = context;
  const began = host.monotonic();
  const result = await run(commandWords('commit', { yes: true, ...timeoutFlag(context)() }, [id]));
  const { error } = result;
  const journal = await session.journal();
  if (journal.findUnsettled(id) !== undefined) return { ...result, error: error && { ...error, hint: dontRepeat(id) } };
  // it may still be under way in another call or process
  const isKnown = error?.kind !== 'unknown';
  const taken = isKnown && !signal.aborted ? takenFrom(store, id, journal) : undefined;
  if (taken !== undefined) {
    const isHeard = () => !isUnattended || (isNewest() && host.monotonic() - began <= PATIENT_MS);
    reportInAnswer(store, call, taken, { outcome: error?.message ?? 'it was done', isHeard });
  }
  return result;
}

/**
 * Records an outcome that a call is answered with, unless somebody certainly knows it. One that is heard counts from the moment at which the
 * answer was written, until the client cancels the call nevertheless: before that, this process may be killed.
 */
function reportInAnswer(
  store: PreparedStore,
  { onceAnswered, ifGivenUp }: Pick<ToolCall, 'onceAnswered' | 'ifGivenUp'>,
  { prepared: { id }, isKnown }: Kept,
  { outcome, isHeard = () => true }: { readonly outcome: string; readonly isHeard?: () => boolean },
): void {
  if (isKnown) return;
  const report = (isSure: boolean) => store.report(id, outcome, isSure);
  if (isHeard()) {
    // stdout may have taken the answer only after a while
    onceAnswered(() => report(isHeard()));
    ifGivenUp(() => report(false));
  } else report(false);
}

/** Commits if the user confirms it in the client. Throws Failure `declined` if the client cannot ask its user. */
async function askAndCommit(
  store: PreparedStore,
  call: Pick<ToolCall, 'run' | 'canAsk' | 'replyTo'>,
  id: string,
  commit: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const found = await call.run(commandWords('prepared', {}, [id]));
  if (found.error !== null) return found;
  const row = found.data as PreparedRow;
  if (!call.canAsk)
    throw new Failure('declined', 'The user has to confirm this, and this client cannot ask.', {
      hint: suggest('Run in a terminal', 'commit', id),
    });
  const question = questionOf(row);
  const reply = call.replyTo(question);
  if (reply === undefined) return { question };
  if (reply === 'confirmed') return commit();
  if (reply === 'declined') return decline(store, row);
  throw new Failure('declined', `The user has to confirm this, and ${reply.why}. Nothing was sent.`, {
    hint: ['Call commit again, which asks again.', suggest('Or in a terminal', 'commit', id)],
  });
}

/** Finds out what became of a write, or of every one whose outcome is unknown or may not have been heard, and records that it was. */
async function resolveAndReport(
  context: ToolContext,
  store: PreparedStore,
  call: Pick<ToolCall, 'run' | 'signal' | 'onceAnswered' | 'ifGivenUp'>,
  id: string | undefined,
): Promise<ToolAnswer> {
  const { host, session } = context;
  const journal = await session.journal();
  const report = (resolved: readonly Pick<ResolvedRow, 'clientId' | 'outcome'>[]) => {
    if (call.signal.aborted) return;
    const committed = new Map(store.committed().map((kept) => [kept.prepared.id, kept]));
    for (const { clientId, outcome } of resolved) {
      const kept = committed.get(clientId);
      if (kept !== undefined && outcome !== 'unknown') reportInAnswer(store, call, kept, { outcome });
    }
  };
  const unsent = id === undefined ? undefined : withoutEntry({ journal, host }, store, id);
  if (unsent !== undefined) {
    // of an algo order: it has no entry in the journal
    if (id !== undefined && isRecorded({ journal, host }, id)) report([{ clientId: id, outcome: 'placed' }]);
    return unsent;
  }
  const rows: ResolvedRow[] = [];
  let error: CommandResult['error'] = null;
  const warnings: PrintedWarning[] = [];
  const left = timeoutFlag(context);
  const resolveBy = async (...words: string[]) => {
    const result = await call.run(commandWords('resolve', left(), words));
    rows.push(...((result.data as readonly ResolvedRow[] | undefined) ?? []));
    warnings.push(...result.warnings);
    error ??= result.error;
  };
  if (id !== undefined) await resolveBy(id);
  else {
    await resolveBy();
    const shown = new Set(rows.map(({ clientId }) => clientId));
    for (const unheard of unheardIds({ journal, host }, store)) {
      if (shown.has(unheard)) continue;
      const algo = withoutEntry({ journal, host }, store, unheard);
      if (algo === undefined) await resolveBy(unheard);
      else rows.push(...algo.data);
    }
  }
  report(rows);
  return { data: rows, warnings, error };
}

/** The fields of a row of `pit resolve` that the tool reads. */
interface ResolvedRow {
  readonly clientId: string;
  readonly outcome: Outcome;
}

/** The question to the user: everything that will be sent, as it was prepared. */
function questionOf({
  text,
  does,
  places,
  cancels,
  notional,
  fee,
  feeCoin,
  market,
  warnings,
  profile,
}: PreparedRow): string {
  const quote = market.split('_')[1] ?? '';
  const orders =
    places.length < 2
      ? []
      : places.map(({ side, amount, price }) => `${side} ${formatAmount(amount)} at ${grouped(price)}`);
  const lines = [
    `Send this with profile ${profile}?`,
    text,
    ...does,
    ...orders,
    ...cancels.map(
      ({ id, side, amount, price }) => `cancels ${id}: ${side} ${formatAmount(amount)} at ${grouped(price)}`,
    ),
    ...(notional === null ? [] : [`Value: ${formatAmount(notional)} ${quote}`]),
    ...(fee === null ? [] : [`Fee: about ${formatAmount(fee)} ${feeCoin}`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return lines.map((line) => safe(line)).join('\n');
}

/** The prepared write if a process of this account has committed it: of another account's, this one learns nothing. */
function takenFrom(store: PreparedStore, id: string, journal: Journal): Kept | undefined {
  const kept = store.find(id);
  if (kept === undefined || typeof kept === 'string') return undefined;
  return kept.isTaken && kept.prepared.account === journal.folder ? kept : undefined;
}

/** Uses up the id of a write that the user has declined. Throws Failure `declined`. */
function decline(store: PreparedStore, { id }: PreparedRow): never {
  const kept = store.find(id);
  if (kept !== undefined && typeof kept !== 'string' && store.take(kept.prepared)) store.report(id, DECLINED, true);
  throw new Failure('declined', DECLINED, { hint: 'Ask the user what else to do.' });
}

const DECLINED = 'The user declined it; nothing was sent.';

function dontRepeat(id: string): string {
  return `Do not prepare or commit it again: call resolve with the id ${id}.`;
}

/**
 * The answer of `resolve` for a prepared write that the journal does not have; undefined if it has it, or nothing was prepared. An algo
 * order has a record of its own.
 * Throws Failure `unknown` while it is being committed.
 */
function withoutEntry(
  trading: { readonly journal: Journal; readonly host: Context['host'] },
  store: PreparedStore,
  word: string,
): { readonly data: readonly ResolvedRow[] } | undefined {
  const id = clientId(word);
  const kept = store.find(id);
  if (kept === undefined || typeof kept === 'string') return undefined;
  const { prepared, isTaken, isUnderWay, reported } = kept;
  const { write, made } = prepared;
  const row = (outcome: Outcome, event: string) => {
    const operation = operationText(write.kind);
    const timeline = [{ time: isoTime(made), event }];
    const { market } = write;
    return { data: [{ operation, clientId: id, market, outcome, id: null, duplicates: [], timeline }] };
  };
  if (isRecorded(trading, id))
    return write.kind === 'algo' ? row('placed', 'the algo order was made: call algo_orders with this id') : undefined;
  // nothing shows when a commit that was given up ends
  if (isTaken && !leavesRecord(write.kind))
    throw usage(
      `${id} changes other orders, and has no record of its own.`,
      `Call ${write.kind === 'cancel' ? 'orders' : 'algo_orders'} with the id of each.`,
    );
  if (reported === null && isUnderWay)
    throw new Failure('unknown', `${id} is being committed, and its outcome is not known yet.`, {
      clientId: id,
      hint: 'Call resolve again in a moment.',
    });
  const event = !isTaken ? 'prepared, and not committed' : (reported ?? 'nothing was sent: its process ended');
  return row('notSent', event);
}

/** The operation of a prepared write in JSON: the name that the interface has for it, if any. */
function operationText(kind: PreparedKind): string {
  if (kind === 'ladder') return operationName('batch');
  if (kind === 'cancel') return 'cancelOrder';
  return kind === 'order' || kind === 'replace' ? operationName(kind) : kind;
}

/** The account's committed writes whose outcome the agent may not have heard. */
function unheardIds(
  trading: { readonly journal: Journal; readonly host: Context['host'] },
  store: PreparedStore,
): string[] {
  return store.committed().flatMap(({ prepared: { id, account }, isKnown }) => {
    const isOwn = account === trading.journal.folder;
    return !isKnown && isOwn && isRecorded(trading, id) ? id : [];
  });
}
