import type { Faults } from '../faults/faults.js';
import type { StreamFault, StreamRule } from '../faults/rules.js';

/** What an exchange in trouble may send: half a message, a page of a proxy, other JSON, control characters. */
const GARBAGE = [
  '{"asks":[[31000.5,0.1],[3100',
  '<html><head><title>502 Bad Gateway</title></head></html>',
  '{"channel":7,"data":{"constructor":null},"dataType":[],"ticker":"","record":{}}',
  '\u001b[2J\u001b]0;x\u0007\u0000\u202e',
  'null',
] as const;

/** How a connection sends. */
interface Wire {
  /** Sends a text as a frame. */
  readonly write: (text: string) => void;
  /** Sends bytes and breaks the connection. */
  readonly cut: (bytes: Buffer) => void;
}

interface Delayed {
  readonly text: string;
  /** When it may leave, by the performance clock. */
  readonly at: number;
}

/** Sends the frames of one connection with the faults that are active. */
export class FaultySender {
  readonly #faults: Faults;
  readonly #wire: Wire;

  #isSilent = false;
  readonly #silentChannels = new Set<string>();
  /** The frame that waits for the next one. */
  #held: string | undefined;
  readonly #delayed: Delayed[] = [];
  #delayedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #garbage = 0;

  constructor(faults: Faults, wire: Wire) {
    this.#faults = faults;
    this.#wire = wire;
  }

  /** Whether frames pass unchanged. */
  get isIdle(): boolean {
    return this.#faults.rules.noneForStreams && !this.#hasState;
  }

  /** Whether nothing at all is sent on this connection any more. */
  get isStale(): boolean {
    return this.#isSilent;
  }

  /** Bytes that a delay holds back. */
  get waiting(): number {
    return this.#delayedBytes;
  }

  /** `channel` is the name of a channel, or what the frame is otherwise, such as `pong`. */
  send(text: string, channel: string): void {
    if (this.#isSilent || this.#silentChannels.has(channel)) return;
    // only one frame waits for the next: a second one would just be sent
    const rule = this.#faults.matchFrame(channel, this.#held === undefined ? undefined : 'stream-reorder');
    if (rule === undefined) this.#pass(text);
    else this.#carryOut[rule.kind](text, channel, rule);
  }

  /** What each fault does to a frame. */
  readonly #carryOut: Readonly<Record<StreamFault, (text: string, channel: string, rule: StreamRule) => void>> = {
    'stream-drop': () => undefined,
    'stream-delay': (text, _, { delay }) => this.#pass(text, 1, delay),
    'stream-duplicate': (text) => this.#pass(text, 2),
    'stream-reorder': (text) => {
      this.#held = text;
    },
    'stream-cut': (text) => this.#wire.cut(halfFrame(text)),
    'stream-stale': (_, channel, { operation }) => {
      if (operation === null) this.#isSilent = true;
      else this.#silentChannels.add(channel);
    },
    'stream-garbage': () => this.#pass(this.#nextGarbage()),
  };

  /** Forgets what waits, because the connection is closed. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isSilent = true;
    this.#delayed.length = 0;
  }

  get #hasState(): boolean {
    return this.#isSilent || this.#silentChannels.size > 0 || this.#held !== undefined || this.#delayed.length > 0;
  }

  #pass(text: string, times = 1, delay = 0): void {
    for (let time = 0; time < times; time += 1) this.#leave(text, delay);
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#leave(held, 0);
  }

  /** A frame never overtakes one that waits. */
  #leave(text: string, delay: number): void {
    const last = this.#delayed.at(-1);
    if (delay === 0 && last === undefined) {
      this.#wire.write(text);
      return;
    }
    this.#delayed.push({ text, at: Math.max(last?.at ?? 0, performance.now() + delay) });
    this.#delayedBytes += text.length;
    if (last === undefined) this.#wait();
  }

  #wait(): void {
    const [first] = this.#delayed;
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => {
        while (this.#delayed[0] !== undefined && this.#delayed[0].at <= performance.now()) {
          const [{ text }] = this.#delayed.splice(0, 1) as [Delayed];
          this.#delayedBytes -= text.length;
          this.#wire.write(text);
        }
        this.#wait();
      },
      Math.max(1, first.at - performance.now()),
    );
  }

  #nextGarbage(): string {
    this.#garbage += 1;
    return GARBAGE[this.#garbage % GARBAGE.length] as string;
  }
}

/** FIN and the opcode of a text; the length follows in eight bytes (RFC 6455, 5.2). */
const HEADER = [0x81, 127];

/** The beginning of a text frame that breaks off in its middle. */
function halfFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length));
  return Buffer.concat([Buffer.from(HEADER), length, bytes.subarray(0, bytes.length >> 1)]);
}
