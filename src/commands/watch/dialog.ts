import { Decimal, grouped } from '../../domain/decimal.js';
import { Grid } from '../../terminal/grid.js';
import type { Screen } from '../../terminal/screen.js';
import { displayWidth, safe, shortened, wholeLines, wrapped } from '../../terminal/text.js';
import { parseAmount } from '../../trading/expressions.js';
import type { GuardLimits } from '../../trading/guards/limits.js';
import { spentCoin } from '../../trading/preview/market-snapshot.js';
import { findMarkets } from '../order/guided/market-choice.js';
import { amountMeaning, parsed, priceMeaning } from '../order/guided/questions.js';
import { type Form, type FormField, fieldsOf, type TextField } from './form.js';
import { type Area, dialogBox, FRAME } from './layout.js';
import { isShownWhole, questionLines, type WriteQuestion } from './question.js';
import type { Dialog } from './state.js';
import type { WatchView } from './view.js';

interface DialogInput {
  readonly dialog: Dialog;
  readonly view: WatchView;
  readonly screen: Screen;
}

/** Painted lines, from top to bottom. */
interface Content {
  readonly title: string;
  /** Their middle is the first to give way if there is no room for all. */
  readonly lines: readonly string[];
  /** What is asked and what the user types: they stay to the end. */
  readonly asked: readonly string[];
  readonly hints: readonly string[];
}

/**
 * Draws the dialog over the panels, from the messages upwards.
 *
 * @param kept how many of the lowest rows of messages stay in sight if it needs more room
 */
export function drawDialog(grid: Grid, messages: Area, kept: number, input: DialogInput): void {
  const { screen } = input;
  const width = dialogBox(screen.width);
  const room = Math.max(1, width - FRAME.columns);
  const content = contentOf(input, room);
  const needed = content.lines.length + content.asked.length + content.hints.length + FRAME.rows;
  const more = messages.height - kept;
  const below = messages.row + Math.min(more, Math.max(0, needed - (messages.row - 1)));
  // the header stays too, unless the question needs its row and the rows below the messages
  const isTight = content.asked.length + content.hints.length + FRAME.rows >= below - 1;
  const end = isTight ? grid.height : below;
  const lines = fitting(content, Math.max(1, end - (isTight ? 0 : 1) - FRAME.rows), room);
  const area: Area = { column: 0, row: end - lines.length - FRAME.rows, width, height: lines.length + FRAME.rows };
  drawFrame(grid, area, content.title, screen);
  lines.forEach((line, index) => {
    grid.paste(2, area.row + 1 + index, line, room);
  });
}

/** What is asked stays in sight. Empty lines go first, then the middle of the lines, then the hints. */
function fitting({ lines, asked, hints }: Content, room: number, width: number): readonly string[] {
  const isTight = asked.length + hints.length >= room;
  const [shownAsked, allHints] = [asked, hints].map((all) => (isTight ? all.filter((line) => line !== '') : all));
  const shownHints = (allHints ?? []).slice(0, Math.max(0, room - (shownAsked ?? []).length));
  const input = [...(shownAsked ?? []), ...shownHints];
  const left = Math.max(0, room - input.length);
  if (lines.length <= left) return [...lines, ...input];
  const head = Math.ceil((left - 1) / 2);
  const tail = Math.max(0, left - 1 - head);
  const missing = shortestFitting(lines.length - head - tail, width);
  const shown = left === 0 ? [] : [...lines.slice(0, head), missing, ...(tail === 0 ? [] : lines.slice(-tail))];
  return [...shown, ...input].slice(0, Math.max(1, room));
}

/** Says how many lines are left out, and what helps if there is room for that. */
function shortestFitting(count: number, width: number): string {
  const short = `… ${count} more lines`;
  const long = `${short}: a taller terminal shows them`;
  return displayWidth(long) <= width ? long : short;
}

