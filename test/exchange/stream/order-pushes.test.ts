import { expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import type { ExchangeStream, StreamEvent } from '../../../src/exchange/stream/events.js';
import { OrderPushes } from '../../../src/exchange/stream/order-pushes.js';
import { ORDERS, until, update } from './frames.js';
import { follow } from './support.js';

const never = new AbortController().signal;

it('reports a push, and once one that came before it was asked, without a request over HTTP', async () => {
  const { stream, exchange, requests } = await follow([ORDERS], {}, { httpReads: 'never' });
  const pushes = new OrderPushes(async () => stream);
  const peer = await exchange.peer();
  await until(() => peer.received.includes('ping'));
  const next = pushes.next(never);
  peer.send('{"channel":"push_user_incr_record","record":7}');
  peer.send('not JSON');
  peer.send(update('1', '0', 0));
  await next;
  const again = pushes.next(never);
  peer.send(update('1', '0.01', 3));
  await again;
  expect(requests()).toEqual([]);
});

it('reports no states, gaps and refusals', async () => {
  const asked = new AbortController();
  let isTold = false;
  const events = (async function* () {
    yield { type: 'state', state: 'connected' } as StreamEvent;
    yield { type: 'gap', channel: ORDERS } as StreamEvent;
    yield { type: 'refused', channel: ORDERS } as StreamEvent;
  })();
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const open = async () => {
    const stream = {
      async *[Symbol.asyncIterator]() {
        yield* events;
        ended();
      },
    };
    return stream as unknown as ExchangeStream;
  };
  const pushes = new OrderPushes(open);
  const reported = pushes.next(asked.signal).then(() => {
    isTold = !asked.signal.aborted;
  });
  await end;
  asked.abort();
  await reported;
  expect(isTold).toBe(false);
});

it('never fails: without a connection it reports nothing', async () => {
  const pushes = new OrderPushes(async () => Promise.reject(new Failure('unreachable', 'no connection')));
  const asked = new AbortController();
  const next = pushes.next(asked.signal);
  asked.abort();
  await next;
  pushes.close();
});
