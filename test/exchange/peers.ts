import type { Socket } from 'node:net';
import { type Answer, compressed, respond } from '../support/fault-server.js';

/** Writes a text again and again until the peer stops reading. */
function forEver(first: string, more: string, everyMs: number): Answer {
  return (socket: Socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(more), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

function say(text: string): Answer {
  return (socket) => void socket.write(text);
}

function withLength(body: string, length: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** Peers that never give a whole answer. */
export function endlessPeers(): Readonly<Record<string, Answer>> {
  return {
    'says nothing at all': () => undefined,
    'says 100 Continue without end': forEver('', 'HTTP/1.1 100 Continue\r\n\r\n', 20),
    'says 103 Early Hints without end': forEver('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 20),
    'sends one header after the other': forEver('HTTP/1.1 200 OK\r\n', 'X-More: 1\r\n', 20),
    'sends one byte of the body after the other': forEver('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', ' ', 20),
    'sends one chunk after the other': forEver(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
      20,
    ),
    'promises more than it sends': say(withLength('{"code":1000}', 900)),
  };
}

/** Peers that break the protocol, or end before the answer does. */
export function brokenPeers(body: string): Readonly<Record<string, Answer>> {
  return {
    'switches the protocol': say(UPGRADE),
    'switches the protocol and sends an answer': say(`${UPGRADE}${withLength(body, body.length)}`),
    'resets the connection in the middle of the body': (socket) => {
      socket.write(withLength(body.slice(0, 5), body.length));
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
    'promises less than it sends': say(withLength(body, body.length - 4)),
    'sends a header that is too long': say(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
    'sends two lengths': say(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n${body}`),
    'sends what is not compressed as compressed': respond(body, '200 OK', ['Content-Encoding: br']),
    'sends no content': respond('', '204 No Content'),
    redirects: respond(body, '307 Temporary Redirect', ['Location: /api/order']),
    'answers with a status of its own': respond(body, '299 Perhaps'),
    'answers TLS': (socket) => void socket.end(Buffer.from('1503030002022a', 'hex')),
  };
}

/** Peers whose answer is whole, in unusual forms. */
export function unusualPeers(body: string): Readonly<Record<string, Answer>> {
  return {
    'ends with trailers': say(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nX-A: 1\r\n\r\n`,
    ),
    'ends the answer with the connection': (socket) => void socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`),
    'speaks HTTP/1.0': (socket) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${body}`),
    compresses: compressed(body),
    'answers twice, which nothing asked for': say(withLength(body, body.length) + withLength('{}', 2)),
  };
}

/** Peers that send an interim answer before the whole one. */
export function interimPeers(body: string): Readonly<Record<string, Answer>> {
  const interim = (head: string): Answer => say(`HTTP/1.1 ${head}\r\n\r\n${withLength(body, body.length)}`);
  return {
    'says 100 Continue first': interim('100 Continue'),
    'says 102 Processing first': interim('102 Processing'),
    'says 103 Early Hints first': interim('103 Early Hints\r\nLink: </style.css>'),
  };
}
