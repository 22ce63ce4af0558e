import type { Faults } from '../faults/faults.js';
import { textFrame } from './message.js';

/** What an exchange in trouble may send: half a message, a page of a proxy, other JSON, control characters. */
const GARBAGE = [
  '{"asks":[[31000.5,0.1],[3100',
  '<html><head><title>502 Bad Gateway</title></head></html>',
  '{"channel":7,"data":{"constructor":null},"dataType":[],"ticker":"","record":{}}',
  '\u001b[2J\u001b]0;x\u0007\u0000\u202e',
  'null',
].map(textFrame);

/** How a connection sends. */
interface Wire {
  /** Sends a whole frame. */
  readonly write: (frame: Buffer) => void;
  /** Sends bytes and breaks the connection. */
  readonly cut: (bytes: Buffer) => void;
  /** Called when nothing waits any more. */
  readonly drained: () => void;
}

interface Delayed {
  readonly frame: Buffer;
  /** When it may leave, by the performance clock. */
  readonly at: number;
}

/** Sends the frames of one connection with the faults that are active. */
export class FaultySender {
  private isSilent = false;
  private readonly silentChannels = new Set<string>();
  /** The frame that waits for the next one. */
  private held: Buffer | undefined;
  private readonly delayed: Delayed[] = [];
  private delayedBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private garbage = 0;

  constructor(
    private readonly faults: Faults,
    private readonly wire: Wire,
  ) {}

  /** Whether frames pass unchanged. */
  get isIdle(): boolean {
    return this.faults.rules.noneForStreams && !this.hasState;
  }

  /** Whether nothing at all is sent on this connection any more. */
  get isStale(): boolean {
    return this.isSilent;
  }

  /** Bytes that a delay holds back. */
  get waiting(): number {
    return this.delayedBytes;
  }

  /** `channel` is the name of a channel, or what the frame is otherwise, such as `pong`. */
  send(frame: Buffer, channel: string): void {
    if (this.isSilent || this.silentChannels.has(channel)) return;
    const { kind, operation, delay = 0 } = this.faults.matchFrame(channel) ?? {};
    if (kind === 'stream-drop') return;
    if (kind === 'stream-stale') {
      if (operation === null) this.isSilent = true;
      else this.silentChannels.add(channel);
    } else if (kind === 'stream-cut') this.wire.cut(frame.subarray(0, frame.length >> 1));
    else if (kind === 'stream-reorder' && this.held === undefined) this.held = frame;
    else this.pass(kind === 'stream-garbage' ? this.nextGarbage() : frame, kind === 'stream-duplicate' ? 2 : 1, delay);
  }

  /** Forgets what waits, because the connection is closed. */
  close(): void {
    clearTimeout(this.timer);
    this.isSilent = true;
    this.delayed.length = 0;
  }

  private get hasState(): boolean {
    return this.isSilent || this.silentChannels.size > 0 || this.held !== undefined || this.delayed.length > 0;
  }

  private pass(frame: Buffer, times: number, delay: number): void {
    for (let time = 0; time < times; time += 1) this.leave(frame, delay);
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) this.leave(held, 0);
  }

  /** A frame never overtakes one that waits. */
  private leave(frame: Buffer, delay: number): void {
    const last = this.delayed.at(-1);
    if (delay === 0 && last === undefined) {
      this.wire.write(frame);
      return;
    }
    this.delayed.push({ frame, at: Math.max(last?.at ?? 0, performance.now() + delay) });
    this.delayedBytes += frame.length;
    if (last === undefined) this.wait();
  }

  private wait(): void {
    const [first] = this.delayed;
    if (first === undefined) {
      this.wire.drained();
      return;
    }
    this.timer = setTimeout(
      () => {
        while (this.delayed[0] !== undefined && this.delayed[0].at <= performance.now()) {
          const [{ frame }] = this.delayed.splice(0, 1) as [Delayed];
          this.delayedBytes -= frame.length;
          this.wire.write(frame);
        }
        this.wait();
      },
      Math.max(1, first.at - performance.now()),
    );
  }

  private nextGarbage(): Buffer {
    this.garbage += 1;
    return GARBAGE[this.garbage % GARBAGE.length] as Buffer;
  }
}
