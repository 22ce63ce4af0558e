import * as shape from '../../cli/shapes.js';
import { grouped } from '../../domain/decimal.js';
import { WITHDRAWAL_STATES, type Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import type { Column } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { settleCoin } from '../../trading/withdrawals/settle-records.js';
import { define } from '../command.js';
import { stateColumn } from './state-columns.js';
import { listTransfers, TRANSFER_ARGUMENTS, transferFlags } from './transfer-listing.js';

type WithdrawalRow = ReturnType<typeof withdrawalRow>;

export default define({
  summary: 'List withdrawals of a coin, newest first',
  needs: ['money'],
  arguments: TRANSFER_ARGUMENTS,
  flags: transferFlags('withdrawals'),
  examples: ['withdrawals usdt', 'withdrawals btc --page 2 --json', 'withdrawals usdt --watch'],
  output: shape.array(
    shape.object({
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
    }),
  ),
  run: (context, input) =>
    listTransfers(
      context,
      {
        what: 'withdrawals',
        verify: (coin) => tryRead(async () => settleCoin(await context.trading.open(), coin)),
        read: (client, coin, page) => client.withdrawals(coin, page),
        rowMaker: async () => withdrawalRow,
        fields: FIELDS,
        columns: columns(),
      },
      input,
    ),
});

function withdrawalRow({ id, time, processedTime, ...rest }: Withdrawal) {
  return { id, time: isoTime(time), processedTime: processedTime === null ? null : isoTime(processedTime), ...rest };
}

const FIELDS = [
  'id',
  'time',
  'processedTime',
  'coin',
  'amount',
  'fee',
  'address',
  'hash',
  'merchantOrderNo',
  'state',
  'status',
] as const;

const columns = (): readonly Column<WithdrawalRow>[] => [
  { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 6 },
  { title: 'amount', value: ({ amount }) => grouped(amount), rowKey: ({ id }) => id, align: 'decimal', importance: 9 },
  { title: 'fee', value: ({ fee }) => (fee === null ? null : grouped(fee)), align: 'decimal', importance: 4 },
  stateColumn<WithdrawalRow>(8),
  {
    title: 'processed',
    value: ({ processedTime }) => (processedTime === null ? null : localTime(Date.parse(processedTime))),
    importance: 2,
  },
  { title: 'address', value: ({ address }) => address, importance: 5 },
  { title: 'hash', value: ({ hash }) => hash, importance: 3 },
  { title: 'merchant order', value: ({ merchantOrderNo }) => merchantOrderNo, importance: 1 },
  { title: 'id', value: ({ id }) => id, importance: 7, paint: (text, _, paint) => paint.faint(text) },
];
