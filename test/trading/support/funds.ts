import type { Withdrawal } from '../../../src/domain/funds.js';
import type { WithdrawTerms } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import { aWithdrawal, ScriptedExchange } from '../../support/scripted-exchange.js';
import type { TestTrading } from './trading.js';

/** An exchange with these records after the withdrawal, newest first. */
export function fundsWith(...withdrawals: readonly Withdrawal[]): ScriptedExchange {
  return new ScriptedExchange({ withdrawals: [...withdrawals] });
}

/** Records a withdrawal of 1 btc before it is sent. */
export function begin(
  trading: Pick<TestTrading, 'journal'>,
  id: string,
  terms: Partial<WithdrawTerms> = {},
  reqTime = NOW,
) {
  const { coin, amount, address } = aWithdrawal();
  const usual = { coin, amount, fee: '0.1', address: address ?? '', internal: false };
  const write = { operation: 'withdraw', terms: { ...usual, before: { record: '1' }, ...terms } } as const;
  return trading.journal.begin<'withdraw'>(write, { id, reqTime });
}

/** The record of a withdrawal of 1 btc a second after it was sent, with changes. */
export function record(id: number, changes: Partial<Withdrawal> = {}): Withdrawal {
  return aWithdrawal({ id: String(id), ...changes });
}