function drawFrame(grid: Grid, { column, row, width, height }: Area, title: string, { symbols }: Screen): void {
  const box = new Grid(width, height);
  const signs = symbols ? { line: '─', side: '│', corners: '┌┐└┘' } : { line: '-', side: '|', corners: '++++' };
  const [topLeft = '', topRight = '', bottomLeft = '', bottomRight = ''] = signs.corners;
  box.put(0, 0, topLeft + signs.line.repeat(Math.max(0, width - 2)) + topRight, 'label');
  box.put(0, height - 1, bottomLeft + signs.line.repeat(Math.max(0, width - 2)) + bottomRight, 'label');
  for (let line = 1; line < height - 1; line += 1) {
    box.put(0, line, signs.side, 'label');
    box.put(width - 1, line, signs.side, 'label');
  }
  box.put(2, 0, ` ${shortened(safe(title), Math.max(1, width - 6))} `, 'strong');
  grid.draw(column, row, box);
}

function contentOf(input: DialogInput, width: number): Content {
  const { dialog, screen } = input;
  const { paint } = screen;
  switch (dialog.kind) {
    case 'help':
      return {
        title: 'Keys',
        lines: helpLines(screen, width),
        asked: [paint.faint('Any key closes this.')],
        hints: [],
      };
    case 'market':
      return marketContent(dialog, screen, width);
    case 'form':
      return formContent(dialog, input, width);
    case 'preparing':
      return {
        title: 'One moment',
        lines: [],
        asked: wrapped(safe(dialog.text), width).split('\n'),
        hints: [paint.faint('Esc leaves.')],
      };
    case 'question':
      return questionContent(dialog, screen, width);
  }
}

function questionContent(dialog: WriteQuestion, screen: Screen, width: number): Content {
  const { preview, below, word, typed, isArmed } = dialog;
  const { paint } = screen;
  if (!isShownWhole(dialog, screen)) {
    const asked = wholeLines(TOO_SMALL, width).map(paint.warn);
    return { title: 'Confirm', lines: [], asked, hints: [] };
  }
  const answer = word === null ? 'y: yes   n or Enter: no' : `> ${typed}${CURSOR(screen)}`;
  const note = safe(below?.() ?? '');
  return {
    title: 'Confirm',
    lines: preview,
    // nothing is taken before it is armed: keys that come with the question cannot mean it
    asked: ['', ...questionLines(dialog, screen).map(paint.strong), isArmed ? answer : ' '],
    hints: note === '' ? [] : wrapped(note, width).split('\n').map(paint.faint),
  };
}

const TOO_SMALL = 'Too small for the question: enlarge it. Esc: no.';

const CURSOR = ({ symbols }: Screen) => (symbols ? '▏' : '_');

const HELP: readonly (readonly [string, string])[] = [
  ['up, down', 'move along the book; left, right: one tick; Esc: no price'],
  ['b, s', 'buy or sell at the marked price'],
  ['Tab', 'select the next open order; Shift-Tab: the one before'],
  ['c', 'cancel the selected order at once'],
  ['r', 'replace the selected order: other price or amount'],
  ['C', 'cancel all open orders of the market, after a question'],
  ['m', 'another market'],
  ['i, I', 'longer or shorter candles'],
  ['q, Ctrl-C', 'leave; open orders stay open'],
  ['Ctrl-Z', 'suspend; fg comes back'],
];

function helpLines({ paint }: Screen, width: number): string[] {
  const widest = Math.max(...HELP.map(([key]) => key.length));
  return HELP.flatMap(([key, what]) =>
    wrapped(what, Math.max(10, width - widest - 2))
      .split('\n')
      .map((line, index) => `${index === 0 ? paint.strong(key.padEnd(widest)) : ' '.repeat(widest)}  ${line}`),
  );
}

const MOST_MARKETS = 8;

function marketContent(dialog: Extract<Dialog, { kind: 'market' }>, screen: Screen, width: number): Content {
  const { typed, index, markets } = dialog;
  const { paint } = screen;
  const found = findMarkets(typed, markets);
  const from = Math.max(0, index - MOST_MARKETS + 1);
  const shown = found.slice(from, from + MOST_MARKETS);
  const lines = shown.map(({ market, name }, row) => {
    const text = shortened(`${market}${name === '' ? '' : `  ${safe(name)}`}`, Math.max(1, width - 2));
    return from + row === index ? paint.cursor(`> ${text}`) : `  ${text}`;
  });
  const none = found.length === 0 ? [paint.warn('No matching market.')] : [];
  const hints = wrapped('Enter shows it, Tab completes, Esc leaves.', width).split('\n').map(paint.faint);
  return { title: 'Market', lines: [...lines, ...none], asked: [`> ${typed}${CURSOR(screen)}`], hints };
}

