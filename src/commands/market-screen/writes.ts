import { PassThrough } from 'node:stream';
import { commandLine, withActiveProfile } from '../../cli/hints.js';
import { formatAmount, grouped } from '../../domain/decimal.js';
import { type Advice, Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Answer } from '../../terminal/answer.js';
import { Output } from '../../terminal/output.js';
import type { Meaning } from '../../terminal/palette.js';
import { Prompts } from '../../terminal/prompts.js';
import { type Screen, screenOf } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { unknownWrites } from '../../trading/unknown-writes.js';
import { cancelEverything, cancelNamed } from '../cancel/cancel.js';
import type { Context } from '../command.js';
import { previewAndPlace } from '../order/order.js';
import { sendReplacement } from '../order/replace.js';
import { createContext } from '../session/context.js';
import type { ScreenAction } from './form.js';
import type { Message, WatchEvent } from './state.js';

/** The command's own code, with the screen in place of the terminal: a write is prepared, asked about and reported in it. */
interface WriteContext {
  readonly context: Context;
  readonly trading: TradingContext;
  readonly output: PanelOutput;
  readonly prompts: PanelPrompts;
  readonly close: () => Promise<void>;
  readonly profile: () => Promise<string>;
}

interface ScreenPort {
  /** Takes what a write asks and reports. */
  readonly take: (event: WatchEvent) => void;
  /** The room that a preview has. */
  readonly screen: () => Screen;
  /** Whether the screen is gone, so that remarks go to the terminal. */
  readonly isOver: () => boolean;
}

/** Carries out what the user decides on the screen, each write in a context of its own, as if it were a command. */
export class Writes {
  /** Those that have not ended. */
  readonly #contexts = new Map<number, WriteContext>();
  readonly #running = new Set<Promise<void>>();
  /** Opened before the key is pressed: a cancellation has to leave at once. */
  #standby: Promise<WriteContext> | undefined;
  /** Of the writes that ended after the screen. */
  readonly #failures: Failure[] = [];

  constructor(
    private readonly context: Context,
    private readonly screened: ScreenPort,
  ) {}

  /** Prepares what a cancellation needs. */
  async prepare(): Promise<void> {
    await this.#ready();
  }

