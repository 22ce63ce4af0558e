import { bestPrices, isCrossed } from '../../domain/book.js';
import type { Candle } from '../../domain/candle.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import type { Order, Side } from '../../domain/order.js';
import { bars } from '../../terminal/bar.js';
import { changeText } from '../../terminal/cells.js';
import { type ChartArea, candleChart } from '../../terminal/charts/candle-chart.js';
import type { PriceLine } from '../../terminal/charts/price-lines.js';
import { Grid } from '../../terminal/grid.js';
import { type Freshness, freshnessText } from '../../terminal/live/freshness.js';
import type { RecentChanges } from '../../terminal/live/recent-changes.js';
import type { Meaning } from '../../terminal/palette.js';
import type { Screen } from '../../terminal/screen.js';
import { displayWidth, safe, shortened, wrapped } from '../../terminal/text.js';
import { ageText } from '../../terminal/time.js';
import { algoPanel, unwatchedNote } from './algo-panel.js';
import type { AlgoLine } from './algos.js';
import { drawDialog } from './dialog.js';
import { clockText, fillPanel, newsText } from './fills.js';
import { ladderOf, nearest, type Rung } from './ladder.js';
import { type Area, type Layout, layoutOf, mostNoteRows, type PanelName } from './layout.js';
import { Panel, scaled } from './panel.js';
import type { StatusMessage, WatchState } from './state.js';
import { openAmount, openOrders, type WatchView } from './view.js';

/** A change of a number is highlighted at that number; what only moves to another place is not. */
function accentOf({ changes, view }: FrameInput, place: string, value: string): 'fresh' | 'fading' | undefined {
  const change = changes.of(`${view.market.market} ${place}`, value);
  if (change === undefined) return undefined;
  return change.isFresh ? 'fresh' : 'fading';
}

/** What a frame is drawn from. */
export interface FrameInput {
  readonly state: WatchState;
  readonly view: WatchView;
  readonly changes: RecentChanges;
  readonly screen: Screen;
}

/** Draws the whole screen. */
export function frameOf(input: FrameInput): Grid {
  const { screen, state, view } = input;
  input.changes.begin();
  const grid = new Grid(screen.width, screen.height);
  const most = mostNoteRows(screen.height);
  const notes = shownNotes(notesOf(input, most), { width: screen.width, height: most });
  const noteRows = notes.reduce((sum, { lines }) => sum + lines.length, 0);
  const layout = layoutOf(screen.width, screen.height, noteRows, view.algos.length);
  drawHeader(grid, input);
  for (const [name, draw] of Object.entries(PANELS)) {
    const area = layout.panels[name as PanelName];
    if (area !== null) draw(area, input).drawOn(grid);
  }
  drawDivider(grid, layout, screen);
  let row = layout.keys?.row ?? screen.height;
  for (const { lines, meaning } of [...notes].reverse()) {
    row -= lines.length;
    lines.forEach((line, index) => {
      grid.put(0, row + index, line, meaning);
    });
  }
  if (layout.keys !== null) drawKeys(grid, layout.keys, input);
  const kept = notes.at(-1)?.lines.length ?? 0;
  if (state.dialog !== null) drawDialog(grid, layout.messages, kept, { dialog: state.dialog, view, screen });
  return grid;
}

const PANELS: Readonly<Record<PanelName, (area: Area, input: FrameInput) => Panel>> = {
  candles: candlePanel,
  orders: orderPanel,
  fills: todayPanel,
  algos: (area, { view, screen }) => algoPanel(area, view, screen.symbols),
  balances: balancePanel,
  ladder: ladderPanel,
  trades: tradePanel,
};

function drawDivider(grid: Grid, { panels: { ladder, candles, orders }, messages }: Layout, { symbols }: Screen): void {
  if (ladder === null || ladder.column === 0 || (candles ?? orders) === null) return;
  for (let row = 1; row < messages.row; row += 1) grid.put(ladder.column - 1, row, symbols ? '│' : '|', 'faint');
}

