import type { Passing } from '../../../support/proxy.js';
import {
  type Action,
  type Breach,
  doubled,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  type Resolved,
  type Said,
} from '../action.js';
import { chosen, type Draw } from '../draw.js';
import type { Listed } from '../exchange.js';
import { isPrompt } from '../network.js';
import { documentOf } from '../program.js';
import { lies, type PlacementOutput, saidOfPlacing } from './placing.js';
import { plain } from './terms.js';

/** An amount that no other withdrawal has: by it the exchange's record is found. */
interface WithdrawAction extends Action {
  readonly amount: string;
  /** Whether it may be moved within the exchange: then the bills are searched as well. */
  readonly internal: boolean;
}

/** The coins, and the least amount of a withdrawal. */
export const COINS = ['btc', 'eth', 'ltc'] as const;
type Coin = (typeof COINS)[number];
const LEAST: Readonly<Record<Coin, number>> = { btc: 0.001, eth: 0.01, ltc: 0.1 };
const DECIMALS = 8;
/** Of the coin's market against usdt: what an order may be of, too. */
const ORDER_DECIMALS: Readonly<Record<Coin, number>> = { btc: 6, eth: 5, ltc: 4 };
/** So many amounts within the exchange differ: more than are judged together. One of them and a fee are none of the others. */
const INTERNAL = 1_000;
const STEP = 7;

/** `pit withdraw`: of an amount that no other has, to the verified address. */
export const withdraw: Kind<WithdrawAction> = {
  name: 'withdraw',
  weight: 3,

  async plan(number: number, draw: Draw, { exchange }: Fixture): Promise<WithdrawAction> {
    const coin = chosen(draw, COINS);
    const internal = draw() < 0.5;
    const amount = internal
      ? plain((2 * LEAST[coin] + ((number % INTERNAL) + 1) * STEP * 10 ** -ORDER_DECIMALS[coin]).toFixed(DECIMALS))
      : plain((LEAST[coin] + (number + 1) * 10 ** -DECIMALS).toFixed(DECIMALS));
    const [, address = ''] = /"key":"([^"]+)"/.exec(await exchange.ask('getWithdrawAddress', { currency: coin })) ?? [];
    const flags = ['--confirm-address', address, '--safe-pwd-stdin', ...(internal ? ['--internal'] : [])];
    const words = ['withdraw', coin, amount, '--to', address, ...flags];
    return {
      ...{ number, kind: 'withdraw', market: coin, side: 'sell', words, keys: [withdrawKey(coin, amount)], timeout: 0 },
      ...{ clientId: undefined, amount, internal, input: exchange.address.safePwd },
    };
  },

  /** A trade of the same amount: its bill is no word about the withdrawal. */
  async beside({ market: coin, amount, internal }, { exchange, prices }): Promise<void> {
    if (!internal) return;
    const market = `${coin}_usdt`;
    const price = ((prices.get(market)?.bid ?? 0) * 0.98).toFixed(2);
    // the exchange's own faults are met here as well: then there is none this time
    await exchange.ask('order', { amount, currency: market, price, tradeType: '0' }).catch(() => undefined);
  },

  keyOf({ operation, parameters: { currency = '', amount = '' } }: Passing) {
    return operation === 'withdraw' ? withdrawKey(currency, plain(amount)) : undefined;
  },

  judge(action, evidence): Judgement {
    const told = documentOf<PlacementOutput>(evidence.run);
    const said = saidOfPlacing(evidence, told);
    const records = evidence.withdrawals.filter(({ amount }) => plain(amount) === action.amount);
    const extra = Math.max(0, records.length - 1);
    const isLate = said === 'refused' && records.length > 0 && isDoneLater(records, evidence);
    const isPromptly = said === 'placed' && evidence.writes.every(isPrompt) && isSeen(evidence);
    const own = warnedIn(evidence, action).filter((id) => id !== told?.id);
    const breaches = [
      ...doubled(action, evidence),
      ...(isLate ? [] : lies(said, told, records)),
      ...settledRightly(action, said, records, evidence),
      ...(extra > 0 || isLate ? everTold(records, told, action, evidence) : []),
      ...(extra > 0 && isPromptly && own.length === 0
        ? (['doubled by the network before the check, and not flagged'] as const)
        : []),
      ...(extra === 0 && !isLate && own.length > 0 ? (['told to be doubled, and was not'] as const) : []),
    ];
    return { said, duplicates: extra, prompt: isPromptly ? extra : 0, flagged: own.length, isLate, breaches };
  },
};

