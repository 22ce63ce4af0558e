import type { Context } from '../../cli/context.js';
import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { grouped } from '../../domain/decimal.js';
import { DEPOSIT_STATES, type Deposit } from '../../domain/funds.js';
import { suggest, tryRead } from '../../errors.js';
import { learnZone } from '../../exchange/bills.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import type { ExchangeZone } from '../../exchange/exchange-zone.js';
import { readDeposits } from '../../exchange/record-pages.js';
import * as wireField from '../../exchange/wire-fields.js';
import type { Column } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { stateColumn } from './state-columns.js';
import { listTransfers, TRANSFER_ARGUMENTS, transferFlags } from './transfer-listing.js';

type DepositRow = ReturnType<typeof depositRow>;

export default define({
  summary: 'List deposits of a coin, newest first',
  arguments: TRANSFER_ARGUMENTS,
  flags: transferFlags('deposits'),
  examples: ['deposits usdt', 'deposits btc --all --csv', 'deposits usdt --watch'],
  output: shape.array(
    shape.object({
      id: shape.id('of the record', wireField.DEPOSIT.id),
      time: shape.nullable(shape.time("null if the exchange's time zone is unknown", wireField.DEPOSIT.time)),
      timeRaw: shape.nullable(shape.text('as sent', wireField.DEPOSIT.timeRaw)),
      coin: shape.text('', wireField.DEPOSIT.coin),
      amount: shape.decimal('', wireField.DEPOSIT.amount),
      address: shape.nullable(shape.text('', wireField.DEPOSIT.address)),
      hash: shape.nullable(shape.text('', wireField.DEPOSIT.hash)),
      confirmations: shape.nullable(shape.integer('', wireField.DEPOSIT.confirmations)),
      internal: shape.nullable(shape.boolean('within the exchange', wireField.DEPOSIT.internal)),
      description: shape.nullable(shape.text("the exchange's text", wireField.DEPOSIT.description)),
      state: shape.enumOf([...DEPOSIT_STATES, 'other'], '', wireField.DEPOSIT.state),
      status: shape.integer("the exchange's code", wireField.DEPOSIT.status),
    }),
  ),
  run: (context, input) =>
    listTransfers(
      context,
      {
        what: 'deposits',
        read: readDeposits,
        rowMaker: (client) => rowMaker(context, client),
        fields: FIELDS,
        columns: columns(),
      },
      input,
    ),
});

/** Dates of deposits have no time zone; a bill shows it. If it stays unknown, times are printed as sent. */
async function rowMaker({ session, output }: Context, client: ExchangeClient) {
  const zone = await session.zone();
  await tryRead(() => learnZone(client, zone));
  if (zone.name === undefined) {
    const { profile } = await session.connection();
    output.note([
      "The exchange's time zone is unknown, so times are printed as sent.",
      suggest('Set it', 'profile', 'set', profile, 'zone', 'OFFSET'),
    ]);
  }
  return (deposit: Deposit) => depositRow(deposit, zone);
}

function depositRow({ id, ...deposit }: Deposit, zone: ExchangeZone) {
  const time = deposit.timeRaw === null ? undefined : zone.read(deposit.timeRaw);
  return { id, time: time === undefined ? null : isoTime(time), ...deposit };
}

const FIELDS = [
  'id',
  'time',
  'timeRaw',
  'coin',
  'amount',
  'address',
  'hash',
  'confirmations',
  'internal',
  'description',
  'state',
  'status',
] as const;

const columns = (): readonly Column<DepositRow>[] => [
  {
    title: timeTitle(),
    value: ({ time, timeRaw }) => (time === null ? timeRaw : localTime(Date.parse(time))),
    importance: 6,
  },
  { title: 'amount', value: ({ amount }) => grouped(amount), rowKey: ({ id }) => id, align: 'decimal', importance: 9 },
  stateColumn<DepositRow>(8),
  {
    title: 'confirmations',
    value: ({ confirmations, internal }) => (confirmations === null || internal ? null : String(confirmations)),
    align: 'right',
    importance: 5,
  },
  { title: 'hash', value: ({ hash, internal }) => hash ?? (internal ? 'internal' : null), importance: 4 },
  { title: 'address', value: ({ address }) => address, importance: 2 },
  { title: 'id', value: ({ id }) => id, importance: 3, paint: (text, _, paint) => paint.faint(text) },
];