interface Part {
  readonly text: string;
  readonly meaning?: Meaning | undefined;
  readonly accent?: Meaning | undefined;
  /** Parts of a higher importance stay longer. */
  readonly importance: number;
}

/** The market at the left and the state of the connection at the right. What has no room is left out. */
function drawHeader(grid: Grid, input: FrameInput): void {
  const left = marketParts(input);
  const right = statusParts(input);
  let [shownLeft, shownRight] = [left, right];
  const widthOf = (parts: readonly Part[]) => parts.reduce((sum, { text }) => sum + displayWidth(text) + 2, 0);
  // nothing follows the last part
  while (widthOf(shownLeft) + widthOf(shownRight) - 2 > grid.width) {
    const all = [...shownLeft, ...shownRight];
    if (all.length <= 2) break;
    const least = Math.min(...all.map(({ importance }) => importance));
    shownLeft = shownLeft.filter(({ importance }) => importance !== least);
    shownRight = shownRight.filter(({ importance }) => importance !== least);
  }
  let column = 0;
  for (const { text, meaning, accent } of shownLeft) {
    grid.put(column, 0, text, meaning, accent);
    column += displayWidth(text) + 2;
  }
  column = Math.max(0, grid.width - widthOf(shownRight) + 2);
  for (const { text, meaning } of shownRight) {
    grid.put(column, 0, text, meaning);
    column += displayWidth(text) + 2;
  }
}

function marketParts(input: FrameInput): Part[] {
  const { view, screen } = input;
  const { market, ticker } = view;
  const price = (text: string) => scaled(Decimal.of(text), market.priceScale);
  const { last = null, change = null, high = null, low = null, volume = null } = ticker?.value ?? {};
  const stale = ticker?.isCurrent === false;
  const old = stale ? ` (${ageText(ticker.ageMs)} old)` : '';
  const sign = change === null ? 0 : (Decimal.parse(change)?.sign ?? 0);
  const meaning: Meaning | undefined = stale ? 'faint' : sign === 0 ? undefined : sign > 0 ? 'up' : 'down';
  const arrow = !screen.symbols || sign === 0 ? '' : sign > 0 ? '▲ ' : '▼ ';
  const accent = stale ? undefined : accentOf(input, 'last', last ?? '');
  return [
    { text: market.market, meaning: 'strong', importance: 10 },
    ...(last === null
      ? []
      : [{ text: `${price(last)}${old}`, meaning: meaning ?? ('strong' as const), accent, importance: 6 }]),
    ...(change === null ? [] : [{ text: `${arrow}${changeText(safe(change))}`, meaning, importance: 4 }]),
    ...(high === null ? [] : [{ text: `high ${price(high)}`, meaning: 'faint' as const, importance: 2 }]),
    ...(low === null ? [] : [{ text: `low ${price(low)}`, meaning: 'faint' as const, importance: 2 }]),
    ...(volume === null
      ? []
      : [{ text: `volume ${grouped(volume)} ${market.base}`, meaning: 'faint' as const, importance: 1 }]),
  ];
}

/** Of a halt, in the first line. */
const LONGEST_REASON = 40;

function statusParts({ view }: FrameInput): Part[] {
  const { profile, connection, halted, limitsUsed } = view;
  const age = agePart(view);
  return [
    // first: its width changes, and the rest ends at the right
    ...(age === null ? [] : [age]),
    ...(halted === null ? [] : [{ text: 'HALTED', meaning: 'bad' as const, importance: 9 }]),
    ...(halted === null || halted === ''
      ? []
      : [{ text: shortened(safe(halted), LONGEST_REASON), meaning: 'bad' as const, importance: 6 }]),
    { text: shortened(safe(profile), 20), meaning: 'label', importance: 7 },
    { ...connectionPart(connection), importance: 9 },
    ...(limitsUsed === null
      ? []
      : [
          {
            text: `limits ${limitsUsed}%`,
            meaning: limitsUsed >= 80 ? ('warn' as const) : ('faint' as const),
            importance: 5,
          },
        ]),
  ];
}

