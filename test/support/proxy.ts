import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A request as its bytes passed. */
export interface Passing {
  /** The last segment of the path: `order`. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** When it was read, in ms since the Unix epoch. */
  readonly time: number;
  /** Once for each time that it was carried on. */
  readonly executions: Execution[];
  /** The name of its treatment. */
  treatment: string;
  /** When the client was given something, in ms since the Unix epoch; undefined while it was not. */
  replied?: number;
}

export interface Execution {
  readonly begun: number;
  ended?: number;
  /** The body of the exchange's answer. */
  answer?: string;
}

/** How a request is treated. Covers every fault of a network that repeats, loses and delays. */
export interface Treatment {
  readonly name: string;
  /** When it is forwarded, in ms after it was read, each time over a new connection; never if empty. */
  readonly forward: readonly number[];
  /** The client gets its reply after this many of them have been answered. */
  readonly awaited: number;
  readonly reply: Reply;
  /** ms to wait before it. */
  readonly pause?: number;
  /** The share of the request's bytes that the exchange gets before its connection breaks; all of them if absent. */
  readonly share?: number;
}

export type Reply =
  /** The answer to one of those that were carried on, as it came. */
  | { readonly kind: 'answer'; readonly of: number }
  /** The beginning of it (a share of its bytes), in pieces, and then the end of the connection. */
  | { readonly kind: 'part'; readonly of: number; readonly share: number; readonly pieces: number; readonly end: End }
  /** Bytes of the proxy's own. */
  | { readonly kind: 'own'; readonly bytes: string }
  /** What the proxy makes of the awaited answers, in latin1. `open`: the client may use the connection again. */
  | {
      readonly kind: 'made';
      readonly make: (answers: readonly string[]) => string | Promise<string>;
      readonly pieces?: number;
      readonly end: End | 'open';
    }
  | { readonly kind: 'nothing'; readonly end: End };

/** `never`: the connection stays open. */
export type End = 'reset' | 'close' | 'never';

export const PASS: Treatment = {
  ...{ name: 'pass', forward: [0], awaited: 1 },
  reply: { kind: 'answer', of: 0 },
};

/** The moments of a request. */
export type Moment = 'connected' | 'read' | 'answered' | 'replied';

export interface ProxyOptions {
  /** The exchange's port on this machine. */
  readonly port: number;
  readonly treat: (request: Passing) => Treatment;
  /** Called at each moment; the request of the first moment is not known yet. */
  readonly notice?: (moment: Moment, request?: Passing) => void;
}

export interface RunningProxy {
  readonly port: number;
  readonly url: string;
  /** Every request, in the order in which they were read. */
  readonly requests: readonly Passing[];
  /** Resolves when no request is held any more. */
  settled(): Promise<void>;
  /** Resolves when the programs that used it have ended, and what they sent at last has been read. */
  left(): Promise<void>;
  close(): Promise<void>;
}

/** Between two pieces of an answer that comes slowly, in ms. */
const PIECE_PAUSE = 30;

