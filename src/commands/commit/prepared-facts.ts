import { factsOf, fieldsOf, type JsonOf, valuesOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { formatAmount, grouped } from '../../domain/decimal.js';
import { SIDES } from '../../domain/order.js';
import { sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import { isoTime } from '../../terminal/time.js';
import { notionalText } from '../../trading/orders/terms.js';
import { type OrderToCancel, PREPARED_KINDS, type PreparedWrite } from '../../trading/prepared/prepared-write.js';
import { ORDER_TERMS } from '../order/order-row.js';

const fact = factsOf<PreparedWrite>();

/** What a prepared write does, and what was estimated when it was prepared. */
export const PREPARED_FACTS = {
  write: fact({
    json: {
      id: [shape.text('to commit it; then the id of its record, and the client id of its order'), ({ id }) => id],
      kind: [shape.enumOf(PREPARED_KINDS, ''), ({ write }) => write.kind],
      market: [shape.text(''), ({ write }) => write.market],
      text: [shape.text('what it does'), ({ write }) => write.text],
      does: [shape.array(shape.text(''), 'of an algo order, in sentences'), ({ write }) => write.does],
    },
  }),
  places: fact({
    json: {
      places: [
        shape.array(shape.object(ORDER_TERMS), 'the orders that it places, exactly'),
        ({ write }) =>
          write.places.map(({ side, type, account, price, amount }) => {
            return { side, type, account, price, amount, notional: notionalText({ price, amount }) };
          }),
      ],
    },
  }),
  cancels: fact({
    above: cancelsTable,
    json: {
      cancels: [
        shape.array(
          shape.object({
            id: shape.id('of the order'),
            side: shape.enumOf(SIDES, ''),
            price: shape.decimal(''),
            amount: shape.decimal(''),
            filled: shape.decimal('when it was prepared'),
          }),
          'the orders that it cancels',
        ),
        ({ write }) => write.cancels,
      ],
    },
  }),
  costs: fact({
    json: {
      notional: [shape.nullable(shape.decimal('of all orders that it places')), ({ write }) => write.notional],
      fee: [shape.nullable(shape.decimal('an estimate')), ({ estimates }) => estimates.fee],
      feeCoin: [shape.nullable(shape.text('')), ({ estimates }) => estimates.feeCoin],
      spentCoin: [shape.nullable(shape.text('the coin that pays for it')), ({ estimates }) => estimates.spentCoin],
      balanceBefore: [
        shape.nullable(shape.decimal('available now, in the coin that is spent')),
        ({ estimates }) => estimates.balanceBefore,
      ],
      balanceAfter: [
        shape.nullable(shape.decimal('available with the orders open')),
        ({ estimates }) => estimates.balanceAfter,
      ],
      warnings: [shape.array(shape.text('')), ({ estimates }) => estimates.warnings],
    },
  }),
  validity: fact({
    json: {
      profile: [shape.text('that it was prepared for'), ({ profile }) => profile],
      made: [shape.time("by this machine's clock"), ({ made }) => isoTime(made)],
      expires: [shape.time('after which it cannot be committed'), ({ expires }) => isoTime(expires)],
    },
  }),
};

/** A prepared write, as programs read it. */
export const PREPARED = fieldsOf(PREPARED_FACTS);

export type PreparedRow = JsonOf<typeof PREPARED_FACTS>;

export function preparedRow(prepared: PreparedWrite): PreparedRow {
  return valuesOf(PREPARED_FACTS, prepared);
}

function cancelsTable({ write: { cancels } }: PreparedWrite, screen: Screen): string {
  return cancels.length === 0 ? '' : table(screen, CANCELS, cancels);
}

const CANCELS: readonly Column<OrderToCancel>[] = [
  { title: 'cancels', value: ({ id }) => id },
  { title: 'side', value: ({ side }) => sideText(side) },
  { title: 'price', value: ({ price }) => grouped(price), align: 'decimal' },
  { title: 'amount', value: ({ amount }) => formatAmount(amount), align: 'decimal' },
  { title: 'filled', value: ({ filled }) => formatAmount(filled), align: 'decimal' },
];
