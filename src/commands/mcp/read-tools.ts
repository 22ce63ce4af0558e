import * as shape from '../../cli/shapes.js';
import { GUARD_SETTINGS } from '../../config/settings.js';
import { CANDLE_TYPES } from '../../domain/candle.js';
import { SIDES } from '../../domain/order.js';
import { usage } from '../../errors.js';
import account from '../account/account.js';
import balance from '../account/balance.js';
import address from '../funds/address.js';
import bills from '../funds/bills.js';
import deposits from '../funds/deposits.js';
import withdrawals from '../funds/withdrawals.js';
import kline from '../kline/kline.js';
import fills from '../listings/fills.js';
import orders from '../listings/orders.js';
import depth from '../market/depth.js';
import markets from '../market/markets.js';
import ticker from '../market/ticker.js';
import trades from '../market/trades.js';
import { PNL_ROW } from '../pnl/rows.js';
import { choice, integer, optional, text, texts, toggle } from './parameters.js';
import { REHEARSE } from './rehearse-tool.js';
import {
  cursorOf,
  limitOf,
  pageNewestFirst,
  pageOfRows,
  positionOf,
  ROW_PARAMETERS,
  type RowPage,
} from './row-pages.js';
import type { PrintedWarning } from './run-command.js';
import { commandWords, type Tool, tool } from './tool.js';

const MARKET = text('such as btc_usdt');
const ANY_MARKET = optional(text('such as btc_usdt'));
const TIME = 'ISO 8601 (UTC), or an age: 7d';
const FROM = optional(text(TIME));
const TO = optional(text('exclusive'));

/** How far back fills are read unless the call says so: every page of orders since then. */
const USUAL_FILLS = '7d';

const NEWEST_ONLY: PrintedWarning = {
  message: 'Only the newest orders that have ended are listed.',
  hint: 'For older ones, give market and side.',
};

/** Without what is long: how the bills of each coin come about (`unexplained` says whether they add up), and the candles of prices. */
const { balances: _balances, pricedBy: _pricedBy, ...PNL_FIELDS } = PNL_ROW.properties ?? {};

/** Without how the user logs in: an agent has no use for it. */
const {
  tradePassword: _password,
  googleAuth: _google,
  mobileAuth: _mobile,
  ...ACCOUNT_FIELDS
} = account.output.properties ?? {};

