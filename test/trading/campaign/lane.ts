import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { type Moment, PASS, type Passing, type RunningProxy, startProxy, type Treatment } from '../../support/proxy.js';
import { isLeftover, journalIn, openIn } from './archived.js';
import type { Exchange } from './exchange.js';
import { Program } from './program.js';

/** Something visible of a running pit from outside: a moment on the network, or a change in its journal. */
export interface Sight {
  readonly what: Moment | 'recorded' | 'archived';
  /** The request of a network moment, once it is known. */
  readonly request?: Passing | undefined;
}

/** A PIT_HOME with its own network, so that everything seen belongs to the one command that runs there. */
export class Lane {
  readonly #network: { treat: (request: Passing) => Treatment; onSight: (sight: Sight) => void };

  readonly program: Program;
  #watchers: FSWatcher[] = [];

  constructor(
    readonly home: string,
    exchange: Exchange,
    readonly proxy: RunningProxy,
    network: { treat: (request: Passing) => Treatment; onSight: (sight: Sight) => void },
  ) {
    this.#network = network;

    this.program = new Program(home, exchange.address, proxy.url);
  }

  /** The treatment of requests from now on. */
  set treat(treat: (request: Passing) => Treatment) {
    this.#network.treat = treat;
  }

  /** Resolves when something matching is seen. */
  sees(fits: (sight: Sight) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#network.onSight = (sight) => {
        if (fits(sight)) resolve();
      };
    });
  }

  /** Starts to watch the journal, which a first command has created. */
  watchJournal(): void {
    const see = (folder: string, what: 'recorded' | 'archived') => {
      const seen = (_: string, name: string | null) => {
        // a draft is not a record yet, and what is kept of a sum is no line of the archive
        if (name === null || !isLeftover(name)) this.#network.onSight({ what });
      };
      this.#watchers.push(watch(path.join(this.#journal, folder), seen));
    };
    see('unsettled', 'recorded');
    see('archive', 'archived');
  }

  /** Ids of the unknown writes, and the number of leftover drafts. */
  open(): ReturnType<typeof openIn> {
    return openIn(this.home);
  }

  get #journal(): string {
    return journalIn(this.home);
  }

  async close(): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
    await this.proxy.close();
  }
}

export async function openLane(home: string, exchange: Exchange): Promise<Lane> {
  const network: { treat: (request: Passing) => Treatment; onSight: (sight: Sight) => void } = {
    treat: () => PASS,
    onSight: () => undefined,
  };
  const proxy = await startProxy({
    port: Number(new URL(exchange.address.tradeUrl).port),
    treat: (request) => network.treat(request),
    notice: (what, request) => network.onSight({ what, request }),
  });
  return new Lane(home, exchange, proxy, network);
}
