import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Passing } from '../../support/proxy.js';
import { startProxy } from '../../support/proxy.js';
import { AgentProcess, type ToolReply } from './agent.js';
import { between, chosen, type Draw, drawOf } from './draw.js';
import type { Listed } from './exchange.js';
import { onStage, type Stage, TOLERANCE } from './fault-campaign.js';
import { order } from './kinds/order.js';
import { isOf, MARKET_NAMES, type Terms, uniqueTerms } from './kinds/terms.js';
import { Network } from './network.js';
import { Program } from './program.js';
import { addSandboxFaults } from './sandbox-faults.js';
import { setTolerance } from './settle-by-user.js';

export interface AgentOptions {
  readonly seed: number;
  /** How many prepared writes are committed, at least. */
  readonly pairs: number;
  /** How many servers run at once, each with a client. */
  readonly servers: number;
  /** Reports progress. */
  readonly tell?: (words: string) => void;
}

/** How the client behaves when it commits. */
const MANNERS = [
  'patient',
  'patient',
  'patient',
  'twice',
  'twice',
  'gives up',
  'kills the server',
  'hangs up',
] as const;

type Manner = (typeof MANNERS)[number];

/** After how many ms a client at the latest gives up, or something kills its server. */
const SOONEST_END = 600;
/** In seconds: enough for most outcomes, and not for those that take a request's whole life. */
const TIMEOUT = 6;
/** Attempts of a careless client at the same order. */
const MOST_ATTEMPTS = 6;

/** A committed write. */
interface Committed {
  readonly id: string;
  /** What the agent was told; undefined as long as that is nothing, or that the outcome is unknown. */
  outcome?: string;
}

/** An order that the user wants once. */
interface Wish {
  readonly number: number;
  readonly terms: Terms;
  readonly committed: Committed[];
  readonly manners: Manner[];
}

/** The figures of a campaign, and what is wrong. */
export interface AgentReport {
  readonly wishes: number;
  readonly pairs: number;
  readonly placed: number;
  /** Told as rejected or not sent. */
  readonly notPlaced: number;
  /** Wishes for which the client did not get an answer at first, and asked or prepared again. */
  readonly lostAnswers: number;
  readonly refusedRepeats: number;
  readonly kills: number;
  /** Orders that the network made of one request. */
  readonly networkDuplicates: number;
  readonly problems: readonly string[];
}

/**
 * A scripted agent that trades unattended: it prepares and commits orders on a network that loses, delays and repeats, its servers are
 * killed, and it is careless: it commits ids twice, and prepares an order again when an answer does not arrive. The orders of the
 * exchange are compared with what it was told.
 */
export async function agentCampaign(options: AgentOptions): Promise<AgentReport> {
  let result: AgentReport | undefined;
  await onStage(options, async (stage) => {
    result = await new AgentCampaign(stage, options).run();
  });
  if (result === undefined) throw new Error('the campaign did not run');
  return result;
}

class AgentCampaign {
  readonly #stage: Stage;
  readonly #options: AgentOptions;

  readonly #wishes: Wish[] = [];
  readonly #problems: string[] = [];
  #commits = 0;
  #kills = 0;
  #lostAnswers = 0;
  #refusedRepeats = 0;
  #printed = '';

