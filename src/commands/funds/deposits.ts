import type { Context } from '../../cli/context.js';
import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { DEPOSIT_STATES, type Deposit } from '../../domain/funds.js';
import { suggest } from '../../errors.js';
import { learnZone } from '../../exchange/bills.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import type { ExchangeZone } from '../../exchange/exchange-zone.js';
import * as origin from '../../exchange/origins.js';
import { readDepositPage, readDeposits } from '../../exchange/record-pages.js';
import { grouped } from '../../terminal/numbers.js';
import type { Column } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { quietly } from '../../trading/quietly.js';
import { answerRecords, RECORD_ARGUMENTS, RECORD_FLAGS } from './records.js';
import { stateColumn } from './states.js';

type DepositRow = ReturnType<typeof depositRow>;

export default define({
  summary: 'Deposits of a coin, newest first',
  arguments: RECORD_ARGUMENTS,
  flags: RECORD_FLAGS,
  examples: ['deposits usdt', 'deposits btc --all --csv'],
  output: shape.list(
    shape.record({
      id: shape.id('of the record', origin.DEPOSIT.id),
      time: shape.orNull(shape.time("null where the exchange's zone is not known", origin.DEPOSIT.time)),
      timeRaw: shape.orNull(shape.text('as it was sent', origin.DEPOSIT.timeRaw)),
      coin: shape.text('', origin.DEPOSIT.coin),
      amount: shape.decimal('', origin.DEPOSIT.amount),
      address: shape.orNull(shape.text('', origin.DEPOSIT.address)),
      hash: shape.orNull(shape.text('', origin.DEPOSIT.hash)),
      confirmations: shape.orNull(shape.count('', origin.DEPOSIT.confirmations)),
      internal: shape.orNull(shape.yesNo('inside the platform', origin.DEPOSIT.internal)),
      description: shape.orNull(shape.text("the exchange's words", origin.DEPOSIT.description)),
      state: shape.oneOf([...DEPOSIT_STATES, 'other'], '', origin.DEPOSIT.state),
      status: shape.count("the exchange's own code", origin.DEPOSIT.status),
    }),
  ),
  run: (context, input) =>
    answerRecords(
      context,
      {
        what: 'deposits',
        readPage: readDepositPage,
        readAll: readDeposits,
        rowMaker: (client) => rowMaker(context, client),
        fields: FIELDS,
        columns: columns(),
      },
      input,
    ),
});

/** Records carry a date without a zone, which a bill tells: where there is none, the times stay as they were sent. */
async function rowMaker({ session, output }: Context, client: ExchangeClient) {
  const zone = await session.zone();
  await quietly(() => learnZone(client, zone));
  if (zone.name === undefined) {
    const { profile } = await session.connection();
    output.note([
      "The zone of the exchange's dates is not known, so that times are as it wrote them.",
      suggest('Set it', 'profile', 'set', profile, 'zone', 'OFFSET'),
    ]);
  }
  return (deposit: Deposit) => depositRow(deposit, zone);
}

function depositRow(deposit: Deposit, zone: ExchangeZone) {
  const time = deposit.timeRaw === null ? undefined : zone.read(deposit.timeRaw);
  return { ...deposit, time: time === undefined ? null : isoTime(time) };
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
  { title: 'amount', value: ({ amount }) => grouped(amount), align: 'decimal', importance: 9 },
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
