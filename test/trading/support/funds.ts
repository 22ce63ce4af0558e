import type { WithdrawTerms } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { ageLimit } from './exchange.js';
import type { TestTrading } from './trading.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';

export type Row = Readonly<Record<string, unknown>>;

/**
 * An exchange with these records after the withdrawal, newest first.
 * @param now its initial clock, in ms since the Unix epoch
 */
export async function serveFunds(records: readonly Row[] = [], now = NOW) {
  const tooOld = ageLimit(60_000, now);
  return serveFaults({ answer: ({ target }) => tooOld(target) ?? respond(listed(records)) });
}

/** Records a withdrawal of 1 btc before it is sent. */
export function begin(
  trading: Pick<TestTrading, 'journal'>,
  id: string,
  terms: Partial<WithdrawTerms> = {},
  reqTime = NOW,
) {
  const usual = { coin: 'btc', amount: '1', fee: '0.1', address: ADDRESS, internal: false };
  const write = { operation: 'withdraw', terms: { ...usual, before: { record: '1' }, ...terms } } as const;
  return trading.journal.begin<'withdraw'>(write, { id, reqTime });
}

/** The record of a withdrawal of 1 btc a second after it was sent, with changes. */
export function record(id: number, changes: Row = {}): Row {
  const times = { submitTime: NOW + 1_000, manageTime: NOW + 1_000 };
  return {
    ...{ id, amount: 1, fees: 0.1, status: 2, toAddress: ADDRESS, merchantOrderNo: '', hash: '' },
    ...times,
    ...changes,
  };
}

/** The exchange's answer to getWithdrawRecord. */
export function listed(records: readonly Row[]): string {
  const datas = { list: records, pageIndex: 1, pageSize: 50, totalCount: records.length, totalPage: 1 };
  return JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas } });
}