function connectionPart({ state, problem }: WatchView['connection']): Pick<Part, 'text' | 'meaning'> {
  if (state === 'connected') return { text: 'stream', meaning: 'good' };
  if (state === 'none') return { text: 'polling', meaning: 'warn' };
  if (state === 'connecting' && problem === null) return { text: 'connecting', meaning: 'faint' };
  return { text: state === 'connecting' ? 'RECONNECTING' : state.toUpperCase(), meaning: 'warn' };
}

/**
 * How old the oldest stale number is, if there is one. Otherwise how long ago the stream brought the last change or, without a
 * stream, how long ago the oldest number was read. Null before there are any.
 */
function agePart({ ticker, depth, trades, candles, orders, balances }: WatchView): Part | null {
  const known = [ticker, depth, trades, candles, orders, balances].flatMap((reading) => reading ?? []);
  const stale = known.filter(({ isCurrent }) => !isCurrent);
  if (stale.length > 0)
    return { text: `${ageText(Math.max(...stale.map(({ ageMs }) => ageMs)))} old`, meaning: 'warn', importance: 8 };
  const streamed = known.filter(({ source }) => source === 'stream');
  if (streamed.length > 0) return { text: freshnessText(byAge(streamed, Math.min)), meaning: 'faint', importance: 3 };
  if (known.length === 0) return null;
  return { text: freshnessText(byAge(known, Math.max)), meaning: 'faint', importance: 3 };
}

/** The first that is as old as the one that is chosen. */
function byAge(all: readonly Freshness[], choose: (...ages: number[]) => number): Freshness {
  const ageMs = choose(...all.map((one) => one.ageMs));
  return { ...(all[0] as Freshness), ageMs };
}

function candlePanel(area: Area, { view, state, screen }: FrameInput): Panel {
  const { candles } = view;
  const panel = new Panel(area, `Candles ${state.type}`, candles, screen.symbols);
  const all = candles?.value ?? [];
  if (all.length === 0) {
    panel.say(candles === undefined ? 'Waiting for candles.' : 'No candles yet.');
    return panel;
  }
  const label = grouped(all.at(-1)?.close ?? '').length + 3;
  const fitting = Math.max(1, Math.floor((panel.width - label) / 2));
  const lines = view.algos.flatMap((algo) => algo.lines.map((line) => priceLine(line, view.market)));
  panel.drawChart(chartOf(all, fitting, { width: panel.width, height: panel.rows, symbols: screen.symbols, lines }));
  return panel;
}

function priceLine({ what, price, side }: AlgoLine, { priceScale }: WatchView['market']): PriceLine {
  const meaning = what === 'entry' ? 'label' : what === 'take' ? 'good' : 'warn';
  return { price: Number(price.toString()), label: `${what} ${side} ${scaled(price, priceScale)}`, meaning };
}

let lastChart: { readonly candles: readonly Candle[]; readonly key: string; readonly grid: Grid } | undefined;

/** The chart of the newest candles. The last one is kept: it takes most of the time of a frame, and candles change less often. */
function chartOf(candles: readonly Candle[], count: number, area: ChartArea): Grid {
  const key = JSON.stringify([count, area]);
  if (lastChart?.candles !== candles || lastChart.key !== key)
    lastChart = { candles, key, grid: candleChart(candles.slice(-count), area) };
  return lastChart.grid;
}

