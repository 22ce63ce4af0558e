import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { WITHDRAWAL_STATES, type Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import type { Column } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { closeCoin } from '../../trading/settling/withdrawals/reconcile-withdrawals.js';
import { define } from '../session/command.js';
import { stateColumn } from './state-columns.js';
import { listTransfers, TRANSFER_ARGUMENTS, transferFlags } from './transfer-listing.js';

const WITHDRAWAL = shape.object({
  id: shape.id('of the record'),
  time: shape.time(''),
  processedTime: shape.nullable(shape.time('')),
  coin: shape.text(''),
  amount: shape.decimal(''),
  fee: shape.nullable(shape.decimal('')),
  address: shape.nullable(shape.outsideText('')),
  hash: shape.nullable(shape.outsideText('')),
  merchantOrderNo: shape.nullable(shape.outsideText('')),
  state: shape.enumOf([...WITHDRAWAL_STATES, 'other'], ''),
  status: shape.integer("the exchange's code"),
});

type WithdrawalRow = shape.Infer<typeof WITHDRAWAL>;

export default define({
  summary: 'List withdrawals of a coin, newest first',
  arguments: TRANSFER_ARGUMENTS,
  flags: transferFlags('withdrawals'),
  examples: ['withdrawals usdt', 'withdrawals btc --page 2 --json', 'withdrawals usdt --watch'],
  output: shape.array(WITHDRAWAL),
  run: (context, input) =>
    listTransfers(
      context,
      {
        what: 'withdrawals',
        verify: (coin) => tryRead(async () => closeCoin(await context.session.trading(), coin)),
        read: (client, coin, page) => client.withdrawals({ coin }, page),
        rowMaker: async () => withdrawalRow,
        row: WITHDRAWAL,
        columns: columns(),
      },
      input,
    ),
});

function withdrawalRow({ id, time, processedTime, ...rest }: Withdrawal): WithdrawalRow {
  return { id, time: isoTime(time), processedTime: processedTime === null ? null : isoTime(processedTime), ...rest };
}

const column = fieldColumns<WithdrawalRow>(WITHDRAWAL);

const columns = (): readonly Column<WithdrawalRow>[] => [
  column('time', { importance: 6 }),
  column('amount', { rowKey: ({ id }) => id, importance: 9 }),
  column('fee', { importance: 4 }),
  stateColumn<WithdrawalRow>(8),
  column('processedTime', { title: 'processed', importance: 2 }),
  column('address', { importance: 5 }),
  column('hash', { importance: 3 }),
  column('merchantOrderNo', { title: 'merchant order', importance: 1 }),
  column('id', { importance: 7, paint: (text, _, paint) => paint.faint(text) }),
];
