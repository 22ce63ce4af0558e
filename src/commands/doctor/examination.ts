import type { Context } from '../../cli/context.js';
import type { AccountInfo } from '../../domain/account.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import type { HttpAnswer } from '../../exchange/transport.js';

/** An answer of a host, with this machine's clock before and after it, in milliseconds since the Unix epoch. */
export interface Reached extends HttpAnswer {
  readonly sent: number;
  readonly received: number;
}

/** What several checks look at: each is asked for once, by the first. */
export class Examination {
  #market: Promise<Reached> | undefined;
  #trade: Promise<Reached> | undefined;
  #account: Promise<AccountInfo> | undefined;

  constructor(readonly context: Context) {}

  /** The host of market data, asked for its markets. */
  market(): Promise<Reached> {
    this.#market ??= this.#reach((client) => client.probeMarketData());
    return this.#market;
  }

  /** The trade host, asked for what needs no key. */
  trade(): Promise<Reached> {
    this.#trade ??= this.#reach((client) => client.probeTrading());
    return this.#trade;
  }

  /** The account, which tells that the key is accepted. */
  account(): Promise<AccountInfo> {
    this.#account ??= this.context.session.signedClient().then((client) => client.account());
    return this.#account;
  }

  async #reach(probe: (client: ExchangeClient) => Promise<HttpAnswer>): Promise<Reached> {
    const { session, host } = this.context;
    const client = await session.client();
    const sent = host.now();
    const answer = await probe(client);
    return { ...answer, sent, received: host.now() };
  }
}
