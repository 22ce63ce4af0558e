import { formatAmount } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import { zonedTime } from '../../terminal/time.js';
import { type Wait, waitForOrder } from '../../trading/orders/wait.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Context } from '../session/command.js';

interface Awaited {
  readonly found: Order;
  /** Given if the order did not reach the state. */
  readonly failure: Failure | undefined;
}

/**
 * Waits for an order, and reports each change to a person at a terminal. Throws what `read` throws.
 * @param exists whether it is known that there is such an order: then a read that does not find it is repeated
 */
export async function awaitOrder(
  { output, host, globals, session }: Pick<Context, 'output' | 'host' | 'globals' | 'session'>,
  trading: TradingContext,
  market: string,
  read: () => Promise<Order>,
  wait: Wait,
  exists = false,
): Promise<Awaited> {
  session.keepSandboxStopped();
  let status = 'Waiting for the order';
  const hide = output.live(() => status);
  const removeHandler = host.onInterrupt(hide);
  const report = (order: Order) => {
    status = `Waiting for ${wait}: ${progressOf(order)}`;
    trading.reportProgress(`${zonedTime(host.now())}  ${progressOf(order)}`);
  };
  try {
    const { order, isReached } = await waitForOrder(trading, market, read, wait, report, {
      exists,
      speed: trading.client.clockSpeed,
    });
    return { found: order, failure: isReached ? undefined : notReached(order, wait, globals.timeoutMs) };
  } finally {
    hide();
    removeHandler();
  }
}

function progressOf(order: Order): string {
  return `${order.state}, ${formatAmount(order.filled)} of ${formatAmount(order.amount)} filled`;
}

function notReached(order: Order, wait: Wait, timeoutMs: number): Failure {
  if (order.state === 'cancelled')
    return new Failure('partial', `The order is cancelled and will not be ${wait}: ${progressOf(order)}.`, {
      hint: 'The output shows what has filled.',
    });
  return new Failure('partial', `The order is not ${wait} after ${timeoutMs / 1000} s: ${progressOf(order)}.`, {
    hint: 'Use --timeout to wait longer.',
  });
}
