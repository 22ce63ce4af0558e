import { Server } from 'node:net';
import path from 'node:path';
import { expect } from 'vitest';
import { isOneOf, LISTENING_FILES, SYSTEM_FILES } from './parts.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Has a test file fail that opens a port, unless it may. A socket of the file system is no port. Returns what undoes it. */
export function refusePorts(): () => void {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
    const file = path.relative(ROOT, expect.getState().testPath ?? '');
    if (typeof given[0] !== 'string' && !isOneOf([...LISTENING_FILES, ...SYSTEM_FILES], file))
      throw new Error(
        `${file} opens a port: use a world, a host of this process, or a name as in test/support/parts.ts.`,
      );
    return (listen as (...given: unknown[]) => Server).apply(this, given);
  };
  return () => {
    Server.prototype.listen = listen;
  };
}
