import type { Passing } from '../../../support/proxy.js';
import {
  type Action,
  type Breach,
  type Evidence,
  type Fixture,
  type Judgement,
  type Kind,
  type ReportedOutcome,
  type Resolved,
  sentTwice,
} from '../action.js';
import { chosen, type Draw } from '../draw.js';
import type { Listed } from '../exchange.js';
import { isPrompt } from '../network.js';
import { documentOf } from '../program.js';
import { falseReports, type PlacementOutput, reportedOutcome } from './placing.js';
import { plain } from './terms.js';

/** A unique amount, which identifies the exchange's record. */
interface WithdrawAction extends Action {
  readonly amount: string;
  /** Whether it may be moved within the exchange: then it is not known to be unsent if no record shows it. */
  readonly internal: boolean;
}

/** The coins, and the minimum amount of a withdrawal. */
export const COINS = ['btc', 'eth', 'ltc'] as const;
type Coin = (typeof COINS)[number];
const LEAST: Readonly<Record<Coin, number>> = { btc: 0.001, eth: 0.01, ltc: 0.1 };
const DECIMALS = 8;

/** `pit withdraw`: a unique amount to the verified address. */
export const withdraw: Kind<WithdrawAction> = {
  name: 'withdraw',
  weight: 3,

  async plan(number: number, draw: Draw, { exchange }: Fixture): Promise<WithdrawAction> {
    const coin = chosen(draw, COINS);
    const internal = draw() < 0.5;
    const amount = plain((LEAST[coin] + (number + 1) * 10 ** -DECIMALS).toFixed(DECIMALS));
    const [, address = ''] = /"key":"([^"]+)"/.exec(await exchange.ask('getWithdrawAddress', { currency: coin })) ?? [];
    const flags = ['--confirm-address', address, '--safe-pwd-stdin', ...(internal ? ['--internal'] : [])];
    const words = ['withdraw', coin, amount, '--to', address, ...flags];
    return {
      ...{ number, kind: 'withdraw', market: coin, side: 'sell', words, keys: [withdrawKey(coin, amount)], timeout: 0 },
      ...{ clientId: undefined, amount, internal, input: exchange.address.safePwd },
    };
  },

  keyOf({ operation, parameters: { currency = '', amount = '' } }: Passing) {
    return operation === 'withdraw' ? withdrawKey(currency, plain(amount)) : undefined;
  },

  judge(action, evidence): Judgement {
    const output = documentOf<PlacementOutput>(evidence.run);
    const reported = reportedOutcome(evidence, output);
    const records = evidence.withdrawals.filter(({ amount }) => plain(amount) === action.amount);
    const extra = Math.max(0, records.length - 1);
    const isLate = reported === 'refused' && records.length > 0 && isDoneLater(records, evidence);
    const isPromptly = reported === 'placed' && evidence.writes.every(isPrompt) && isSeen(evidence);
    const own = warnedIn(evidence, action).filter((id) => id !== output?.id);
    const isByUser = isSettledByUser(action, evidence);
    const isUnclear = records.length > 1 || (action.internal && records.length === 0);
    const breaches = [
      ...sentTwice(action, evidence),
      ...(isByUser && !isUnclear ? (['left to the user, but was clear'] as const) : []),
      ...(isLate ? [] : falseReports(reported, output, records)),
      ...settledRightly(action, reported, records, evidence),
      ...(extra > 0 || isLate ? everReported(records, output, action, evidence) : []),
      ...(extra > 0 && isPromptly && own.length === 0
        ? (['duplicated by the network before the check, and not flagged'] as const)
        : []),
      ...(extra === 0 && !isLate && own.length > 0 ? (['reported as duplicated, but is not'] as const) : []),
    ];
    const duplicates = { duplicates: extra, prompt: isPromptly ? extra : 0, flagged: own.length };
    return { reported, ...duplicates, isLate, isSettledByUser: isByUser, breaches };
  },
};

function withdrawKey(coin: string, amount: string): string {
  return `withdraw ${amount} ${coin}`;
}

/** An unknown write must be settled in the end as the exchange has it; a killed one may lack a record if it was never sent. */
function settledRightly(
  action: WithdrawAction,
  reported: ReportedOutcome,
  records: readonly Listed[],
  evidence: Evidence,
): Breach[] {
  if (reported !== 'unknown' && reported !== 'killed') return [];
  const row = rowsOf(action, evidence).at(-1);
  if (row === undefined) {
    if (reported === 'unknown') return ['not settled'];
    return records.length > 0 ? ['lost silently'] : [];
  }
  const isRight = row.outcome === 'placed' ? records.some(({ id }) => id === row.id) : records.length === 0;
  return isRight ? [] : ['settled wrongly'];
}

/** Its final row in the journal. */
function rowsOf(action: WithdrawAction, { resolved }: Evidence): Resolved[] {
  return resolved.filter(({ operation, target }) => operation === 'withdraw' && target === action.keys[0]);
}

/** Whether pit left it to the user, who reported its outcome. */
function isSettledByUser(action: WithdrawAction, evidence: Evidence): boolean {
  const ids = new Set(rowsOf(action, evidence).map(({ clientId }) => clientId));
  return evidence.resolved.some(
    ({ clientId, timeline }) => ids.has(clientId) && timeline.some(({ event }) => event.endsWith('as the user says')),
  );
}

/** The duplicates that its own command reported. */
function warnedIn({ run, warned }: Evidence, action: WithdrawAction): readonly string[] {
  const mine = warned.filter((warning) => warning.clientId !== '' && run.stderr.includes(warning.clientId));
  return mine.filter(({ what }) => what === action.keys[0]).flatMap(({ ids }) => ids);
}

/** Whether its read of the records was undisturbed. */
function isSeen({ run, writes, listings }: Evidence): boolean {
  const since = writes[0]?.replied ?? 0;
  const reads = listings.filter(({ time }) => time >= since && time <= run.ended);
  const isUndisturbed = reads.every(({ treatment }) => treatment === 'pass');
  return isUndisturbed && !/could not (be looked up|check)/.test(run.stderr);
}

/** Every record beyond the first was reported, by its own command or a later one. */
function everReported(
  records: readonly Listed[],
  output: PlacementOutput | undefined,
  action: WithdrawAction,
  { warned }: Evidence,
): Breach[] {
  const warnings = warned.filter(({ what }) => what === action.keys[0]).flatMap(({ ids }) => ids);
  const all = [output?.id ?? '', ...warnings];
  return records.every(({ id }) => all.includes(id)) ? [] : ['duplicated by the network, and never reported'];
}

/** Whether a repetition executed after pit's last read of the records. */
function isDoneLater(records: readonly Listed[], { writes, listings, run }: Evidence): boolean {
  const replied = writes[0]?.replied ?? run.ended;
  const orderReads = listings.filter(({ time }) => time >= replied && time <= run.ended);
  const [first = replied] = orderReads.flatMap(({ executions }) => executions.map(({ begun }) => begun)).sort();
  return records.every(({ time }) => time >= first);
}
