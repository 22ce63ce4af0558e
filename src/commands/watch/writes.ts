import { withActiveProfile } from '../../cli/hints.js';
import { formatAmount, grouped } from '../../domain/decimal.js';
import { type Advice, type EndingSignal, Failure, type Interruption, suggest } from '../../errors.js';
import { TimeBudget } from '../../platform/time-budget.js';
import type { Answer } from '../../terminal/answer.js';
import type { Output } from '../../terminal/output.js';
import type { Meaning } from '../../terminal/palette.js';
import { type Screen, screenOf } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import type { CancelResult } from '../../trading/cancel/cancel-orders.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import { unknownWrites } from '../../trading/settling/unknown-writes.js';
import type { AlgoDocument } from '../algo/view/algo-fields.js';
import { cancelEverything, cancelNamed } from '../cancel/cancel.js';
import { checkAlgo, NO_ALGO_FLAGS } from '../order/algo-args.js';
import { placeAlgoIn } from '../order/algo-order.js';
import { sendOrder } from '../order/order.js';
import { sendReplacement } from '../order/replace.js';
import type { Context } from '../session/command.js';
import type { WriteContext } from '../writes/write.js';
import type { ScreenAction } from './form.js';
import type { StatusMessage, WatchEvent } from './state.js';

type WriteOutput = WriteContext['output'];
type WriteConsent = WriteContext['consent'];

interface ScreenPort {
  /** Takes what a write asks and reports. */
  readonly take: (event: WatchEvent) => void;
  /** The room that a preview has. */
  readonly screen: () => Screen;
  /** Whether the screen is gone, so that remarks go to the terminal. */
  readonly isOver: () => boolean;
}

/** Carries out what the user decides on the screen, as the commands do it, each write with a time of its own. */
export class Writes {
  readonly #context: Context;
  readonly #screened: ScreenPort;

  /** Of those that have not ended. */
  readonly #panels = new Map<number, WritePanel>();
  readonly #running = new Set<Promise<void>>();
  /** Of the writes that ended after the screen. */
  readonly #failures: Failure[] = [];

  constructor(context: Context, screened: ScreenPort) {
    this.#context = context;
    this.#screened = screened;
  }

  /** Loads what a write needs, before a key is pressed: a cancellation has to leave at once. Throws Failure `credentials`. */
  async prepare(): Promise<void> {
    const { session } = this.#context;
    await Promise.all([session.trading(), session.markets()]);
    await this.expect();
  }

