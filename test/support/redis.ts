import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
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
