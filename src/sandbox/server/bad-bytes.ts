import type { Duplex } from 'node:stream';
import { Refusal } from '../refusals.js';
import { CONTENT_TYPE } from './choices.js';
import { familyOf } from './families.js';

/** What the HTTP parser says of bytes that are no request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

interface Complaint {
  readonly status: string;
  readonly rule: string;
}

const COMPLAINTS: Readonly<Record<string, Complaint>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', rule: 'the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', rule: 'the request took too long' },
};
const NOT_HTTP: Complaint = { status: '400 Bad Request', rule: 'the request is not HTTP' };

/** How long the rest of a refused request is read and thrown away: closing at once would cut off the answer as well. */
const DRAIN_MILLISECONDS = 1_000;

/** Answers bytes that are no HTTP request with an error of the interface's kind, and closes the connection. */
export function answerBadBytes(error: ParserError, socket: Duplex): void {
  const { status, rule } = COMPLAINTS[error.code ?? ''] ?? NOT_HTTP;
  if (socket.writable && !socket.writableEnded) {
    socket.end(httpAnswer(status, familyOf(pathIn(error.rawPacket))(new Refusal('badParameter', rule))));
  }
  drain(socket);
}

/** CONNECT asks for a tunnel; there is none. */
export function refuseTunnel(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const refusal = new Refusal('badParameter', 'every operation is a GET');
  socket.end(httpAnswer('405 Method Not Allowed', familyOf('')(refusal)));
  drain(socket);
}

function pathIn(bytes: Buffer | undefined): string {
  const start = bytes?.subarray(0, 64).toString('latin1') ?? '';
  return /^[A-Z]{1,20} (\/\S*)/.exec(start)?.[1] ?? '';
}

function httpAnswer(status: string, body: string): string {
  const headers = `Content-Type: ${CONTENT_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}

/** A listener for data takes the connection away from the HTTP parser, which would complain about every piece again. */
function drain(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  const end = setTimeout(() => socket.destroy(), DRAIN_MILLISECONDS);
  socket.once('close', () => clearTimeout(end));
}
