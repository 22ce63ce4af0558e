import type { Host } from '../host.js';
import type { Bucket } from '../protocol/operation.js';

/** "K-line endpoint: one request per second", with a margin for the network's jitter. */
const KLINE_GAP_MS = 1_050;

/** Keeps this process's own requests apart where the interface states a gap. */
export class Pace {
  #nextKline = 0;

  constructor(private readonly host: Host) {}

  /** Resolves when a request of this bucket may leave. */
  async turn(bucket: Bucket): Promise<void> {
    if (bucket !== 'kline') return;
    const now = this.host.now();
    const start = Math.max(now, this.#nextKline);
    this.#nextKline = start + KLINE_GAP_MS;
    if (start > now) await this.host.sleep(start - now);
  }
}