  /** Reports the outcome, also a Failure, as an event. */
  async start(write: number, request: ScreenAction, market: string): Promise<void> {
    const running = this.#carryOut(write, request, market);
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  answer(write: number, confirmed: boolean): void {
    this.#contexts.get(write)?.prompts.answer(confirmed);
  }

  /** Waits for the outcome of the writes in progress, after the screen has ended. Throws the last Failure of these. */
  async finish(): Promise<void> {
    if (this.#running.size === 0) return;
    const count = this.#running.size === 1 ? 'a write' : `${this.#running.size} writes`;
    this.context.output.note(`Waiting for the outcome of ${count}. Ctrl-C ends pit at once.`);
    await Promise.all(this.#running);
    const last = this.#failures.pop();
    for (const { message, hints } of this.#failures) this.context.output.warn([message, ...hints]);
    if (last !== undefined) throw last;
  }

  async #carryOut(write: number, request: ScreenAction, market: string): Promise<void> {
    let opened: WriteContext | undefined;
    try {
      opened = await this.#contextFor(request);
      this.#contexts.set(write, opened);
      opened.output.begin();
      opened.prompts.begin(write);
      opened.context.budget.restart();
      const answer = await carryOut(opened, request, market);
      this.#ended(write, [...opened.output.rest(), ...messagesOf(opened, request, answer)], answer.failure);
    } catch (error) {
      const thrown = opened === undefined ? error : await withActiveProfile(error, opened.profile);
      if (!(thrown instanceof Failure)) throw thrown;
      const meaning = thrown.kind === 'declined' ? 'faint' : thrown.kind === 'unknown' ? 'warn' : 'bad';
      const text = this.#textOf(thrown.kind === 'declined' ? thrown.message : [thrown.message, ...thrown.hints]);
      this.#ended(write, [...(opened?.output.rest() ?? []), { text, meaning }], thrown);
    } finally {
      this.#contexts.delete(write);
      await opened?.close();
    }
  }

  /** @param messages the last one says the same as the failure, if there is one */
  #ended(write: number, messages: readonly Message[], failure: Failure | undefined): void {
    this.screened.take({ type: 'ended', write, messages });
    if (!this.screened.isOver()) return;
    if (failure !== undefined) this.#failures.push(failure);
    for (const { text } of failure === undefined ? messages : messages.slice(0, -1)) this.context.output.note(text);
  }

  /** The writes whose outcome is unknown, each with the command that settles it. */
  async unknown(): Promise<readonly string[]> {
    const { trading } = await this.#ready();
    return unknownWrites(trading.journal, trading.journal.unsettled()).map(({ clientId, operation }) => {
      const what = operation === null ? 'a write' : OPERATION_TEXT[operation];
      return `UNKNOWN  outcome of ${what}: ${this.#textOf(suggest('', 'resolve', clientId)).replace(/^: /, '')}`;
    });
  }

  async #contextFor({ kind }: ScreenAction): Promise<WriteContext> {
    if (kind !== 'cancel') return this.#open();
    const ready = await this.#ready();
    this.#standby = undefined;
    // after the request has left: it comes first
    setImmediate(() => this.#ready().catch(() => {}));
    return ready;
  }

  #ready(): Promise<WriteContext> {
    if (this.#standby === undefined) {
      const opening = this.#open();
      this.#standby = opening;
      opening.catch(() => {
        if (this.#standby === opening) this.#standby = undefined;
      });
    }
    return this.#standby;
  }

  async #open(): Promise<WriteContext> {
    const { host, globals } = this.context;
    const output = new PanelOutput(host, this.context.output, this.screened, globals.color);
    const own = { ...globals, format: 'table' as const, fields: undefined, yes: false };
    const { context, close, activeProfile } = createContext({ host, globals: own, output });
    context.session.exchange.keepStopped();
    const prompts = new PanelPrompts(host, output, this.screened);
    const asking = Object.create(context, { prompts: { value: prompts } }) as Context;
    const trading = await context.trading.open();
    await context.session.exchange.markets();
    return { context: asking, trading, output, prompts, close, profile: activeProfile };
  }

  #textOf(advice: Advice): string {
    return this.context.output.textOf(advice);
  }
}

const OPERATION_TEXT = {
  order: 'an order',
  batch: 'a batch of orders',
  cancel: 'a cancellation',
  replace: 'a replacement',
  withdraw: 'a withdrawal',
  call: 'a call',
} as const;

function carryOut({ context, trading }: WriteContext, request: ScreenAction, market: string): Promise<Answer> {
  switch (request.kind) {
    case 'cancel':
      return cancelNamed(context, trading, market, [{ id: request.order }]);
    case 'cancelAll':
      return cancelEverything(context, market);
    case 'replace': {
      const at = request.price === null ? undefined : parsePrice(request.price);
      const amount = request.amount === null ? undefined : parseAmount(request.amount);
      const changes = { at, amount, account: undefined, borrow: false, repay: false };
      return sendReplacement(context, trading, { market, reference: { id: request.order }, changes, overridden: [] });
    }
    case 'place': {
      const { side, type, amount, price } = request;
      const terms = { side, market, amount: parseAmount(amount), at: parsePrice(price), type };
      const flags = { account: 'spot' as const, borrow: false, repay: false, id: undefined, overridden: [] };
      return previewAndPlace(context, trading, { ...terms, ...flags });
    }
  }
}

interface CancelRow {
  readonly outcome: string;
  readonly id: string | null;
  readonly price: string | null;
  readonly amount: string | null;
  readonly filled: string | null;
}

