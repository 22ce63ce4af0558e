import { CANDLE_TYPES, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order, Side } from '../../domain/order.js';
import type { Key } from '../../terminal/live/keys.js';
import type { Meaning } from '../../terminal/palette.js';
import { findMarkets, type Searchable } from '../order/guided/market-choice.js';
import { edited, type Form, formKey, orderForm, replaceForm, type ScreenAction } from './form.js';
import { movedCursor, steppedCursor } from './ladder.js';
import { isShownWhole, type WriteQuestion } from './question.js';
import { openOrders, type WatchView } from './view.js';

/** What the user has chosen on the screen, and what became of it. */
export interface WatchState {
  readonly type: CandleType;
  /** The price that orders are placed at. */
  readonly cursor: Decimal | null;
  /** The id of an open order. */
  readonly selected: string | null;
  readonly dialog: Dialog | null;
  /** Questions that wait until another dialog is closed. */
  readonly waiting: readonly WriteQuestion[];
  /** Writes that were confirmed and have no outcome yet. */
  readonly writing: readonly Writing[];
  /** The ids of orders whose cancellation is on its way. */
  readonly cancelling: ReadonlySet<string>;
  /** Newest last. */
  readonly messages: readonly StatusMessage[];
  /** The number of the last write. */
  readonly lastWrite: number;
}

interface Writing {
  readonly id: number;
  readonly text: string;
  /** The order that it cancels. */
  readonly cancels: string | null;
}

export interface StatusMessage {
  readonly text: string;
  readonly meaning: Meaning | undefined;
}

export type Dialog =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'market';
      readonly typed: string;
      readonly index: number;
      readonly markets: readonly Searchable[];
    }
  | ({ readonly kind: 'form' } & Form)
  /** A write is being worked out; the question follows. */
  | { readonly kind: 'preparing'; readonly write: number; readonly text: string }
  | WriteQuestion;

export type WatchEvent =
  | { readonly type: 'key'; readonly key: Key }
  /** The list of markets to choose from. */
  | { readonly type: 'markets'; readonly markets: readonly Searchable[] }
  /** Another market is shown from now on. */
  | { readonly type: 'market'; readonly market: Market }
  | { readonly type: 'asked'; readonly question: Omit<WriteQuestion, 'kind' | 'typed' | 'isArmed'> }
  /** The question of this write may be answered now. */
  | { readonly type: 'armed'; readonly write: number }
  | { readonly type: 'said'; readonly message: StatusMessage }
  /** A write has an outcome, or was not sent. */
  | { readonly type: 'ended'; readonly write: number; readonly messages: readonly StatusMessage[] };

export type Effect =
  | { readonly do: 'quit' }
  | { readonly do: 'listMarkets' }
  | { readonly do: 'market'; readonly market: string }
  | { readonly do: 'interval'; readonly type: CandleType }
  | { readonly do: 'write'; readonly write: number; readonly request: ScreenAction; readonly market: string }
  /** Null: the question was left. */
  | { readonly do: 'answer'; readonly write: number; readonly confirmed: boolean };

export interface Reaction {
  readonly state: WatchState;
  readonly effects: readonly Effect[];
}

const MAX_MESSAGES = 20;

export function initialState(type: CandleType): WatchState {
  return {
    type,
    cursor: null,
    selected: null,
    dialog: null,
    waiting: [],
    writing: [],
    cancelling: new Set<string>(),
    messages: [],
    lastWrite: 0,
  };
}

/** What an event does to the state, and what is to be done in the world. */
export function react(state: WatchState, event: WatchEvent, view: WatchView): Reaction {
  const { state: next, effects } = reactionTo(state, event, view);
  const [question, ...waiting] = next.waiting;
  if (next.dialog !== null || question === undefined) return { state: next, effects };
  return { state: { ...next, dialog: question, waiting }, effects };
}

function reactionTo(state: WatchState, event: WatchEvent, view: WatchView): Reaction {
  switch (event.type) {
    case 'key':
      return state.dialog === null ? mainKey(state, event.key, view) : dialogKey(state, state.dialog, event.key, view);
    case 'markets':
      if (state.dialog !== null) return stay(state);
      return stay({ ...state, dialog: marketDialog(event.markets, view) });
    case 'market':
      return stay({ ...state, cursor: null, selected: null });
    case 'asked':
      return asked(state, { ...event.question, kind: 'question', typed: '', isArmed: false });
    case 'armed':
      if (state.dialog?.kind !== 'question' || state.dialog.write !== event.write) return stay(state);
      return stay({ ...state, dialog: { ...state.dialog, isArmed: true } });
    case 'said':
      return stay(saying(state, event.message));
    case 'ended':
      return stay(ended(state, event));
  }
}

/** Begins at the market that is shown, so that Enter changes nothing. */
function marketDialog(markets: readonly Searchable[], { market }: WatchView): Dialog {
  const index = findMarkets('', markets).findIndex((one) => one.market === market.market);
  return { kind: 'market', typed: '', index: Math.max(0, index), markets };
}