function ladderPanel(area: Area, { view, state, screen }: FrameInput): Panel {
  const { market, depth } = view;
  const panel = new Panel(area, `Book ${market.base}`, depth, screen.symbols);
  if (depth === undefined) {
    panel.say('Waiting for the book.');
    return panel;
  }
  const { asks, bids } = ladderOf(view, state.cursor);
  if (asks.length + bids.length === 0) {
    panel.say('The book is empty.');
    return panel;
  }
  const upper = Math.floor((panel.rows - 1) / 2);
  const shownAsks = [...nearest(asks, upper)].reverse();
  const shownBids = nearest(bids, panel.rows - 1 - upper);
  const rungs = [...shownAsks, ...shownBids];
  const columns = ladderColumns(panel, rungs, view, screen);
  shownAsks.forEach((rung, index) => {
    drawRung(panel, upper - shownAsks.length + index, rung, columns);
  });
  const { bid, ask } = bestPrices(depth.value);
  if (bid !== null && ask !== null && isCrossed({ bid, ask })) {
    const by = bid.equals(ask) ? 'LOCKED' : `CROSSED by ${scaled(bid.minus(ask), market.priceScale)}`;
    panel.put(MARK_WIDTH, upper, by, 'warn');
  } else drawSpread(panel, upper, asks[0], bids[0], market);
  shownBids.forEach((rung, index) => {
    drawRung(panel, upper + 1 + index, rung, columns);
  });
  return panel;
}

interface LadderColumns {
  readonly priceScale: number;
  readonly amountScale: number;
  /** The columns in which prices and amounts end. */
  readonly priceEnd: number;
  readonly amountEnd: number;
  readonly bars: ReadonlyMap<Rung, string>;
  readonly screen: Screen;
}

const MARK_WIDTH = 2;

function ladderColumns(panel: Panel, rungs: readonly Rung[], { market }: WatchView, screen: Screen): LadderColumns {
  const { priceScale, amountScale } = market;
  const widest = (texts: readonly string[]) => Math.max(1, ...texts.map((text) => text.length));
  const priceEnd = MARK_WIDTH + widest(rungs.map(({ price }) => scaled(price, priceScale)));
  const amounts = rungs.map(({ amount }) => (amount === null ? '' : scaled(Decimal.of(amount), amountScale)));
  const amountEnd = priceEnd + 2 + widest(amounts);
  const room = Math.max(0, panel.width - amountEnd - 2);
  const drawn = bars(
    screen,
    rungs.map(({ total }) => total.toString()),
    room,
  );
  return {
    priceScale,
    amountScale,
    priceEnd,
    amountEnd,
    screen,
    bars: new Map(rungs.map((rung, index) => [rung, drawn[index] ?? ''])),
  };
}

function drawRung(panel: Panel, row: number, rung: Rung, columns: LadderColumns): void {
  const { price, side, amount, own, isCursor } = rung;
  const { screen, amountEnd } = columns;
  // one look for the whole line: sides keep their shapes
  const [accent, meaning] = isCursor ? (['cursor', undefined] as const) : [undefined, side];
  if (isCursor) panel.put(0, row, ' '.repeat(panel.width), undefined, accent);
  if (isCursor) panel.put(0, row, '>', 'strong', accent);
  if (own !== null) panel.put(1, row, sideMark(own.side, screen), 'strong', accent);
  else if (rung.algos.length > 0) panel.put(1, row, screen.symbols ? '◆' : '*', 'strong', accent);
  panel.putRight(columns.priceEnd, row, scaled(price, columns.priceScale), meaning, accent);
  if (amount !== null)
    panel.putRight(amountEnd, row, scaled(Decimal.of(amount), columns.amountScale), undefined, accent);
  if (amount !== null) panel.put(amountEnd + 2, row, columns.bars.get(rung) ?? '', meaning, accent);
  const text = [...(own === null ? [] : [`${own.side} ${scaled(own.amount, 0)}`]), ...rung.algos].join(' ');
  const start = amount === null ? columns.priceEnd : amountEnd;
  if (text !== '' && start + text.length + 3 <= panel.width)
    panel.putRight(panel.width, row, ` ${text}`, 'strong', accent);
}

/** The side of an own order by its shape. */
function sideMark(side: Side, { symbols }: Screen): string {
  if (!symbols) return side === 'buy' ? '+' : '-';
  return side === 'buy' ? '▲' : '▼';
}