/** The tools that change nothing at the exchange. Each is a command of pit, or a few. */
export const READ_TOOLS: readonly Tool[] = [
  tool({
    name: 'markets',
    title: 'Markets',
    description: 'Find the name of a market, its smallest order, and the steps of its prices and amounts.',
    parameters: {
      market: ANY_MARKET,
      base: optional(text('its markets')),
      quote: optional(text('priced in this coin')),
      ...ROW_PARAMETERS,
    },
    follows: markets,
    output: markets.output,
    effect: 'read',
    answer: async ({ given, run }) => {
      const { market, base, quote } = given;
      return pageOfRows('markets', given, await run(commandWords('markets', { base, quote }, [market])));
    },
  }),
  tool({
    name: 'tickers',
    title: 'Tickers',
    description: 'Get current prices: last price, best bid and ask, and the change over 24 hours.',
    parameters: {
      markets: optional(texts('default: all')),
      quote: optional(text('priced in this coin')),
      sort: optional(choice('largest first, or by name', 'change', 'volume', 'market')),
      ...ROW_PARAMETERS,
    },
    follows: ticker,
    output: ticker.output,
    effect: 'read',
    answer: async ({ given, run }) => {
      const { markets: named = [], quote, sort } = given;
      return pageOfRows('tickers', given, await run(commandWords('ticker', { quote, sort }, named)));
    },
  }),
  tool({
    name: 'order_book',
    title: 'Order book',
    description: 'See at which prices and amounts a market can be bought and sold right now.',
    parameters: {
      market: MARKET,
      size: optional(integer('levels per side, 1 to 50 (default: 10)')),
      merge: optional(text('group prices by this step; then 5 levels per side')),
    },
    follows: depth,
    output: depth.output,
    effect: 'read',
    answer: ({ given: { market, ...flags }, run }) => run(commandWords('depth', flags, [market])),
  }),
  tool({
    name: 'trades',
    title: 'Public trades',
    description: 'See what others have traded in a market, oldest first, 50 at most.',
    parameters: {
      market: MARKET,
      since: optional(text('the trades after the one with this id (default: the newest)')),
    },
    follows: trades,
    output: rowsIn(trades.output),
    effect: 'read',
    answer: ({ given: { market, since }, run }) => run(commandWords('trades', { since }, [market])),
  }),
  tool({
    name: 'candles',
    title: 'Candles',
    description: 'Read the past of a price: open, high, low, close and volume, oldest first.',
    parameters: {
      market: MARKET,
      type: optional(text(`${CANDLE_TYPES.join(', ')} (default: 1hour)`)),
      since: optional(text(`${TIME} (default: the newest candles)`)),
      until: TO,
      ...ROW_PARAMETERS,
    },
    follows: kline,
    output: rowsIn(kline.output),
    effect: 'read',
    answer: async ({ given, run }) => {
      const { market, type, until } = given;
      const position = positionOf('candles', given);
      const since = position === undefined ? given.since : String(position.time);
      const size = limitOf(given);
      const result = await run(commandWords('kline', { type, since, until, size: String(size) }, [market]));
      if (!Array.isArray(result.data)) return result;
      const last: { readonly time: string; readonly closed: boolean } | undefined = result.data.at(-1);
      const isOver = since === undefined || last === undefined || result.data.length < size || !last.closed;
      const next = isOver ? null : cursorOf('candles', { page: 1, time: Date.parse(last.time) + 1, skip: 0 });
      return { ...result, nextCursor: next };
    },
  }),
  tool({
    name: 'account',
    title: 'Account',
    description:
      'Use it before you plan a trade: balances, what the key may do, limits of orders, whether trading is halted, and writes with an unknown outcome.',
    parameters: {
      coins: optional(texts('default: all that are not empty')),
      in: optional(text('add values in this coin')),
    },
    output: shape.object({
      profile: shape.text('which exchange and account this is'),
      ...ACCOUNT_FIELDS,
      coins: balance.output,
      limits: shape.mapOf(shape.text(''), 'guards that refuse an order, by name'),
    }),
    effect: 'read',
    answer: async ({ given: { coins = [], in: unit }, run }) => {
      const results = await Promise.all([
        run(['account']),
        run(commandWords('balance', { in: unit }, coins)),
        run(['profile', 'show']),
      ]);
      const failed = results.find(({ error }) => error !== null);
      if (failed !== undefined) return { error: failed.error };
      const [info, balances, profile] = results;
      const { name, origins } = profile.data as ShownProfile;
      const limits = origins.filter((setting) => Object.hasOwn(GUARD_SETTINGS, setting.name));
      const data = {
        profile: name,
        ...(info.data as object),
        coins: balances.data,
        limits: Object.fromEntries(limits.map((setting) => [setting.name, setting.value])),
      };
      // both commands warn of a halt and of unknown writes
      const texts = new Set(info.warnings.map(({ message }) => message));
      const warnings = [...info.warnings, ...balances.warnings.filter(({ message }) => !texts.has(message))];
      return { data, warnings };
    },
  }),
  tool({
    name: 'orders',
    title: 'Orders',
    description: 'List your orders, newest first, or see one of them by its id or clientId.',
    parameters: {
      market: optional(text('default: those in which pit placed orders lately; needed for one order')),
      id: optional(text('')),
      clientId: optional(text('')),
      side: optional(choice('default: both; needed, with market, for orders that ended long ago', ...SIDES)),
      state: optional(choice('default: open', 'open', 'filled', 'cancelled', 'all')),
      ...ROW_PARAMETERS,
    },
    output: orders.output,
    effect: 'read',
    answer: async ({ given, run }) => {
      const { market, id, clientId, side, state } = given;
      if (id !== undefined || clientId !== undefined) {
        if (market === undefined) throw usage('One order needs market.', 'Name the market that it is in.');
        const result = await run(commandWords('order show', { id: clientId }, [market, id]));
        return { ...result, ...(result.data === undefined ? {} : { data: [result.data] }) };
      }
      const hasPages = market !== undefined && side !== undefined && state !== undefined && state !== 'open';
      if (!hasPages) {
        const result = await run(commandWords('orders', { side, state }, [market]));
        const answer = pageNewestFirst('orders', given, result, { hasPages });
        return state === undefined || state === 'open' ? answer : withWarning(answer, NEWEST_ONLY);
      }
      // a page without orders of this state is not the last one, so all are read
      const page = exchangePage('orders', given);
      const result = await run(commandWords('orders', { side, state: 'all', page }, [market]));
      const answer = pageNewestFirst('orders', given, result, { hasPages });
      if (!Array.isArray(answer.data) || state === 'all') return answer;
      return { ...answer, data: answer.data.filter((row: { readonly state: string }) => row.state === state) };
    },
  }),
  tool({
    name: 'algo_orders',
    title: 'Algo orders',
    description:
      'List algo orders, newest first, or see one by its id: state, the level at which a stop acts, what has filled, its orders. If watched is false, no stop is sent.',
    parameters: {
      id: optional(text('')),
      all: optional(toggle('also those that have ended')),
      ...ROW_PARAMETERS,
    },
    output: shape.anything,
    effect: 'read',
    answer: async ({ given, run }) => {
      const { id, all } = given;
      if (id === undefined) return pageOfRows('algo_orders', given, await run(commandWords('algo list', { all })));
      const result = await run(commandWords('algo show', {}, [id]));
      return { ...result, ...(result.data === undefined ? {} : { data: [result.data] }) };
    },
  }),
  tool({
    name: 'fills',
    title: 'Fills',
    description: 'See what your orders have bought and sold, newest first.',
    parameters: {
      market: optional(text('default: those in which pit placed orders lately')),
      from: optional(text(`${TIME} (default: ${USUAL_FILLS})`)),
      to: TO,
      ...ROW_PARAMETERS,
    },
    follows: fills,
    output: fills.output,
    effect: 'read',
    answer: async ({ given, run }) => {
      const { market, from = USUAL_FILLS, to } = given;
      const result = await run(commandWords('fills', { from, to }, [market]));
      return pageNewestFirst('fills', given, result, { hasPages: false });
    },
  }),
  tool({
    name: 'bills',
    title: 'Bills',
    description: 'Find out why a balance has changed: every change of your balances, newest first.',
    parameters: { coin: optional(text('default: all')), from: FROM, to: TO, ...ROW_PARAMETERS },
    follows: bills,
    output: rowsIn(bills.output),
    effect: 'read',
    answer: async ({ given, run }) => {
      const { coin, from, to } = given;
      const result = await run(commandWords('bills', { from, to, page: exchangePage('bills', given) }, [coin]));
      return pageNewestFirst('bills', given, result, { hasPages: true });
    },
  }),
  tool({
    name: 'transfers',
    title: 'Deposits, withdrawals, addresses',
    description:
      'Check whether coins have arrived or left, newest first, or read an address. Withdrawing is not possible here.',
    parameters: {
      kind: choice('what to list', 'deposits', 'withdrawals', 'depositAddresses', 'withdrawalAddress'),
      coin: text('such as usdt'),
      ...ROW_PARAMETERS,
    },
    output: shape.anyOf(deposits.output, withdrawals.output, address.output),
    effect: 'read',
    answer: async ({ given, run }) => {
      const { kind, coin } = given;
      if (kind === 'depositAddresses') return run(commandWords('address', {}, [coin]));
      if (kind === 'withdrawalAddress') return run(commandWords('address', { withdraw: true }, [coin]));
      const result = await run(commandWords(kind, { page: exchangePage('transfers', given) }, [coin]));
      return pageNewestFirst('transfers', given, result, { hasPages: true });
    },
  }),
  tool({
    name: 'pnl',
    title: 'Profit and loss',
    description:
      'Find out what trading has earned or lost, for each market and, in the last row, in all. It reads the whole history, which may take long at first.',
    parameters: {
      markets: optional(texts('default: all that you traded')),
      from: FROM,
      to: TO,
      method: optional(choice('which coins a sell takes (default: fifo)', 'fifo', 'lifo', 'average')),
      in: optional(text('the coin of the sums')),
      ...ROW_PARAMETERS,
    },
    output: shape.array(shape.object(PNL_FIELDS)),
    effect: 'read',
    answer: async ({ given, run }) => {
      const { markets: named = [], from, to, method, in: unit } = given;
      const result = await run(commandWords('pnl', { from, to, method, in: unit }, named));
      if (!Array.isArray(result.data)) return result;
      const data = result.data.map(({ balances: _, pricedBy: _candles, ...row }) => row);
      return pageOfRows('pnl', given, { ...result, data });
    },
  }),
  REHEARSE,
];

/** Of a command that answers with rows or, with some flag, with something else: the schema of the rows. */
function rowsIn({ anyOf: [rows] = [] }: shape.Shape): shape.Shape {
  return rows ?? shape.anything;
}

/** The page of the exchange's list that a call reads. */
function exchangePage(name: string, given: { readonly cursor?: string | undefined }): string {
  return String(positionOf(name, given)?.page ?? 1);
}

/** The part of `pit profile show` that says what limits an order. */
interface ShownProfile {
  readonly name: string;
  readonly origins: readonly { readonly name: string; readonly value: string | null }[];
}

function withWarning(answer: RowPage, warning: PrintedWarning): RowPage {
  return { ...answer, warnings: [...answer.warnings, warning] };
}
