import type { Context } from '../../cli/context.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { grouped } from '../../terminal/numbers.js';
import { zonedTime } from '../../terminal/time.js';
import type { TradingAccount } from '../../trading/account.js';
import { type Wait, waitForOrder } from '../../trading/orders/wait.js';

interface Awaited {
  readonly record: Order;
  /** Where it did not come to what was waited for. */
  readonly failure: Failure | undefined;
}

/** Waits for an order, and tells a person at a terminal of each change. Throws as the client's `read`. */
export async function awaitOrder(
  { output, host, globals }: Context,
  account: TradingAccount,
  look: () => Promise<Order>,
  wait: Wait,
): Promise<Awaited> {
  let words = 'Waiting for the order';
  const hide = output.live(() => words);
  const forget = host.onInterrupt(hide);
  const tell = (record: Order) => {
    words = `Waiting for ${wait}: ${progressOf(record)}`;
    account.tell(`${zonedTime(host.now())}  ${progressOf(record)}`);
  };
  try {
    const { record, isReached } = await waitForOrder(account, look, wait, tell);
    return { record, failure: isReached ? undefined : missed(record, wait, globals.timeoutMs) };
  } finally {
    hide();
    forget();
  }
}

function progressOf(record: Order): string {
  return `${record.state}, ${grouped(record.filled)} of ${grouped(record.amount)} filled`;
}

function missed(record: Order, wait: Wait, timeoutMs: number): Failure {
  if (record.state === 'cancelled')
    return new Failure('partial', `The order will not be ${wait} any more: ${progressOf(record)}.`, {
      hint: 'What has filled is in the output.',
    });
  return new Failure('partial', `After ${timeoutMs / 1000} s the order is not ${wait}: ${progressOf(record)}.`, {
    hint: '--timeout waits for longer.',
  });
}
