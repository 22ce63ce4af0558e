import type { RequestListener } from 'node:http';
import { Failure } from '../../errors.js';
import { type Listener, listen } from '../server/index.js';
import type { SandboxFiles } from './address.js';
import { readRecord, replacePrivate } from './files.js';

/**
 * Listens on the wanted port, where 0 is any. Null prefers the port that this folder had last, so that an address that
 * someone noted, or a command got just before an idle stop, is good again after the next start.
 *
 * Throws {@link Failure} when the wanted port cannot be had.
 */
export async function listenOn(
  respond: RequestListener,
  wanted: number | null,
  files: SandboxFiles,
): Promise<Listener> {
  const listener = wanted === null ? await lastOrAny(respond, files) : await exactly(respond, wanted);
  try {
    if (listener.port !== lastPort(files)) replacePrivate(files.port, `${JSON.stringify({ port: listener.port })}\n`);
    return listener;
  } catch (error) {
    await listener.close();
    throw error;
  }
}

async function lastOrAny(respond: RequestListener, files: SandboxFiles): Promise<Listener> {
  try {
    return await listen(respond, lastPort(files));
  } catch {
    return await listen(respond, 0);
  }
}

function lastPort(files: SandboxFiles): number {
  const port = readRecord(files.port)?.port;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function exactly(respond: RequestListener, port: number): Promise<Listener> {
  try {
    return await listen(respond, port);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Failure('usage', `The sandbox cannot listen on port ${port}: ${reason}`, {
      hint: 'Choose another port, or --port 0 for any free one.',
      cause: error,
    });
  }
}