function drawSpread(
  panel: Panel,
  row: number,
  ask: Rung | undefined,
  bid: Rung | undefined,
  market: WatchView['market'],
): void {
  if (ask?.amount == null || bid?.amount == null) return;
  const spread = ask.price.minus(bid.price);
  const mid = ask.price.plus(bid.price).times(Decimal.of('0.5'));
  const percent = mid.sign > 0 ? spread.times(Decimal.of('100')).dividedBy(mid, 4, 'up').trimmed() : Decimal.zero;
  const text = `spread ${scaled(spread, market.priceScale)} (${percent}%)`;
  const whole = `${text}  mid ${scaled(mid.trimmed(), market.priceScale)}`;
  panel.put(MARK_WIDTH, row, MARK_WIDTH + whole.length <= panel.width ? whole : text, 'faint');
}

/** More than any window shows. */
const MAX_TRADES = 100;

function tradePanel(area: Area, input: FrameInput): Panel {
  const { view, screen } = input;
  const { trades, market } = view;
  const panel = new Panel(area, 'Trades', trades, screen.symbols);
  // those without room too: a taller window does not make them new
  const known = (trades?.value ?? []).slice(-MAX_TRADES);
  const accents = new Map(known.map(({ id }) => [id, accentOf(input, `trade ${id}`, '')]));
  const newest = known.slice(-panel.rows).reverse();
  if (newest.length === 0) panel.say(trades === undefined ? 'Waiting for trades.' : 'No trades yet.');
  const prices = newest.map(({ price }) => scaled(Decimal.of(price), market.priceScale));
  const priceEnd = 12 + Math.max(0, ...prices.map((text) => text.length));
  const amounts = newest.map(({ amount }) => scaled(Decimal.of(amount), market.amountScale));
  const amountEnd = priceEnd + 2 + Math.max(0, ...amounts.map((text) => text.length));
  // below the prices of the book, if the word has room
  const start = amountEnd + 2 + OWN.length + MARK_WIDTH <= panel.width ? MARK_WIDTH : 0;
  newest.forEach(({ id, time, side }, row) => {
    const accent = accents.get(id) === 'fresh' ? 'fresh' : undefined;
    const meaning = side === 'buy' ? 'bid' : 'ask';
    panel.put(start, row, clockText(time), 'faint');
    panel.put(start + 9, row, sideMark(side, screen), meaning);
    panel.putRight(start + priceEnd, row, prices[row] ?? '', meaning, accent);
    panel.putRight(start + amountEnd, row, amounts[row] ?? '');
    if (!view.fills.ownTrades.has(id)) return;
    // without room for the word, between the time and the side
    if (amountEnd + 2 + OWN.length <= panel.width) panel.put(start + amountEnd + 2, row, OWN, 'strong');
    else panel.put(8, row, '*', 'strong');
  });
  return panel;
}

/** Marks a trade of an own order. */
const OWN = 'own';

