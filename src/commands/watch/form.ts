import { bestPrices } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import { ORDER_TYPES, type Order, type OrderType, type Side } from '../../domain/order.js';
import type { Key } from '../../terminal/live/keys.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import { validated } from '../order/guided/questions.js';
import type { WatchView } from './view.js';

/** A write as the user has asked for it. */
export type ScreenAction =
  | {
      readonly kind: 'place';
      readonly side: Side;
      readonly amount: string;
      /** Empty: there is no entry, and the exits are the order. */
      readonly price: string;
      readonly type: OrderType;
      /** With one of them, it is an algo order. */
      readonly take?: string;
      readonly stop?: string;
    }
  | { readonly kind: 'replace'; readonly order: string; readonly amount: string | null; readonly price: string | null }
  | { readonly kind: 'cancel'; readonly order: string }
  | { readonly kind: 'cancelAll' };

/** The parts that are typed as text. */
export type TextField = 'amount' | 'price' | 'take' | 'stop';

export type FormField = TextField | 'type';

/** The parts of an order while they are typed. */
export interface Form {
  readonly side: Side;
  readonly amount: string;
  readonly price: string;
  readonly type: OrderType;
  /** What protects the position that it builds, or ends the amount if there is no price; empty for none. */
  readonly take: string;
  readonly stop: string;
  readonly field: FormField;
  /** The fields that were filled in for the user: what is typed into one replaces it. */
  readonly prefilled: readonly FormField[];
  /** What was wrong with it at Enter. */
  readonly wrong: string | null;
  /** The order that it replaces; null for a new one. */
  readonly replaces: Order | null;
}

/** A new order at the cursor's price, or else at the best price of the other side. */
export function orderForm({ depth, market }: WatchView, side: Side, cursor: Decimal | null): Form {
  const best = depth === undefined ? undefined : bestPrices(depth.value);
  const price = cursor ?? (side === 'buy' ? best?.ask : best?.bid) ?? null;
  const text =
    price === null ? '' : price.rescaled(Math.max(market.priceScale, price.significantScale), 'down').toString();
  return {
    side,
    amount: '',
    price: text,
    type: 'limit',
    take: '',
    stop: '',
    field: 'amount',
    prefilled: ['price'],
    wrong: null,
    replaces: null,
  };
}

/** An open order with other terms. */
export function replaceForm(order: Order): Form {
  const { side, price, amount } = order;
  const prefilled = ['price', 'amount'] as const;
  return {
    side,
    amount,
    price,
    type: 'limit',
    take: '',
    stop: '',
    field: 'price',
    prefilled,
    wrong: null,
    replaces: order,
  };
}

export function fieldsOf({ replaces }: Pick<Form, 'replaces'>): readonly FormField[] {
  return replaces === null ? ['amount', 'price', 'type', 'take', 'stop'] : ['price', 'amount'];
}

/** The form after a key, and the write that Enter asks for if the form is complete. */
export function formKey(
  form: Form,
  key: Key,
  view: WatchView,
): { readonly form: Form; readonly request?: ScreenAction } {
  const fields = fieldsOf(form);
  const at = fields.indexOf(form.field);
  const to = (step: number): Form => ({
    ...form,
    field: fields[(at + step + fields.length) % fields.length] ?? form.field,
  });
  switch (key.name) {
    case 'tab':
    case 'down':
      return { form: to(1) };
    case 'shift-tab':
    case 'up':
      return { form: to(-1) };
    case 'enter':
      return key.isAlone ? submitted(form, view) : { form };
    default:
      if (form.field === 'type') return { form: { ...form, type: nextType(form.type, key.name) } };
      return { form: typed(form, form.field, key) };
  }
}

/** The form after a key of text. What was filled in is replaced as selected text is, except that Backspace corrects its end. */
function typed(form: Form, field: TextField, key: Key): Form {
  const isReplaced = form.prefilled.includes(field) && key.name !== 'backspace';
  const text = edited(isReplaced ? '' : form[field], key);
  // a key without text changes nothing
  if (isReplaced && text === '' && key.name !== 'ctrl-u') return form;
  const prefilled = form.prefilled.filter((one) => one !== field);
  return { ...form, [field]: text, prefilled, wrong: null };
}

function nextType(type: OrderType, key: string): OrderType {
  const step = key === 'left' ? -1 : [' ', 'right'].includes(key) ? 1 : 0;
  return ORDER_TYPES[(ORDER_TYPES.indexOf(type) + step + ORDER_TYPES.length) % ORDER_TYPES.length] ?? type;
}

function submitted(form: Form, { accountProblem }: WatchView): ReturnType<typeof formKey> {
  const { side, amount, price, type, take, stop, replaces } = form;
  const optional = (text: string) => (text === '' ? undefined : parsePrice(text));
  const parts = [
    ['amount', () => void parseAmount(amount)],
    // a stop needs no price: it is the order itself then
    ['price', () => void (stop === '' ? parsePrice(price) : optional(price))],
    ['take', () => void optional(take)],
    ['stop', () => void optional(stop)],
  ] as const;
  for (const [field, read] of parts) {
    const checked = validated(read);
    if (checked !== true) return { form: { ...form, field, wrong: checked } };
  }
  if (accountProblem !== null) return { form: { ...form, wrong: accountProblem } };
  const exits = { ...(take === '' ? {} : { take }), ...(stop === '' ? {} : { stop }) };
  if (replaces === null) return { form, request: { kind: 'place', side, amount, price, type, ...exits } };
  const isSame = (left: string, right: string) => {
    const number = Decimal.parse(left);
    return number?.equals(Decimal.of(right)) === true;
  };
  const changed = {
    amount: isSame(amount, replaces.amount) ? null : amount,
    price: isSame(price, replaces.price) ? null : price,
  };
  if (changed.amount === null && changed.price === null)
    return { form: { ...form, wrong: 'Nothing would change: type another price or amount.' } };
  return { form, request: { kind: 'replace', order: replaces.id, ...changed } };
}

const LONGEST_INPUT = 60;

/** A line of text after a key. Pasted text is one line of it, whatever is in it. */
export function edited(text: string, key: Key): string {
  if (key.name === 'backspace') return [...text].slice(0, -1).join('');
  if (key.name === 'ctrl-u') return '';
  return (text + key.text.replace(/[^ -~].*/s, '')).slice(0, LONGEST_INPUT);
}