const FIELD_NAMES: Readonly<Record<FormField, string>> = {
  amount: 'Amount',
  price: 'Price',
  type: 'Type',
  take: 'Take',
  stop: 'Stop',
};

/** What a field means that may stay empty. */
const OPTIONAL = {
  take: 'take-profit: where the position is closed with a gain',
  stop: 'ends the position there, while a process of pit watches',
} as const;

const TYPE_TEXT = {
  limit: 'limit: fills what it can, the rest waits in the book',
  postOnly: 'PostOnly: only waits in the book',
  ioc: 'IOC: fills what it can, the rest is cancelled',
} as const;

function formContent(form: Form, { view, screen }: DialogInput, width: number): Content {
  const { paint } = screen;
  const { market } = view;
  const { side, replaces, field, wrong } = form;
  const rows = fieldsOf(form).flatMap((one) => {
    const unit = one === 'amount' ? market.base : one === 'type' || form[one] === '' ? '' : market.quote;
    const [value = '', ...more] =
      one === 'type'
        ? wrapped(TYPE_TEXT[form.type], Math.max(10, width - VALUE_COLUMN)).split('\n')
        : [`${valueText(form, one, screen)} ${paint.faint(unit)}`];
    const name = FIELD_NAMES[one].padEnd(VALUE_COLUMN - 3);
    const first = one === field ? `${paint.strong(`> ${name}`)} ${value}` : `${paint.faint(`  ${name}`)} ${value}`;
    return [first, ...more.map((line) => ' '.repeat(VALUE_COLUMN) + line)];
  });
  const meant =
    field === 'take' || field === 'stop' ? { text: OPTIONAL[field], warnings: [] } : meaningLines(form, view);
  const lines = (text: string, painted: (line: string) => string) =>
    wrapped(safe(text), width)
      .split('\n')
      .filter((line) => line !== '')
      .map(painted);
  const below =
    wrong !== null
      ? lines(wrong, paint.bad)
      : [...lines(meant.text, paint.faint), ...meant.warnings.flatMap((text) => lines(text, paint.warn))];
  const title =
    replaces === null ? `${side === 'buy' ? 'Buy' : 'Sell'} ${market.base}` : `Replace order ${replaces.id}`;
  const hints = ['', ...below, ...lines('Enter checks it and asks, Tab next field, Esc leaves.', paint.faint)];
  return { title: `${title}, ${market.market}`, lines: [fundsLine(form, view)], asked: rows, hints };
}

/** Where the values of a form begin, in cells. */
const VALUE_COLUMN = 11;

/** What is typed, with its digits grouped; what was filled in is marked as selected while its field is. */
function valueText(form: Form, field: TextField, screen: Screen): string {
  const text = form[field].replace(/^\d+(?![\d,])/, grouped);
  if (form.field !== field) return text;
  const isSelected = form.prefilled.includes(field) && text !== '';
  return `${isSelected ? screen.paint.cursor(text) : text}${CURSOR(screen)}`;
}

function fundsLine({ side }: Form, { market, balances }: WatchView): string {
  const coin = spentCoin(market, side);
  const found = balances?.value.find((one) => one.coin === coin);
  return found === undefined
    ? `Available: unknown amount of ${coin}`
    : `Available: ${grouped(found.available)} ${coin}`;
}

/** No guard is lifted here, and none is announced: the question names those that hold. */
const NO_BAND: Pick<GuardLimits, 'priceBand'> = { priceBand: null };

/** What the typed amount and price would mean now. */
function meaningLines({ side, amount, price, field }: Form, { market, depth, balances }: WatchView) {
  const coin = spentCoin(market, side);
  const found = balances?.value.find((one) => one.coin === coin);
  const draft = {
    market,
    side,
    available: found === undefined ? undefined : Decimal.of(found.available),
    view: depth === undefined ? undefined : { ...depth.value, last: null },
  };
  const typed = parsed(() => parseAmount(amount));
  if (field === 'amount' || typed === undefined) return amountMeaning(amount, draft);
  return priceMeaning(price, { ...draft, amount: typed, limits: NO_BAND });
}
