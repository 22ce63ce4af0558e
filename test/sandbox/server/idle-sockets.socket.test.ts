import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { stillExchange } from './fake-exchange.js';
import { get, serveInterface } from './wire.js';

const WANTED = 5_000;

/** As many as the limit of open files leaves room for: each socket here has another end in the server of this process. */
function socketCount(): number {
  const report = process.report.getReport() as unknown as { userLimits: { open_files: { soft: number | string } } };
  const { soft } = report.userLimits.open_files;
  const room = typeof soft === 'number' ? Math.floor((soft - 300) / 2) : WANTED;
  if (room < WANTED) process.stderr.write(`only ${room} idle sockets: the limit of open files is ${soft}\n`);
  return Math.min(WANTED, room);
}

/** Sockets that say nothing; every other one has had an answer and is kept alive. */
async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 100) {
    const some = Array.from({ length: Math.min(100, count - at) }, () => connect(port, '127.0.0.1'));
    sockets.push(...some);
    for (const socket of some) socket.on('error', () => undefined);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    for (const socket of some.filter((_, index) => index % 2 === 0)) {
      socket.resume();
      socket.write('GET /data/v1/markets HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
  }
  return sockets;
}

test('5,000 idle sockets do not keep the sandbox from serving others', async () => {
  const { port } = await serveInterface();
  const sockets = await openIdle(port, socketCount());
  expect(sockets.length).toBeGreaterThan(1_000);
  for (let count = 0; count < 10; count += 1) {
    expect(await get(port, '/data/v1/markets')).toContain('"btc_usdt"');
  }
  for (const socket of sockets) socket.destroy();
});

test('a request in progress is answered, however many idle sockets come after it', async () => {
  let finish = () => {};
  const durable = () =>
    new Promise<void>((resolve) => {
      finish = resolve;
    });
  const { port } = await serveInterface(stillExchange({ durable }));
  const account =
    '/api/getAccountInfo?accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&method=getAccountInfo' +
    '&sign=fa5d8d4e37caa86551b9ac740df2b14c&reqTime=1540295995557';
  const answer = get(port, account);
  const sockets = await openIdle(port, Math.min(1_500, socketCount()));
  finish();
  expect(await answer).toContain('"username":"alice"');
  for (const socket of sockets) socket.destroy();
});