function orderPanel(area: Area, input: FrameInput): Panel {
  const { view, state, screen } = input;
  const { orders, market, accountProblem } = view;
  const open = openOrders(view);
  const title = open.length === 0 ? 'Open orders' : `Open orders (${open.length})`;
  const panel = new Panel(area, title, orders, screen.symbols);
  if (open.length === 0) {
    const none = orders?.missing === undefined ? 'No open orders' : 'No open orders among the latest';
    panel.say(accountProblem ?? (orders === undefined ? 'Waiting for orders.' : `${none} in ${market.market}.`));
    return panel;
  }
  const at = open.findIndex(({ id }) => id === state.selected);
  // the selected order stays in sight
  const from = Math.max(0, Math.min(at - panel.rows + 1, open.length - panel.rows));
  const shown = open.slice(from, from + panel.rows);
  const texts = shown.map((order) => ({
    price: scaled(Decimal.of(order.price), market.priceScale),
    amount: scaled(openAmount(order), 0),
  }));
  const widest = (name: 'price' | 'amount') => Math.max(...texts.map((text) => text[name].length));
  const priceEnd = 10 + widest('price');
  const amountEnd = priceEnd + 2 + widest('amount');
  shown.forEach((order, row) => {
    const text = texts[row];
    if (text === undefined) return;
    const isSelected = order.id === state.selected;
    const changed = accentOf(input, `order ${order.id}`, order.filled);
    const accent = isSelected ? 'cursor' : changed;
    const side = order.side === 'buy' ? 'bid' : 'ask';
    const [meaning, faint] = isSelected ? ([undefined, undefined] as const) : ([side, 'faint'] as const);
    if (isSelected) panel.put(0, row, `>${' '.repeat(panel.width)}`, 'strong', accent);
    panel.put(2, row, `${sideMark(order.side, screen)} ${order.side}`, meaning, accent);
    panel.putRight(priceEnd, row, text.price, meaning, accent);
    panel.putRight(amountEnd, row, text.amount, undefined, accent);
    panel.put(amountEnd + 1, row, market.base, faint, accent);
    const restStart = amountEnd + 3 + market.base.length;
    const rest = restTexts(order, state.cancelling).find((words) => restStart + words.length <= panel.width);
    panel.put(restStart, row, rest ?? '', faint, accent);
  });
  return panel;
}

function todayPanel(area: Area, { view, screen }: FrameInput): Panel {
  const { fills, market, ticker } = view;
  const last = ticker?.value.last ?? null;
  return fillPanel(area, { fills, market, last: last === null ? null : Decimal.of(last), screen });
}

/** What an order's row says last, and the same in fewer words. */
function restTexts(order: Pick<Order, 'id' | 'filled' | 'amount'>, cancelling: ReadonlySet<string>): readonly string[] {
  if (cancelling.has(order.id)) return ['cancelling'];
  if (Decimal.of(order.filled).sign === 0) return [''];
  const [filled, amount] = [order.filled, order.amount].map((value) => scaled(Decimal.of(value).trimmed(), 0));
  return [`filled ${filled} of ${amount}`, `filled ${filled}`];
}

function balancePanel(area: Area, input: FrameInput): Panel {
  const { view, screen } = input;
  const { balances, market, accountProblem } = view;
  if (balances === undefined) {
    const panel = new Panel(area, 'Balances', balances, screen.symbols);
    panel.say(accountProblem ?? 'Waiting for balances.');
    return panel;
  }
  const own = [market.base, market.quote];
  const isHeld = ({ available, frozen }: { available: string; frozen: string }) =>
    Decimal.of(available).sign !== 0 || Decimal.of(frozen).sign !== 0;
  const rank = (coin: string) => (own.includes(coin) ? own.indexOf(coin) : own.length);
  const coins = balances.value
    .filter((coin) => own.includes(coin.coin) || isHeld(coin))
    .sort((left, right) => rank(left.coin) - rank(right.coin));
  const rows = area.height - 1;
  const title = coins.length > rows ? `Balances (${rows} of ${coins.length})` : 'Balances';
  const panel = new Panel(area, title, balances, screen.symbols);
  const accents = coins.map(({ coin, available, frozen }) =>
    accentOf(input, `balance ${coin}`, `${available} ${frozen}`),
  );
  const texts = coins.map(({ available }) => grouped(available));
  const nameEnd = 2 + Math.max(0, ...coins.map(({ coin }) => displayWidth(safe(coin))));
  const availableEnd = nameEnd + 1 + Math.max(0, ...texts.map((text) => text.length));
  coins.forEach(({ coin, frozen }, row) => {
    const accent = accents[row];
    panel.put(2, row, safe(coin));
    panel.putRight(availableEnd, row, texts[row] ?? '', undefined, accent);
    if (Decimal.of(frozen).sign === 0) return;
    const held = `${grouped(Decimal.of(frozen).trimmed().toString())} in orders`;
    panel.put(availableEnd + 2, row, shortened(held, Math.max(1, panel.width - availableEnd - 2)), 'faint', accent);
  });
  return panel;
}

