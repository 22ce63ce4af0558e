import { Failure } from '../../errors.js';
import { followOrderPushes, type OrderPushes, type StreamChoices } from '../../exchange/connect.js';
import { type Channel, type ExchangeStream, type Feeds, isPrivate } from '../../exchange/exchange.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/files.js';
import type { ActiveExchange } from './active-exchange.js';
import type { ActiveProfile } from './active-profile.js';
import { type Sandbox, sandboxStopped } from './sandbox.js';

/** The streams of the exchange in use, and what they keep current. */
export class LiveData {
  readonly #sandbox: Sandbox;
  readonly #profile: ActiveProfile;
  readonly #exchange: ActiveExchange;

  constructor(sandbox: Sandbox, profile: ActiveProfile, exchange: ActiveExchange) {
    this.#sandbox = sandbox;
    this.#profile = profile;
    this.#exchange = exchange;
  }

  /**
   * Follows channels until it is closed; the sandbox is started if it does not run. Throws Failure `credentials` if there is no
   * address for streams and the channels are not to be polled, or no key for a channel.
   */
  async stream(channels: readonly Channel[], choices: StreamChoices = {}): Promise<ExchangeStream> {
    const { wsUrlMissing } = await this.#profile.connection();
    if (wsUrlMissing === null || choices.reads !== 'polls') await this.#address(() => this.#sandbox.ensure());
    return this.#open(channels, choices);
  }

  /** Opens a stream. If the sandbox has been stopped since, it is not started again, because the stop may be final. */
  async #open(channels: readonly Channel[], choices: StreamChoices): Promise<ExchangeStream> {
    if (channels.some(isPrivate)) {
      await this.#profile.loadKeys();
      this.#profile.credentials(await this.#profile.connection());
    }
    const connection = await this.#exchange.connection();
    const { wsUrlMissing } = await this.#profile.connection();
    const address = () => this.#address(() => this.#sandbox.currentAddress());
    return connection.stream(() => this.#exchange.open(), channels, wsUrlMissing === null ? address : null, choices);
  }

  /**
   * Keeps channels current until it is closed: from the stream, and by polling within the shared limits while there is none.
   * Returns at once and connects in the background. Throws Failure `credentials` if there is no host, or no key for a channel.
   */
  async feeds(channels: readonly Channel[]): Promise<Feeds> {
    await this.#exchange.open();
    if (channels.some(isPrivate)) await this.#profile.loadKeys();
    const { wsUrlMissing } = await this.#profile.connection();
    let isFirst = true;
    const address = () => {
      // a sandbox that has been stopped since is not started again
      const locate = isFirst ? () => this.#sandbox.ensure() : () => this.#sandbox.currentAddress();
      isFirst = false;
      return this.#address(locate);
    };
    const connection = await this.#exchange.connection();
    return connection.feeds(() => this.#exchange.open(), channels, wsUrlMissing === null ? address : null);
  }

  /**
   * Signals when the exchange pushes a change of an order of the market, so that a wait may read again. It makes no request
   * over HTTP and never fails. Undefined if there is no address for streams.
   */
  async orderPushes(): Promise<((market: string) => OrderPushes) | undefined> {
    const { wsUrlMissing } = await this.#profile.connection();
    if (wsUrlMissing !== null) return undefined;
    return followOrderPushes((market, signal) => this.#open([{ kind: 'orders', market }], { signal, reads: 'never' }));
  }

  /**
   * Returns the address for streams; null for the sandbox's, which is known when it runs. Throws Failure `credentials` if there
   * is no address.
   */
  async requireStreams(): Promise<string | null> {
    const { wsUrl, wsUrlMissing } = await this.#profile.connection();
    if (wsUrlMissing !== null) throw new Failure('credentials', wsUrlMissing.message, { hint: wsUrlMissing.hint });
    return wsUrl;
  }

  async #address(locate: () => Promise<SandboxAddress | undefined>): Promise<string> {
    const wsUrl = await this.requireStreams();
    if (wsUrl !== null) return wsUrl;
    const sandbox = await locate();
    if (sandbox === undefined) throw sandboxStopped();
    return sandbox.wsUrl;
  }
}
