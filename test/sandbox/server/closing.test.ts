import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/sandbox/server/http.js';

test('a server that closes does not wait for a connection that was opened ahead of a request', async () => {
  const listener = await listen((_request, response) => void response.end(), 0);
  const socket = connect(listener.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // after a while it would close all connections
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const gone = once(socket, 'close');
  await listener.close();
  await gone;
});
