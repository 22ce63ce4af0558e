import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { PROTOCOL } from '../../exchange/channels/index.js';
import type { Faults } from '../faults/faults.js';
import { STREAMS } from '../server/interface-details.js';
import { SlidingLog } from '../server/limits.js';
import { FaultySender } from './faulty-sender.js';
import type { Subscription } from './feed.js';
import type { Message } from './message.js';

/** What a connection needs of the server. */
interface ConnectionOptions {
  readonly socket: Socket;
  readonly webSocket: WebSocket;
  readonly faults: Faults;
  /** Null for no limit. */
  readonly subscriptionsPerSecond: number | null;
  /** Carries out a message. */
  readonly receive: (connection: StreamConnection, text: string) => void;
}

/** Codes with which the server closes a connection: all but one are of RFC 6455. */
export const CLOSE = {
  ...{ goingAway: 1001, policy: 1008, failed: 1011, tryLater: 1013 },
  startedOver: PROTOCOL.startedOver,
} as const;

/** One client's connection. */
export class StreamConnection {
  /** By the name of the subscription on this connection. */
  readonly subscriptions = new Map<string, Subscription>();
  readonly rate: SlidingLog | undefined;
  readonly #socket: Socket;
  readonly #webSocket: WebSocket;
  #lastReceived = performance.now();
  #lastSubscribed = performance.now();
  #lastPinged = performance.now();
  readonly #faulty: FaultySender;

  constructor(options: ConnectionOptions) {
    ({ socket: this.#socket, webSocket: this.#webSocket } = options);
    const { subscriptionsPerSecond } = options;
    this.rate = subscriptionsPerSecond === null ? undefined : new SlidingLog(subscriptionsPerSecond, 1000);
    this.#faulty = new FaultySender(options.faults, {
      write: (text) => this.#webSocket.send(text),
      cut: (bytes) => this.#socket.end(bytes, () => this.#socket.destroy()),
    });
    this.#webSocket.on('close', () => this.#faulty.close());
    this.#webSocket.on('message', (data: Buffer) => {
      this.#lastReceived = performance.now();
      options.receive(this, data.toString('utf8'));
    });
    this.#webSocket.on('ping', (data: Buffer) => {
      this.#lastReceived = performance.now();
      if (!this.#faulty.isStale && this.#isReading()) this.#webSocket.pong(data);
    });
    this.#webSocket.on('pong', () => {
      this.#lastReceived = performance.now();
    });
    // ws closes the connection itself, with the code for what was wrong
    this.#webSocket.on('error', () => undefined);
  }

  /** Sends a message of a feed. */
  deliver({ isCompressed, feed }: Subscription, message: Message): void {
    this.#send(message.as(isCompressed), feed.terms.kind);
  }

  /** Answers a message. `kind` says what it is, for faults. */
  reply(text: string, kind: string): void {
    this.#send(text, kind);
  }

  /** Closes with a reason for the client. It has a moment to answer. */
  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  /** Closes a connection that cannot go on. What is still to be read would only delay it. */
  end(reason: string): void {
    this.close(CLOSE.tryLater, reason);
    this.#webSocket.terminate();
  }

  /** Closes if the client is gone or does nothing, and asks a quiet one whether it is there. */
  check(now: number): void {
    if (this.subscriptions.size > 0) this.#lastSubscribed = now;
    if (now - this.#lastReceived > STREAMS.idle) this.end('nothing was heard of the client');
    else if (now - this.#lastSubscribed > STREAMS.idle) this.close(CLOSE.policy, 'no subscription');
    else if (now - Math.max(this.#lastReceived, this.#lastPinged) > STREAMS.pingEvery) {
      this.#lastPinged = now;
      if (!this.#faulty.isStale) this.#webSocket.ping();
    }
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN;
  }

  /** Whether it is open and takes what it is sent. One that is too slow is closed, so that it cannot fill the memory. */
  #isReading(): boolean {
    if (!this.#isOpen) return false;
    if (this.#webSocket.bufferedAmount + this.#faulty.waiting <= STREAMS.waiting) return true;
    this.close(CLOSE.tryLater, 'it reads too slowly');
    return false;
  }

  #send(text: string, kind: string): void {
    if (!this.#isReading()) return;
    if (this.#faulty.isIdle) this.#webSocket.send(text);
    else this.#faulty.send(text, kind);
  }
}
