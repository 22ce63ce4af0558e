import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { DEPOSIT_STATES, type Deposit } from '../../domain/funds.js';
import { suggest } from '../../errors.js';
import type { Column } from '../../terminal/table.js';
import { isoTime, localTime } from '../../terminal/time.js';
import { type Context, define } from '../session/command.js';
import { stateColumn } from './state-columns.js';
import { listTransfers, TRANSFER_ARGUMENTS, transferFlags } from './transfer-listing.js';

const DEPOSIT = shape.object({
  id: shape.id('of the record'),
  time: shape.nullable(shape.time('null if the time zone is unknown then')),
  timeRaw: shape.nullable(shape.outsideText('as sent')),
  coin: shape.outsideText(''),
  amount: shape.decimal(''),
  address: shape.nullable(shape.outsideText('')),
  hash: shape.nullable(shape.outsideText('')),
  confirmations: shape.nullable(shape.integer('')),
  internal: shape.nullable(shape.boolean('within the exchange')),
  description: shape.nullable(shape.outsideText("the exchange's text")),
  state: shape.enumOf([...DEPOSIT_STATES, 'other'], ''),
  status: shape.integer("the exchange's code"),
});

type DepositRow = shape.Infer<typeof DEPOSIT>;

export default define({
  summary: 'List deposits of a coin, newest first',
  arguments: TRANSFER_ARGUMENTS,
  flags: transferFlags('deposits'),
  examples: ['deposits usdt', 'deposits btc --all --csv', 'deposits usdt --watch'],
  output: shape.array(DEPOSIT),
  run: (context, input) =>
    listTransfers(
      context,
      {
        what: 'deposits',
        read: (client, coin, page) => client.deposits(coin, page),
        rowMaker: () => rowMaker(context),
        row: DEPOSIT,
        columns: columns(),
      },
      input,
    ),
});

/** Dates of deposits have no time zone. Where it is unknown, they are printed as sent, with a mark, which a note explains. */
async function rowMaker({ session, output }: Context) {
  const { profile } = await session.connection();
  let isNoted = false;
  return (deposit: Deposit) => {
    if (isUncertain(deposit) && !isNoted) {
      isNoted = true;
      output.note([
        `Times marked ${UNCERTAIN} are as sent: the exchange's time zone is unknown then.`,
        suggest('Set it', 'profile', 'set', profile, 'zone', 'ZONE'),
      ]);
    }
    return depositRow(deposit);
  };
}

const UNCERTAIN = '?';

function isUncertain({ time, timeRaw }: { readonly time: unknown; readonly timeRaw: string | null }): boolean {
  return time === null && timeRaw !== null;
}

function depositRow({ id, time, ...deposit }: Deposit): DepositRow {
  return { id, time: time === null ? null : isoTime(time), ...deposit };
}

const column = fieldColumns<DepositRow>(DEPOSIT);

const columns = (): readonly Column<DepositRow>[] => [
  column('time', {
    value: ({ time, timeRaw }) => {
      if (time !== null) return localTime(Date.parse(time));
      return timeRaw === null ? null : `${timeRaw} ${UNCERTAIN}`;
    },
    importance: 6,
  }),
  column('amount', { rowKey: ({ id }) => id, importance: 9 }),
  stateColumn<DepositRow>(8),
  column('confirmations', {
    value: ({ confirmations, internal }) => (confirmations === null || internal ? null : String(confirmations)),
    align: 'right',
    importance: 5,
  }),
  column('hash', { value: ({ hash, internal }) => hash ?? (internal ? 'internal' : null), importance: 4 }),
  column('address', { importance: 2 }),
  column('id', { importance: 3, paint: (text, _, paint) => paint.faint(text) }),
];