/** A proxy between pit and an exchange that applies a treatment to each request, byte for byte. */
export async function startProxy({ port: target, treat, notice }: ProxyOptions): Promise<RunningProxy> {
  const requests: Passing[] = [];
  const clients = new Set<Socket>();
  const held = new Set<Promise<unknown>>();
  const hold = (work: Promise<unknown>) => {
    held.add(work);
    void work.finally(() => held.delete(work));
  };
  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.on('error', () => undefined).on('close', () => clients.delete(client));
    notice?.('connected');
    readHeads(client, (head) => {
      const request = read(head);
      requests.push(request);
      notice?.('read', request);
      const treatment = treat(request);
      request.treatment = treatment.name;
      const { share = 1 } = treatment;
      const sent = head.slice(0, Math.ceil(head.length * share));
      const answers = treatment.forward.map((after) => carry(target, sent, after, request));
      for (const answer of answers) hold(answer);
      void reply(client, treatment, answers, () => notice?.('answered', request)).then((gave) => {
        if (!gave) return;
        request.replied = Date.now();
        notice?.('replied', request);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, requests },
    settled: async () => {
      while (held.size > 0) await Promise.all(held);
    },
    left: async () => {
      do await delay(20);
      while (clients.size > 0);
    },
    close: () => {
      for (const client of clients) client.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Gives each whole head of a request; there are no bodies here. */
function readHeads(client: Socket, take: (head: string) => void): void {
  let text = '';
  client.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
    for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
      take(text.slice(0, end + 4));
      text = text.slice(end + 4);
    }
  });
}

function read(head: string): Passing {
  const { pathname, searchParams } = new URL(head.split(' ')[1] ?? '', 'http://localhost');
  const operation = pathname.split('/').at(-1) ?? '';
  return { operation, parameters: Object.fromEntries(searchParams), time: Date.now(), executions: [], treatment: '' };
}

/** Forwards the bytes once, and returns the whole answer, or nothing without one. */
async function carry(port: number, head: string, after: number, request: Passing): Promise<string> {
  // a timer with no delay fires a millisecond late, and only slow treatments may be slow
  if (after > 0) await delay(after);
  const execution: Execution = { begun: Date.now() };
  request.executions.push(execution);
  const bytes = await exchange(port, head);
  execution.ended = Date.now();
  execution.answer = bytes.slice(bytes.indexOf('\r\n\r\n') + 4);
  return bytes;
}

function exchange(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    let bytes = '';
    const end = () => {
      upstream.destroy();
      resolve(bytes);
    };
    upstream.setEncoding('latin1').on('data', (piece: string) => {
      bytes += piece;
      if (isWhole(bytes)) end();
    });
    upstream.on('error', end).on('close', end);
    // a part of a request gets no answer
    if (head.endsWith('\r\n\r\n')) upstream.write(head, 'latin1');
    else upstream.end(head, 'latin1');
  });
}

function isWhole(bytes: string): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = bytes.slice(0, end);
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  if (length !== undefined) return bytes.length >= end + 4 + Number(length);
  return /^transfer-encoding: *chunked/im.test(head) && bytes.endsWith('0\r\n\r\n');
}

/** Replies to the client; returns whether it was still connected. */
async function reply(
  client: Socket,
  { awaited, reply: wanted, pause = 0 }: Treatment,
  answers: readonly Promise<string>[],
  answered: () => void,
): Promise<boolean> {
  const awaitedAnswers = await Promise.all(answers.slice(0, awaited));
  if (awaited > 0) answered();
  if (pause > 0) await delay(pause);
  if (client.destroyed) return false;
  if (wanted.kind === 'nothing') finish(client, wanted.end);
  else if (wanted.kind === 'own') client.end(wanted.bytes, 'latin1');
  else if (wanted.kind === 'made') {
    const bytes = await wanted.make(awaitedAnswers);
    await writePieces(client, bytes, wanted.pieces ?? 1);
    if (wanted.end !== 'open') finish(client, wanted.end);
  } else await give(client, (await answers[wanted.of]) ?? '', wanted);
  return true;
}

async function give(client: Socket, bytes: string, wanted: Extract<Reply, { kind: 'answer' | 'part' }>): Promise<void> {
  // an exchange that ended the connection itself
  if (bytes === '') return finish(client, 'close');
  if (wanted.kind === 'answer') return void client.write(bytes, 'latin1');
  await writePieces(client, bytes.slice(0, Math.floor(bytes.length * wanted.share)), wanted.pieces);
  finish(client, wanted.end);
}

async function writePieces(client: Socket, bytes: string, pieces: number): Promise<void> {
  const size = Math.ceil(bytes.length / pieces);
  for (let start = 0; start < bytes.length && !client.destroyed; start += size) {
    if (start > 0) await delay(PIECE_PAUSE);
    client.write(bytes.slice(start, start + size), 'latin1');
  }
}

function finish(client: Socket, end: End): void {
  if (end === 'reset') client.resetAndDestroy();
  else if (end === 'close') client.end();
}