/** The outcome in a line, and what failed. */
function messagesOf({ output, context }: WriteContext, request: ScreenAction, answer: Answer): Message[] {
  const { failure } = answer;
  const isCancel = !context.globals.dryRun && (request.kind === 'cancel' || request.kind === 'cancelAll');
  const text = isCancel ? cancelText(answer.data as readonly CancelRow[]) : shownText(answer);
  const outcome: Message = { text, meaning: failure === undefined ? 'good' : 'warn' };
  if (failure === undefined) return [outcome];
  return [outcome, { text: output.textOf([failure.message, ...failure.hints]), meaning: 'warn' }];
}

function cancelText(rows: readonly CancelRow[]): string {
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

/** The remarks of a write: above its question while there is one to come, and as messages after its answer. */
class PanelOutput extends Output {
  #preview: readonly string[] = [];
  #lines: { readonly text: string; readonly meaning: Meaning }[] = [];
  #isAsking = true;

  constructor(
    host: Host,
    private readonly terminal: Output,
    private readonly screened: ScreenPort,
    color: boolean,
  ) {
    // what the command prints is drawn in the panel
    const [output, errors] = [new PassThrough().resume(), new PassThrough().resume()];
    super({ ...host, output, errors }, 'table', {
      colour: color ? undefined : false,
      commandLine: (argv) => commandLine(host.arguments, argv),
    });
  }

  /** A write begins, which may ask. */
  begin(): void {
    [this.#preview, this.#lines, this.#isAsking] = [[], [], true];
  }

  /** What stands above a question. */
  takePreview(): readonly string[] {
    const { paint, width } = this.screened.screen();
    const lines = this.#lines.flatMap(({ text, meaning }) => wrapped(text, width).split('\n').map(paint[meaning]));
    this.#lines = [];
    return [...this.#preview, ...lines];
  }

  /** It was confirmed: what is said from now on concerns what is on its way. */
  confirmed(): void {
    this.#isAsking = false;
  }

  /** What was said and not shown above a question. */
  rest(): Message[] {
    return this.#lines.splice(0);
  }

  override preview(show: (screen: Screen) => string): void {
    this.#isAsking = true;
    this.#preview = show(this.screened.screen()).split('\n');
  }

  override note(advice: Advice): void {
    if (this.screened.isOver()) this.terminal.note(advice);
    else this.#remark(this.textOf(advice), 'faint');
  }

  override warn(advice: Advice): void {
    if (this.screened.isOver()) this.terminal.warn(advice);
    else this.#remark(this.textOf(advice), 'warn');
  }

  override live(): () => void {
    return () => {};
  }

  #remark(text: string, meaning: Meaning): void {
    if (this.#isAsking) this.#lines.push({ text, meaning });
    else this.screened.take({ type: 'said', message: { text, meaning } });
  }
}

/** Questions that are asked on the screen. */
class PanelPrompts extends Prompts {
  #write = 0;
  #resolve: ((confirmed: boolean) => void) | undefined;

  constructor(
    host: Host,
    private readonly output: PanelOutput,
    private readonly screened: ScreenPort,
  ) {
    super(host);
  }

  override get available(): boolean {
    return true;
  }

  begin(write: number): void {
    this.#write = write;
  }

  answer(confirmed: boolean): void {
    this.output.confirmed();
    this.#resolve?.(confirmed);
    this.#resolve = undefined;
  }

  override confirm(question: string, below?: () => string): Promise<boolean> {
    return this.#ask(question, null, below);
  }

  override confirmTyping(question: string, word: string, below?: () => string): Promise<boolean> {
    return this.#ask(question, word, below);
  }

  #ask(question: string, word: string | null, below: (() => string) | undefined): Promise<boolean> {
    if (this.screened.isOver()) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const preview = this.output.takePreview();
      this.screened.take({
        type: 'asked',
        question: { write: this.#write, question, preview, word, below: below ?? null },
      });
    });
  }
}