function stay(state: WatchState): Reaction {
  return { state, effects: [] };
}

function saying(state: WatchState, ...messages: readonly StatusMessage[]): WatchState {
  return { ...state, messages: [...state.messages, ...messages].slice(-MAX_MESSAGES) };
}

function warning(state: WatchState, text: string): Reaction {
  return stay(saying(state, { text, meaning: 'warn' }));
}

/** A question whose dialog was left is answered with no. One that comes again waits until no other dialog is open. */
function asked(state: WatchState, question: WriteQuestion): Reaction {
  const { dialog, writing, waiting } = state;
  const isOwn = dialog?.kind === 'preparing' && dialog.write === question.write;
  if (isOwn) return stay({ ...state, dialog: question });
  const { write } = question;
  if (!writing.some(({ id }) => id === write)) return { state, effects: [{ do: 'answer', write, confirmed: false }] };
  return stay({ ...state, writing: writing.filter(({ id }) => id !== write), waiting: [...waiting, question] });
}

function ended(state: WatchState, { write, messages }: Extract<WatchEvent, { type: 'ended' }>): WatchState {
  const { dialog } = state;
  const isAbout = dialog?.kind === 'preparing' || dialog?.kind === 'question' ? dialog.write === write : false;
  const cancels = state.writing.find(({ id }) => id === write)?.cancels;
  const cancelling = new Set([...state.cancelling].filter((order) => order !== cancels));
  return saying(
    {
      ...state,
      dialog: isAbout ? null : dialog,
      writing: state.writing.filter(({ id }) => id !== write),
      waiting: state.waiting.filter((question) => question.write !== write),
      cancelling,
    },
    ...messages,
  );
}

function mainKey(state: WatchState, key: Key, view: WatchView): Reaction {
  switch (key.name) {
    case 'q':
      return quit(state);
    case '?':
    case 'f1':
      return stay({ ...state, dialog: { kind: 'help' } });
    case 'up':
    case 'down':
      return stay({ ...state, cursor: movedCursor(view, state.cursor, key.name) });
    case 'right':
    case 'left':
      return stay({ ...state, cursor: steppedCursor(view, state.cursor, key.name === 'right' ? 1 : -1) });
    case 'escape':
      return stay({ ...state, cursor: null, selected: null });
    case 'tab':
    case 'shift-tab':
      return stay(selecting(state, view, key.name === 'tab' ? 1 : -1));
    case 'm':
      return { state, effects: [{ do: 'listMarkets' }] };
    case 'i':
    case 'I':
      return nextInterval(state, key.name === 'i' ? 1 : -1);
    case 'b':
    case 's':
      return openOrderForm(state, view, key.name === 'b' ? 'buy' : 'sell');
    case 'r':
      return openReplaceForm(state, view);
    case 'c':
      return cancelSelected(state, key, view);
    case 'C':
      return cancelAll(state, view);
    default:
      return stay(state);
  }
}

function quit(state: WatchState): Reaction {
  const [first] = state.writing;
  const isWarned = state.messages.at(-1)?.text === LEAVING;
  if (first === undefined || isWarned) return { state, effects: [{ do: 'quit' }] };
  return warning(state, LEAVING);
}

const LEAVING = 'A write is on its way. Press q again to wait for its outcome without this screen.';

function nextInterval(state: WatchState, step: 1 | -1): Reaction {
  const index = CANDLE_TYPES.indexOf(state.type) + step;
  const type = CANDLE_TYPES[Math.min(CANDLE_TYPES.length - 1, Math.max(0, index))] ?? state.type;
  return type === state.type ? stay(state) : { state: { ...state, type }, effects: [{ do: 'interval', type }] };
}

/** The next open order, with the cursor at its price. */
function selecting(state: WatchState, view: WatchView, step: 1 | -1): WatchState {
  const open = openOrders(view);
  if (open.length === 0) return { ...state, selected: null };
  const at = open.findIndex(({ id }) => id === state.selected);
  const next = at === -1 ? (step === 1 ? 0 : open.length - 1) : (at + step + open.length) % open.length;
  const order = open[next] as Order;
  return { ...state, selected: order.id, cursor: Decimal.of(order.price) };
}

function selectedOrder(state: WatchState, view: WatchView): Order | undefined {
  return openOrders(view).find(({ id }) => id === state.selected);
}

function openOrderForm(state: WatchState, view: WatchView, side: Side): Reaction {
  if (view.accountProblem !== null) return warning(state, view.accountProblem);
  return stay({ ...state, dialog: { kind: 'form', ...orderForm(view, side, state.cursor) } });
}

function openReplaceForm(state: WatchState, view: WatchView): Reaction {
  const order = selectedOrder(state, view);
  if (order === undefined) return warning(state, 'No order is selected: select one with Tab, then replace it.');
  const parent = view.algos.find(({ orders }) => orders.includes(order.id));
  if (parent !== undefined)
    return warning(
      state,
      `Order ${order.id} cannot be replaced: it belongs to algo order ${parent.id}. Cancel that, and place a new one.`,
    );
  return stay({ ...state, dialog: { kind: 'form', ...replaceForm(order) } });
}