  constructor(stage: Stage, options: AgentOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  async run(): Promise<AgentReport> {
    const { exchange, folder, port } = this.#stage;
    const { seed, pairs, servers, tell } = this.#options;
    const since = Date.now() - 1_000;
    const network = new Network(seed, { tolerance: TOLERANCE }, order.keyOf);
    const proxy = await startProxy({ port, treat: network.treat });
    const program = new Program(path.join(folder, 'agents'), exchange.address, proxy.url);
    try {
      await setTolerance(program, TOLERANCE);
      await addSandboxFaults(exchange);
      await Promise.all(
        Array.from({ length: servers }, async () => {
          const client = new Client(program);
          while (this.#commits < pairs) {
            await this.#wish(client);
            if (this.#wishes.length % 25 === 0) tell?.(`${this.#commits} of ${pairs}`);
          }
          await client.end();
          this.#kills += client.kills;
          this.#printed += client.printed;
        }),
      );
      await proxy.settled();
      await delay(TOLERANCE + 1_000);
      await exchange.administer('/faults/clear');
      network.isCalm = true;
      await this.#resolveEverything(new Client(program));
      const listed = await this.#listed(since);
      return this.#judge(listed, proxy.requests);
    } finally {
      await proxy.close();
    }
  }

  /** Places one order as a careless agent does, until it is told an outcome or gives up. */
  async #wish(client: Client): Promise<void> {
    const number = this.#wishes.length;
    const draw = drawOf(this.#options.seed, 'wish', number);
    const wish: Wish = {
      number,
      terms: uniqueTerms(number, draw, this.#stage, draw() < 0.8),
      committed: [],
      manners: [],
    };
    this.#wishes.push(wish);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const id = await this.#prepare(wish, client);
      // a refusal may have made it find out that its order is there
      if (wish.committed.some(({ outcome }) => outcome === 'placed')) return;
      if (id === undefined) continue;
      const manner = chosen(draw, MANNERS);
      wish.manners.push(manner);
      const committed: Committed = { id };
      wish.committed.push(committed);
      this.#commits += 1;
      await this.#commit(committed, manner, client, draw);
      if (committed.outcome === 'placed') return;
      if (committed.outcome === undefined) this.#lostAnswers += 1;
    }
  }

  /** The id of the prepared write; undefined if it was refused. */
  async #prepare(wish: Wish, client: Client): Promise<string | undefined> {
    const { market, side, price, amount } = wish.terms;
    const agent = await client.agent();
    const given = { kind: 'order', market, side, price, amount };
    const reply = await agent.call<{ readonly id: string }>('prepare', given);
    const { error } = reply ?? {};
    const earlier = wish.committed.find(({ id }) => id === error?.clientId);
    if (earlier !== undefined) {
      // it was sent before: a client that does as the message says finds out
      this.#refusedRepeats += 1;
      await this.#resolve(earlier, agent);
    }
    return reply?.data?.id;
  }

  async #commit(committed: Committed, manner: Manner, client: Client, draw: Draw): Promise<void> {
    const agent = await client.agent();
    const { id } = committed;
    const end = between(draw, 0, SOONEST_END);
    const commit = (signal?: AbortSignal) => agent.call<Outcome>('commit', { id }, signal);
    if (manner === 'gives up') {
      this.#learn(committed, await commit(AbortSignal.timeout(Math.ceil(end))));
      return;
    }
    const replies = manner === 'twice' ? [commit(), commit()] : [commit()];
    if (manner === 'kills the server' || manner === 'hangs up') {
      await delay(end);
      await (manner === 'hangs up' ? agent.hangUp() : client.kill());
    }
    for (const reply of replies) this.#learn(committed, await reply);
    if (manner === 'twice') this.#learn(committed, await commit());
  }

