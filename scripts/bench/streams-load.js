// The clients of streams.js, in a process of their own: open connections, subscribe, and report what came when.
import { once } from 'node:events';
import { WebSocket } from 'ws';

const AT_ONCE = 50;

/** @typedef {{ url: string, connections: number, channels: string[], step: number, milliseconds: number }} Load */

process.on('message', async (/** @type {Load} */ load) => {
  const { url, connections, channels, milliseconds } = load;
  /** How many connections got a frame, by its channel and time. */
  const frames = new Map();
  /** @type {number[]} */
  const latencies = [];
  let counting = false;
  let messages = 0;
  let bytes = 0;
  const receive = (/** @type {Buffer} */ data) => {
    if (!counting) return;
    const now = Date.now();
    messages += 1;
    bytes += data.length;
    // {"lastTime":1624524640066,"dataType":"quickDepth","channel":"btcusdt_quick_depth",…
    const start = data.toString('latin1', 0, 90);
    const time = Number(start.slice(12, 25));
    const key = start.slice(12, start.indexOf('_'));
    frames.set(key, (frames.get(key) ?? 0) + 1);
    latencies.push(now - (time - (time % load.step)));
  };
  /** @type {WebSocket[]} */
  const sockets = [];
  while (sockets.length < connections) {
    const some = Array.from({ length: Math.min(AT_ONCE, connections - sockets.length) }, () => new WebSocket(url));
    await Promise.all(some.map((socket) => once(socket, 'open')));
    for (const socket of some) {
      socket.on('message', receive);
      for (const channel of channels) socket.send(JSON.stringify({ event: 'addChannel', channel, length: '10' }));
    }
    sockets.push(...some);
  }
  process.send?.({ ready: true });
  // between two steps, so that no frame is counted on some connections only
  const settle = () => new Promise((resolve) => setTimeout(resolve, load.step * 1.8 - (Date.now() % load.step)));
  await settle();
  counting = true;
  process.send?.({ begins: true });
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  await settle();
  counting = false;
  const took = performance.now() - start;
  latencies.sort((one, other) => one - other);
  const at = (/** @type {number} */ share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const incomplete = [...frames.values()].filter((count) => count !== connections).length;
  process.send?.({
    done: { messages, bytes, took, frames: frames.size, incomplete, p50: at(0.5), p99: at(0.99), most: at(1) },
  });
  for (const socket of sockets) socket.terminate();
});
