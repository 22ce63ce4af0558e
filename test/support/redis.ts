import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** An unused local port. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** A Redis until the end of the test, at a port or on a socket; resolves when it is ready. */
export async function serveRedis(
  socket?: string,
  more: readonly string[] = [],
): Promise<{ url: string; child: ChildProcess }> {
  const port = socket === undefined ? await freePort() : 0;
  const place = socket === undefined ? ['--bind', '127.0.0.1'] : ['--unixsocket', socket];
  const words = ['--port', String(port), ...place, '--save', '', '--appendonly', 'no', ...more];
  const child = spawn('redis-server', words);
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const text of child.stdout) if (/ready to accept connections/i.test(String(text))) break;
  child.stdout.resume();
  return { url: socket === undefined ? `redis://127.0.0.1:${port}` : `unix:${socket}`, child };
}

/**
 * What passes for a Redis until the end of the test: each script gets this answer as it is, and none if it is null.
 * @param greets whether it answers what a client asks before
 * @param place where it listens; absent: at an unused port
 * @param onText called with what is sent to it
 */
export async function serveFalseRedis(
  answer: string | null,
  greets = true,
  place?: string | number,
  onText: (text: string) => void = () => undefined,
): Promise<string> {
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      onText(text);
      for (const [command] of text.matchAll(/\*\d+\r\n\$\d+\r\n\w+/g)) {
        if (!greets) continue;
        if (/EVAL$/i.test(command)) {
          if (answer !== null) socket.write(answer, 'latin1');
        } else socket.write(/HELLO$/i.test(command) ? '%1\r\n+server\r\n+redis\r\n' : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => {
    if (typeof place === 'string') server.listen(place, resolve);
    else server.listen(place ?? 0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  if (typeof place === 'string') return `unix:${place}`;
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
