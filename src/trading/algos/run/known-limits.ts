import { Failure } from '../../../errors.js';
import type { Host } from '../../../platform/host.js';
import type { GuardLimits } from '../../guards/limits.js';

/** How often limits are read. They are asked again when a child leaves. */
const LIMITS_MS = 10_000;

interface LimitsOptions {
  readonly host: Pick<Host, 'monotonic'>;
  /** The limits as they are now. Throws Failure `usage` if the profile has other hosts or keys by now, and `credentials`. */
  readonly limits: () => Promise<GuardLimits>;
  readonly warn: (message: string) => void;
}

/** The limits of the profile: as they are now, for what leaves, and as they were read last, for what is decided. */
export class KnownLimits {
  readonly #options: LimitsOptions;
  /** Undefined before they were read. */
  known: GuardLimits | undefined;
  /** On the monotonic clock. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  async current(): Promise<GuardLimits> {
    this.known = await this.#options.limits();
    return this.known;
  }

  /** Called often. */
  async keepKnown(): Promise<void> {
    const { host, warn } = this.#options;
    if (host.monotonic() - this.#readAt < LIMITS_MS) return;
    this.#readAt = host.monotonic();
    try {
      await this.current();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(error.message);
    }
  }
}
