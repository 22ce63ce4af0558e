import { isDeepStrictEqual } from 'node:util';
import { Decimal } from '../../../src/domain/decimal.js';

/** A bill of the sandbox's ledger in the documented form. */
export interface LedgerBill {
  readonly id: string;
  readonly time: string;
  readonly coin: string;
  readonly type: string;
  readonly change: string;
  readonly balance: string;
  readonly remark: string;
  readonly total: string;
  readonly timeRaw: string;
}

/** By command: checks that its output is exactly this ledger, newest first. */
export const CHECKS: Readonly<Record<string, (ledger: readonly LedgerBill[], stdout: string) => boolean>> = {
  'bills --all --json': (ledger, stdout) => isDeepStrictEqual(JSON.parse(stdout), ledger),
  'bills --all --csv': (ledger, stdout) => {
    const lines = ledger.map((bill) => Object.values(bill).join());
    return stdout === ['id,time,coin,type,change,balance,remark,total,timeRaw', ...lines, ''].join('\n');
  },
  'bills --all': (ledger, stdout) => {
    const [, ...lines] = stdout.trimEnd().split('\n');
    return isDeepStrictEqual(
      lines.map((line) => line.split(/ {2,}/)),
      ledger.map(shownCells),
    );
  },
  'bills --summary --json': (ledger, stdout) => isDeepStrictEqual(JSON.parse(stdout).map(trimmed), sums(ledger)),
};

function shownCells({ time, coin, type, change, balance, remark, id }: LedgerBill): string[] {
  const moment = time.slice(0, 19).replace('T', ' ');
  return [moment, coin, type, `${change.startsWith('-') ? '' : '+'}${grouped(change)}`, grouped(balance), remark, id];
}

function grouped(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

interface Sum {
  readonly coin: string;
  readonly type: string;
  readonly count: number;
  readonly in: string;
  readonly out: string;
  readonly net: string;
}

function trimmed({ coin, type, count, ...amounts }: Sum): Sum {
  const [came, went, net] = [amounts.in, amounts.out, amounts.net].map((amount) =>
    Decimal.of(amount).trimmed().toString(),
  );
  return { coin, type, count, in: came ?? '', out: went ?? '', net: net ?? '' };
}

/** In units of 10^-8, the smallest unit of every sandbox coin. */
function sums(ledger: readonly LedgerBill[]): Sum[] {
  const groups = new Map<string, { count: number; in: bigint; out: bigint }>();
  for (const { coin, type, change } of ledger) {
    const units = Decimal.of(change).rescaled(8, 'down').units;
    const { count, in: came, out } = groups.get(`${coin}/${type}`) ?? { count: 0, in: 0n, out: 0n };
    const isIn = units > 0n;
    groups.set(`${coin}/${type}`, { count: count + 1, in: isIn ? came + units : came, out: isIn ? out : out - units });
  }
  const plain = (units: bigint) => Decimal.fromUnits(units, 8).trimmed().toString();
  return [...groups.keys()].sort().map((key) => {
    const [coin = '', type = ''] = key.split('/');
    const { count, in: came, out } = groups.get(key) ?? { count: 0, in: 0n, out: 0n };
    return { coin, type, count, in: plain(came), out: plain(out), net: plain(came - out) };
  });
}