  async #resolve(committed: Committed, agent: AgentProcess): Promise<void> {
    const reply = await agent.call<readonly Outcome[]>('resolve', { id: committed.id });
    const row = reply?.data?.find(({ clientId }) => clientId === committed.id);
    if (row !== undefined) this.#told(committed, row.outcome);
  }

  /** What an answer to a commit tells of it. */
  #learn(committed: Committed, reply: ToolReply<Outcome> | undefined): void {
    const { data, error } = reply ?? {};
    if (data !== undefined) this.#told(committed, data.outcome);
    if (error === undefined || data !== undefined) return;
    const { kind, message } = error;
    if (
      / (committed already|cannot be committed again): /.test(message) ||
      kind === 'unknown' ||
      kind === 'interrupted'
    )
      return;
    this.#told(committed, kind === 'refused' || kind === 'limited' ? 'refused' : 'notSent');
  }

  #told(committed: Committed, outcome: string): void {
    if (outcome !== 'unknown') committed.outcome = outcome;
  }

  /** Asks for what the agent does not know yet, on a calm network. */
  async #resolveEverything(client: Client): Promise<void> {
    const agent = await client.agent();
    await agent.call('resolve', {});
    for (const { committed } of this.#wishes) for (const one of committed) await this.#resolve(one, agent);
    await client.end();
    this.#printed += client.printed;
  }

  async #listed(since: number): Promise<readonly Listed[]> {
    const { exchange } = this.#stage;
    const sides = MARKET_NAMES.flatMap((market) => [
      exchange.orders(market, 'buy', since),
      exchange.orders(market, 'sell', since),
    ]);
    return (await Promise.all(sides)).flat();
  }

  /** Compares what was told with what the exchange has. */
  async #judge(listed: readonly Listed[], requests: readonly Passing[]): Promise<AgentReport> {
    let networkDuplicates = 0;
    const writes = requests.filter(({ operation }) => operation === 'order');
    const sentAs = (id: string) => writes.filter(({ parameters: { customerOrderId } }) => customerOrderId === id);
    for (const { number, terms, committed, manners } of this.#wishes) {
      const orders = listed.filter((one) => one.market === terms.market && isOf(terms, one));
      const executed = new Set<string>();
      for (const { id } of committed) if (await this.#has(terms.market, id)) executed.add(id);
      const complain = (what: string) => {
        const told = committed.map(({ id, outcome }) => {
          const treatments = sentAs(id).map(({ treatment }) => treatment);
          return `${id} ${outcome ?? 'untold'} [${treatments.join('; ')}]`;
        });
        const ids = orders.map(({ id }) => id).join(' ');
        this.#problems.push(`${what}: wish ${number} (${manners.join(', ')}): orders ${ids}: ${told.join(', ')}`);
      };
      networkDuplicates += Math.max(0, orders.length - executed.size);
      if (executed.size > 1) complain('doubled');
      for (const { id, outcome } of committed) {
        if (sentAs(id).length > 1) complain('sent twice');
        if (outcome === undefined) complain('not told');
        else if (executed.has(id) !== (outcome === 'placed')) complain('told wrongly');
      }
      if (orders.some(({ id }) => !this.#printed.includes(id))) complain('lost');
    }
    const { accessKey, secretKey } = this.#stage.exchange.address;
    if ([accessKey, secretKey].some((secret) => this.#printed.includes(secret)))
      this.#problems.push('a message has a key');
    const all = this.#wishes.flatMap(({ committed }) => committed);
    const placed = all.filter(({ outcome }) => outcome === 'placed').length;
    if (all.length < this.#options.pairs) this.#problems.push(`only ${all.length} prepared writes were committed`);
    if (placed === 0) this.#problems.push('nothing was placed');
    return {
      wishes: this.#wishes.length,
      pairs: all.length,
      placed,
      notPlaced: all.length - placed,
      lostAnswers: this.#lostAnswers,
      refusedRepeats: this.#refusedRepeats,
      kills: this.#kills,
      networkDuplicates,
      problems: this.#problems,
    };
  }

  /** Whether the exchange has an order with a client id. */
  async #has(market: string, clientId: string): Promise<boolean> {
    const body = await this.#stage.exchange.ask('getOrder', { currency: market, customerOrderId: clientId });
    return body.includes('"total_amount"');
  }
}

interface Outcome {
  readonly outcome: string;
  readonly clientId: string;
}

/** A client that starts its server again when that is gone. */
class Client {
  readonly #program: Program;

  kills = 0;
  printed = '';
  #agent: AgentProcess | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  async agent(): Promise<AgentProcess> {
    if (this.#agent !== undefined && !this.#agent.isOver) return this.#agent;
    this.printed += this.#agent?.printed ?? '';
    const limits = ['--markets', MARKET_NAMES.join(','), '--max-order', '1000usdt', '--max-day', '10000000usdt'];
    const words = ['mcp', '--allow-trading', '--commit', 'unattended', ...limits, '--max-open', '1000'];
    this.#agent = new AgentProcess(this.#program.spawn([...words, '--timeout', String(TIMEOUT)]));
    await this.#agent.initialize();
    return this.#agent;
  }

  async kill(): Promise<void> {
    this.kills += 1;
    await this.#agent?.kill();
  }

  async end(): Promise<void> {
    await this.#agent?.hangUp();
    this.printed += this.#agent?.printed ?? '';
  }
}