  /** Opens a connection for a write that a key may be about to start. */
  async expect(): Promise<void> {
    (await this.#context.session.exchange()).prepareWrite();
  }

  /** Reports the outcome, also a Failure, as an event. */
  async start(write: number, request: ScreenAction, market: string): Promise<void> {
    const running = this.#carryOut(write, request, market);
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  answer(write: number, confirmed: boolean): void {
    this.#panels.get(write)?.reply(confirmed);
  }

  /** Waits for the outcome of the writes in progress, after the screen has ended. Throws the last Failure of these. */
  async finish(): Promise<void> {
    if (this.#running.size === 0) return;
    const count = this.#running.size === 1 ? 'a write' : `${this.#running.size} writes`;
    this.#context.output.note(`Waiting for the outcome of ${count}. Ctrl-C ends pit at once.`);
    await Promise.all(this.#running);
    const last = this.#failures.pop();
    for (const { message, hints } of this.#failures) this.#context.output.warn([message, ...hints]);
    if (last !== undefined) throw last;
  }

  async #carryOut(write: number, request: ScreenAction, market: string): Promise<void> {
    const { output, session } = this.#context;
    const panel = new WritePanel(write, output, this.#screened);
    this.#panels.set(write, panel);
    try {
      const context = await this.#contextOf(panel);
      const answer = await carryOut(this.#context, context, request, market);
      this.#ended(write, [...panel.rest(), ...messagesOf(context, request, answer)], answer.failure);
    } catch (error) {
      const thrown = await withActiveProfile(error, async () => (await session.connection()).profile);
      if (!(thrown instanceof Failure)) throw thrown;
      const meaning = thrown.kind === 'declined' ? 'faint' : thrown.kind === 'unknown' ? 'warn' : 'bad';
      const text = output.textOf(thrown.kind === 'declined' ? thrown.message : [thrown.message, ...thrown.hints]);
      this.#ended(write, [...panel.rest(), { text, meaning }], thrown);
    } finally {
      this.#panels.delete(write);
    }
  }

  async #contextOf(panel: WritePanel): Promise<WriteContext> {
    const { host, globals, session } = this.#context;
    const budget = new TimeBudget(globals.timeoutMs, host.monotonic, globals.isTimeoutGiven);
    return {
      host,
      // each write is asked about
      globals: { ...globals, yes: false },
      budget,
      session: {
        connection: () => session.connection(),
        currentSettings: (unsent) => session.currentSettings(unsent),
        markets: (own = budget) => session.markets(own),
      },
      trading: await session.trading({ budget, output: panel }),
      consent: panel,
      output: panel,
      isPreviewed: true,
    };
  }

  /** @param messages the last one says the same as the failure, if there is one */
  #ended(write: number, messages: readonly StatusMessage[], failure: Failure | undefined): void {
    this.#screened.take({ type: 'ended', write, messages });
    if (!this.#screened.isOver()) return;
    if (failure !== undefined) this.#failures.push(failure);
    for (const { text } of failure === undefined ? messages : messages.slice(0, -1)) this.#context.output.note(text);
  }

  /** The writes whose outcome is unknown in one line, with the command that settles them; nothing if there are none. */
  async unknown(): Promise<readonly string[]> {
    const { session, output } = this.#context;
    const journal = await session.journal();
    const [first, ...others] = unknownWrites(journal, journal.unsettled());
    if (first === undefined) return [];
    const one = first.operation === null ? 'a write' : OPERATION_TEXT[first.operation];
    const [what, words] = others.length === 0 ? [one, [first.clientId]] : [`${others.length + 1} writes`, []];
    return [output.textOf(suggest(`UNKNOWN  outcome of ${what}`, 'resolve', ...words))];
  }
}

const OPERATION_TEXT = {
  order: 'an order',
  batch: 'a batch of orders',
  replace: 'a replacement',
  withdraw: 'a withdrawal',
  call: 'a call',
} as const;

function carryOut(command: Context, context: WriteContext, request: ScreenAction, market: string): Promise<Answer> {
  switch (request.kind) {
    case 'cancel':
      return cancelNamed(context, market, [{ id: request.order }]);
    case 'cancelAll':
      return cancelEverything(context, market);
    case 'replace': {
      const at = request.price === null ? undefined : parsePrice(request.price);
      const amount = request.amount === null ? undefined : parseAmount(request.amount);
      const changes = { at, amount, account: undefined, borrow: false, repay: false };
      return sendReplacement(context, { market, reference: { id: request.order }, changes, overridden: [] });
    }
    case 'place': {
      const { side, type, amount, price, take, stop } = request;
      if (take !== undefined || stop !== undefined) return placeBracket(command, context, request, market);
      const terms = { side, market, amount: parseAmount(amount), at: parsePrice(price), type };
      const flags = { account: 'spot' as const, borrow: false, repay: false, id: undefined, overridden: [] };
      return sendOrder(context, { ...terms, ...flags });
    }
  }
}

/** An order with a take-profit or a stop, or these alone. Throws Failure `usage` for parts that contradict each other. */
async function placeBracket(
  command: Context,
  context: WriteContext,
  { side, amount, price, type, take, stop }: Extract<ScreenAction, { kind: 'place' }>,
  market: string,
): Promise<Answer> {
  const priceOf = (text = '') => (text === '' ? undefined : parsePrice(text));
  const order = { side, market, amount: parseAmount(amount), at: priceOf(price) };
  const flags = { ...NO_ALGO_FLAGS, take: priceOf(take), stop: priceOf(stop) };
  const plain = { account: 'spot', borrow: false, repay: false, id: undefined, once: false, wait: undefined } as const;
  checkAlgo({ ...order, ...plain, type: type === 'limit' ? undefined : type, overridden: [] }, flags);
  return placeAlgoIn(command, context, { ...order, ...flags, type, overridden: [] });
}

/** The outcome in a line, and what failed. */
function messagesOf({ output, globals }: WriteContext, request: ScreenAction, answer: Answer): StatusMessage[] {
  const { failure } = answer;
  const isCancel = !globals.dryRun && (request.kind === 'cancel' || request.kind === 'cancelAll');
  const text = isCancel
    ? cancelText(answer.data as readonly CancelResult[])
    : isAlgo(request) && !globals.dryRun
      ? createdText(answer.data as AlgoDocument)
      : shownText(answer);
  const outcome: StatusMessage = { text, meaning: failure === undefined ? 'good' : 'warn' };
  if (failure === undefined) return [outcome];
  return [outcome, { text: output.textOf([failure.message, ...failure.hints]), meaning: 'warn' }];
}

function isAlgo(request: ScreenAction): boolean {
  return request.kind === 'place' && (request.take !== undefined || request.stop !== undefined);
}

function createdText({ id, kind, side, amount, market }: AlgoDocument): string {
  return `Created algo order ${id}: ${kind}, ${side} ${formatAmount(amount)} ${market}`;
}

function cancelText(rows: readonly CancelResult[]): string {
  if (rows.length === 0) return 'No open orders: nothing was cancelled.';
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) {
    const { outcome, id, price, amount, filled } = first;
    const known =
      price === null || amount === null || filled === null
        ? ''
        : ` ${formatAmount(amount)} at ${grouped(price)}, ${formatAmount(filled)} of it filled,`;
    return `${outcome === 'cancelled' ? 'Cancelled' : outcome} ${known} order ${id}`;
  }
  const counts = ['cancelled', 'refused', 'unknown'].flatMap((outcome) => {
    const count = rows.filter((row) => row.outcome === outcome).length;
    return count === 0 ? [] : `${count} ${outcome}`;
  });
  return counts.join(', ');
}

/** What the command would print, in one line without colours. */
function shownText(answer: Answer): string {
  const lines = answer.show(PLAIN).split('\n');
  return lines.flatMap((line) => (line === '' ? [] : line.replace(/ {3,}/g, '  '))).join('. ');
}

const PLAIN = screenOf(Object.assign(Object.create(null), { isTTY: false }), {});

/** A write as the screen shows it: its preview and remarks above the question, then its messages. */
class WritePanel implements WriteOutput, WriteConsent {
  readonly #write: number;
  readonly #terminal: Output;
  readonly #screened: ScreenPort;

  readonly available = true;
  #preview: readonly string[] = [];
  #lines: { readonly text: string; readonly meaning: Meaning }[] = [];
  /** Whether a question is to come: then remarks stand above it. */
  #isAsking = true;
  #resolve: ((confirmed: boolean) => void) | undefined;

  /** @param terminal where remarks go once the screen is gone */
  constructor(write: number, terminal: Output, screened: ScreenPort) {
    this.#write = write;
    this.#terminal = terminal;
    this.#screened = screened;
  }

  get errorScreen(): Screen {
    return this.#screened.screen();
  }

  preview(show: (screen: Screen) => string): void {
    this.#isAsking = true;
    this.#preview = show(this.#screened.screen()).split('\n');
  }

  ask({ text, word, below }: Parameters<WriteConsent['ask']>[0]): Promise<boolean> {
    if (this.#screened.isOver()) return Promise.resolve(false);
    const { paint, width } = this.#screened.screen();
    const remarks = this.rest().flatMap(({ text, meaning }) => wrapped(text, width).split('\n').map(paint[meaning]));
    const preview = [...this.#preview, ...remarks];
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const asked = { write: this.#write, question: text, preview, word: word ?? null, below: below ?? null };
      this.#screened.take({ type: 'asked', question: asked });
    });
  }

  /** The user's reply. What is said from now on concerns what is on its way. */
  reply(confirmed: boolean): void {
    this.#isAsking = false;
    this.#resolve?.(confirmed);
    this.#resolve = undefined;
  }

  note(advice: Advice): void {
    if (this.#screened.isOver()) this.#terminal.note(advice);
    else this.#remark(this.textOf(advice), 'faint');
  }

  warn(advice: Advice): void {
    if (this.#screened.isOver()) this.#terminal.warn(advice);
    else this.#remark(this.textOf(advice), 'warn');
  }

  /** What became of a write is shown once it has ended. */
  async answer(): Promise<void> {}

  interrupted(signal: EndingSignal, interruption: Interruption | null): void {
    this.#terminal.interrupted(signal, interruption);
  }

  textOf(advice: Advice): string {
    return this.#terminal.textOf(advice);
  }

  /** The screen has no room for a line of its own. */
  live(): () => void {
    return () => {};
  }

  /** What was said and not shown above a question. */
  rest(): readonly { readonly text: string; readonly meaning: Meaning }[] {
    return this.#lines.splice(0);
  }

  #remark(text: string, meaning: Meaning): void {
    if (this.#isAsking) this.#lines.push({ text, meaning });
    else this.#screened.take({ type: 'said', message: { text, meaning } });
  }
}