function cancelSelected(state: WatchState, key: Key, view: WatchView): Reaction {
  // several keys at once were typed ahead or pasted
  if (!key.isAlone) return stay(state);
  const order = selectedOrder(state, view);
  if (order === undefined)
    return warning({ ...state, selected: null }, 'No order is selected: select one with Tab, then cancel it.');
  if (state.cancelling.has(order.id)) return warning(state, `Order ${order.id} is being cancelled already.`);
  const next = { ...state, selected: null, cancelling: new Set([...state.cancelling, order.id]) };
  return writing(next, view, { kind: 'cancel', order: order.id }, `Cancelling order ${order.id}.`);
}

function cancelAll(state: WatchState, view: WatchView): Reaction {
  if (view.accountProblem !== null) return warning(state, view.accountProblem);
  const write = state.lastWrite + 1;
  return {
    state: {
      ...state,
      lastWrite: write,
      dialog: { kind: 'preparing', write, text: `Reading the open orders of ${view.market.market}.` },
    },
    effects: [{ do: 'write', write, request: { kind: 'cancelAll' }, market: view.market.market }],
  };
}

/** A write that asks nothing. */
function writing(state: WatchState, view: WatchView, request: ScreenAction, text: string): Reaction {
  const id = state.lastWrite + 1;
  const cancels = request.kind === 'cancel' ? request.order : null;
  return {
    state: { ...state, lastWrite: id, writing: [...state.writing, { id, text, cancels }] },
    effects: [{ do: 'write', write: id, request, market: view.market.market }],
  };
}

function dialogKey(state: WatchState, dialog: Dialog, key: Key, view: WatchView): Reaction {
  switch (dialog.kind) {
    case 'help':
      return stay({ ...state, dialog: null });
    case 'market':
      return marketKey(state, dialog, key);
    case 'form':
      return formReaction(state, dialog, key, view);
    case 'preparing':
      return key.name === 'escape' ? stay({ ...state, dialog: null }) : stay(state);
    case 'question':
      return questionKey(state, dialog, key, view);
  }
}

function marketKey(state: WatchState, dialog: Extract<Dialog, { kind: 'market' }>, key: Key): Reaction {
  const { typed, index, markets } = dialog;
  const found = findMarkets(typed, markets);
  const change = (changes: Partial<typeof dialog>): Reaction => stay({ ...state, dialog: { ...dialog, ...changes } });
  if (key.name === 'escape') return stay({ ...state, dialog: null });
  if (key.name === 'up') return change({ index: Math.max(0, index - 1) });
  if (key.name === 'down') return change({ index: Math.min(found.length - 1, index + 1) });
  if (key.name === 'tab') return change({ typed: found[index]?.market ?? typed, index: 0 });
  if (key.name !== 'enter') return change({ typed: edited(typed, key), index: 0 });
  const chosen = found[index];
  if (chosen === undefined) return stay(state);
  return { state: { ...state, dialog: null }, effects: [{ do: 'market', market: chosen.market }] };
}

function formReaction(
  state: WatchState,
  dialog: Extract<Dialog, { kind: 'form' }>,
  key: Key,
  view: WatchView,
): Reaction {
  if (key.name === 'escape') return stay({ ...state, dialog: null });
  const { form, request } = formKey(dialog, key, view);
  if (request === undefined) return stay({ ...state, dialog: { kind: 'form', ...form } });
  const write = state.lastWrite + 1;
  return {
    state: { ...state, lastWrite: write, dialog: { kind: 'preparing', write, text: 'Checking the order.' } },
    effects: [{ do: 'write', write, request, market: view.market.market }],
  };
}

/** `Sending: place this order`, once the question about it is answered. */
function sendingText(question: string): string {
  return `Sending: ${question.charAt(0).toLowerCase()}${question.slice(1).replace(/\?.*$/, '')}`;
}

function questionKey(state: WatchState, dialog: WriteQuestion, key: Key, { window }: WatchView): Reaction {
  const { write, word, typed, isArmed, question } = dialog;
  const answer = (confirmed: boolean): Reaction => ({
    state: {
      ...state,
      dialog: null,
      writing: confirmed
        ? [...state.writing, { id: write, text: sendingText(question), cancels: null }]
        : state.writing,
    },
    effects: [{ do: 'answer', write, confirmed }],
  });
  if (key.name === 'escape') return answer(false);
  if (!isArmed || key.name === 'paste' || !isShownWhole(dialog, window)) return stay(state);
  if (word === null) {
    if (key.name === 'y' || key.name === 'Y') return key.isAlone ? answer(true) : stay(state);
    return ['n', 'N', 'enter'].includes(key.name) ? answer(false) : stay(state);
  }
  if (key.name === 'enter') return answer(key.isAlone && typed === word);
  return stay({ ...state, dialog: { ...dialog, typed: edited(typed, key) } });
}