function withdrawKey(coin: string, amount: string): string {
  return `withdraw ${amount} ${coin}`;
}

/** What was unknown must be settled in the end, as the exchange has it; what was killed may have no record where it was never sent. */
function settledRightly(action: WithdrawAction, said: Said, records: readonly Listed[], evidence: Evidence): Breach[] {
  if (said !== 'unknown' && said !== 'killed') return [];
  const row = rowsOf(action, evidence).at(-1);
  if (row === undefined && isDoubtful(action, evidence)) return records.length > 0 ? ['not settled'] : [];
  if (row === undefined) {
    if (said === 'unknown') return ['not settled'];
    return records.length > 0 ? ['lost silently'] : [];
  }
  const isRight = row.outcome === 'placed' ? records.some(({ id }) => id === row.id) : records.length === 0;
  return isRight ? [] : ['settled wrongly'];
}

/** What the journal has of it in the end. */
function rowsOf(action: WithdrawAction, { resolved }: Evidence): Resolved[] {
  return resolved.filter(({ operation, target }) => operation === 'withdraw' && target === action.keys[0]);
}

/** Whether it is still open, because of the bill of something else: that has to be named. */
function isDoubtful({ internal }: WithdrawAction, { run, resolved }: Evidence): boolean {
  const row = resolved.findLast(({ outcome, clientId }) => outcome === 'unknown' && run.stderr.includes(clientId));
  const named = /bill \d+ \(Sell, [-:.TZ\d]+\) has this amount/;
  return internal && row?.timeline.some(({ event }) => named.test(event)) === true;
}

/** What its own command warned of. */
function warnedIn({ run, warned }: Evidence, action: WithdrawAction): readonly string[] {
  const mine = warned.filter((warning) => warning.clientId !== '' && run.stderr.includes(warning.clientId));
  return mine.filter(({ what }) => what === action.keys[0]).flatMap(({ ids }) => ids);
}

/** Whether its look at the records came through as they were. */
function isSeen({ run, writes, listings }: Evidence): boolean {
  const since = writes[0]?.replied ?? 0;
  const reads = listings.filter(({ time }) => time >= since && time <= run.ended);
  const isUndisturbed = reads.every(({ treatment }) => treatment === 'pass');
  return isUndisturbed && !/could not (be looked up|check)/.test(run.stderr);
}

/** Every record beyond the first was told, by its own command or a later one. */
function everTold(
  records: readonly Listed[],
  told: PlacementOutput | undefined,
  action: WithdrawAction,
  { warned }: Evidence,
): Breach[] {
  const warnings = warned.filter(({ what }) => what === action.keys[0]).flatMap(({ ids }) => ids);
  const all = [told?.id ?? '', ...warnings];
  return records.every(({ id }) => all.includes(id)) ? [] : ['doubled by the network, and never told'];
}

/** Whether a copy was done after pit had looked at the records for the last time. */
function isDoneLater(records: readonly Listed[], { writes, listings, run }: Evidence): boolean {
  const replied = writes[0]?.replied ?? run.ended;
  const looks = listings.filter(({ time }) => time >= replied && time <= run.ended);
  const [first = replied] = looks.flatMap(({ executions }) => executions.map(({ begun }) => begun)).sort();
  return records.every(({ time }) => time >= first);
}