interface Note extends StatusMessage {
  /** Those of a higher importance stay longer. */
  readonly importance: number;
}

/** The last fill, the newest outcomes, what is on its way, and last the writes whose outcome is unknown. */
function notesOf({ state, view }: FrameInput, rows: number): readonly Note[] {
  const { problem } = view.connection;
  const isCut = view.connection.state !== 'connected' && problem !== null;
  const unknown = view.unknown.slice(0, rows > 3 ? 2 : 1);
  const others = view.unknown.length - unknown.length;
  const count = others === 0 ? [] : [`${others} more writes have an unknown outcome: pit resolve`];
  const warning = (text: string): Note => ({ text, meaning: 'warn', importance: 2 });
  const unwatched = unwatchedNote(view, view.watchCommand);
  const isCutOff = view.orders?.missing !== undefined;
  const fill = newsText(view.fills);
  return [
    ...(fill === null ? [] : [{ text: fill, meaning: 'good' as const, importance: 5 }]),
    ...state.messages.map((message, index) => ({
      ...message,
      importance: index === state.messages.length - 1 ? 4 : index / state.messages.length,
    })),
    ...(isCut ? [{ ...warning(`No stream: ${problem}`), importance: 1 }] : []),
    ...state.writing.map(({ text }): Note => ({ text, meaning: 'label', importance: 3 })),
    ...(isCutOff ? [warning(`Older open orders are not shown: pit orders ${view.market.market}`)] : []),
    ...[...unknown, ...count].map(warning),
    ...(unwatched === undefined ? [] : [{ ...warning(unwatched), meaning: 'bad' as const }]),
  ];
}

interface ShownNote {
  readonly lines: readonly string[];
  readonly meaning: Meaning | undefined;
}

/** Each note with the lines that have room. What is cut loses its end, never its beginning. */
function shownNotes(notes: readonly Note[], { width, height }: Pick<Area, 'width' | 'height'>): readonly ShownNote[] {
  const ranked = [...notes].sort((left, right) => right.importance - left.importance);
  const shown = new Map<Note, ShownNote>();
  let room = height;
  ranked.forEach((note, index) => {
    if (room === 0) return;
    // a row is left for each of those that matter now
    const reserved = ranked.slice(index + 1).filter(({ importance }) => importance >= 1).length;
    const all = wrapped(safe(note.text), width).split('\n');
    const count = Math.min(all.length, Math.max(1, room - reserved));
    const cut = all.slice(count - 1).join(' ');
    const lines = count === all.length ? all : [...all.slice(0, count - 1), shortened(cut, width)];
    shown.set(note, { lines, meaning: note.meaning });
    room -= count;
  });
  return notes.flatMap((note) => shown.get(note) ?? []);
}

const KEYS: readonly (readonly [string, string])[] = [
  ['b', 'buy'],
  ['s', 'sell'],
  ['c', 'cancel'],
  ['r', 'replace'],
  ['C', 'cancel all'],
  ['Tab', 'select order'],
  ['m', 'market'],
  ['i', 'interval'],
];

function drawKeys(grid: Grid, { row, width }: Area, { screen }: FrameInput): void {
  let column = 0;
  const arrows: readonly [string, string] = [screen.symbols ? '↑↓←→' : 'arrows', 'price'];
  for (const [key, what] of [['?', 'help'], ['q', 'quit'], arrows, ...KEYS]) {
    if (key === undefined || what === undefined) return;
    if (column + displayWidth(key) + 1 + what.length > width) return;
    grid.put(column, row, key, 'strong');
    grid.put(column + displayWidth(key) + 1, row, what, 'faint');
    column += displayWidth(key) + what.length + 3;
  }
}
