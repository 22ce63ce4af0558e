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

/** A Redis until the end of the test; resolves when it is ready. */
export async function serveRedis(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', words);
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const text of child.stdout) if (String(text).includes('Ready to accept connections')) break;
  child.stdout.resume();
  return { url: `redis://127.0.0.1:${port}`, child };
}

/**
 * What passes for a Redis until the end of the test: each script gets this answer as it is, and none if it is null.
 * @param greets whether it answers what a client asks before
 */
export async function serveFalseRedis(answer: string | null, greets = true): Promise<string> {
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const [command] of text.matchAll(/\*\d+\r\n\$\d+\r\n\w+/g)) {
        if (!greets) continue;
        if (/EVAL$/i.test(command)) {
          if (answer !== null) socket.write(answer, 'latin1');
        } else socket.write(/HELLO$/i.test(command) ? '%1\r\n+server\r\n+redis\r\n' : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
