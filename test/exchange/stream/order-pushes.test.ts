import { expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import type { ExchangeStream, StreamEvent } from '../../../src/exchange/stream/events.js';
import { OrderPushStreams } from '../../../src/exchange/stream/order-pushes.js';
import { ORDERS, until, update } from './frames.js';
import { follow } from './support.js';

const never = new AbortController().signal;

it('reports a push, and once one that came before it was asked, without a request over HTTP', async () => {
  const { stream, exchange, requests } = await follow([ORDERS], {}, { reads: 'never' });
  const pushes = new OrderPushStreams(async () => stream).of('btc_usdt');
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
  expect([pushes.order('1'), pushes.order('2')]).toEqual([expect.objectContaining({ filled: '0.01' }), undefined]);
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
  const pushes = new OrderPushStreams(open).of('btc_usdt');
  const reported = pushes.next(asked.signal).then(() => {
    isTold = !asked.signal.aborted;
  });
  await end;
  asked.abort();
  await reported;
  expect(isTold).toBe(false);
});

it('never fails: without a connection it reports nothing', async () => {
  const open = async () => Promise.reject(new Failure('unreachable', 'no connection'));
  const pushes = new OrderPushStreams(open).of('btc_usdt');
  const asked = new AbortController();
  const next = pushes.next(asked.signal);
  asked.abort();
  await next;
  pushes.close();
});

it('opens one stream for all that wait for a market, wakes each of them, and closes it with the last', async () => {
  const opened: { readonly market: string; readonly signal: AbortSignal; push: () => void }[] = [];
  const streams = new OrderPushStreams(async (market, signal) => {
    const stream = { market, signal, push: () => {} };
    opened.push(stream);
    async function* events() {
      for (;;) {
        await new Promise<void>((resolve) => {
          stream.push = resolve;
        });
        yield { type: 'data', channel: ORDERS } as unknown as StreamEvent;
      }
    }
    return events() as unknown as ExchangeStream;
  });
  const [one, other, elsewhere] = [streams.of('btc_usdt'), streams.of('btc_usdt'), streams.of('eth_usdt')];
  expect(opened.map(({ market }) => market)).toEqual(['btc_usdt', 'eth_usdt']);
  await new Promise(setImmediate);
  const woken = Promise.all([one.next(never), other.next(never)]);
  opened[0]?.push();
  await woken;
  one.close();
  elsewhere.close();
  expect(opened.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  other.close();
  expect(opened[0]?.signal.aborted).toBe(true);
  streams.of('btc_usdt').close();
  expect(opened).toHaveLength(3);
});
