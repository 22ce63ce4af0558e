import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { PIT_IN_SHELL } from '../support/command.js';

// the documentation is read from the project's folder, in which tests and campaigns are run

/** How a script of the documentation is run, and what it may do without an answer. */
interface Manner {
  readonly files?: Readonly<Record<string, string>>;
  /** Makes the script act, and end. */
  readonly change?: (script: string) => string;
  /** Runs before each run, on the exchange without faults. */
  readonly before?: string;
  /** The same, for an order whose outcome stays unknown: it is carried out, and nothing about it is answered. */
  readonly unanswered?: string;
  /** The exit code without a fault, if that is not 0. */
  readonly code?: number;
  /** Whether it trades, cancels, halts or withdraws when it could read everything. */
  readonly acts?: boolean;
  /** Operations that it reads only to say more, such as the checks for duplicates after an order. */
  readonly mayFail?: readonly string[];
  /** Operations of the act itself: what it was decided on had been read. */
  readonly afterDecision?: readonly string[];
  /** Operations in whose answers it needs no price: its orders have their own, and the guards look at the ticker. */
  readonly mayLackPrices?: readonly string[];
}

export interface Script extends Manner {
  readonly title: string;
  readonly text: string;
}

/** How a request fails. */
interface Failing {
  readonly operation: string;
  readonly fault: string;
}

interface Ran {
  readonly code: number | null;
  readonly printed: string;
  readonly errors: string;
  /** The operations that were asked for, in their order. */
  readonly seen: readonly string[];
}

const WRITES = /^(order|orderMoreV2|cancelOrder|cancelAllOrdersAfter|withdraw)$/;
const PRICES = /^(allTicker|ticker|depth)$/;
/** Only for answers that hold prices. */
const WITHOUT_PRICE = 'a coin without a price';
const NO_CONNECTION = 'no connection';
/** Longer than what `SLACK_MS` of the reconciler calls one moment. */
const MOMENT_MS = 6_000;
/** Exit codes: nothing was sent, or the outcome is unknown. */
const UNREACHABLE = 5;
const UNKNOWN = 6;

/** How an answer of the exchange fails, of which `body` is the right one. */
const FAULTS: Readonly<Record<string, (response: ServerResponse, body: string) => void>> = {
  [NO_CONNECTION]: (response) => response.socket?.destroy(),
  'a server error': (response) => response.writeHead(500).end('oops'),
  'an empty answer': (response) => response.end(''),
  'an answer that is cut off': (response, body) => {
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  },
};

const TRADES: Manner = { acts: true, mayFail: ['getOrders'] };

/** By the headings of docs/recipes.md. */
const RECIPES: Readonly<Record<string, Manner>> = {
  'Value everything you own': {},
  'Cancel orders older than an hour': {
    acts: true,
    before: 'order buy btc_usdt 0.001 --at 20000 --override price-band --yes',
    change: (script) => script.replace('now - 3600', 'now + 3600'),
  },
  "Export this month's bills": {},
  "Report yesterday's profit and loss": {
    before: 'order buy btc_usdt 0.001 --at ask+1% --ioc --yes',
    // so that there is something to report
    change: (script) => script.replace("'now |", "'now + 86400 |"),
    // it reports what is unknown without a price as unknown
    mayLackPrices: ['allTicker'],
  },
  'Place orders from a file': {
    acts: true,
    mayLackPrices: ['depth'],
    // the orders of the file are confirmed one by one; that duplicates cannot be looked for is a warning
    ...{ mayFail: ['getOrders'], afterDecision: ['getOrders'] },
    files: { 'ladder.csv': '26000,0.01\n26001.5,0.02\n' },
  },
  'Wait for a fill': { ...TRADES, change: (script) => script.replace('3600', '4') },
  'Buy at the market': TRADES,
  'Watch the spread': {},
  'Sell when the price falls': {
    ...TRADES,
    change: (script) => script.replace("'bid<27000'", "'bid<1e6' --timeout 2"),
  },
  'Send a message for each fill': {
    files: { 'notify.sh': 'cat > sent.txt\n' },
    change: (script) => script.replace('86400', '2'),
    // the time ends without a fill
    code: 10,
  },
  'Rebalance to half btc, half usdt': { ...TRADES, before: 'order buy btc_usdt 0.05 --at ask+0.5% --ioc --yes' },
  'Cancel everything if a bot dies': {
    acts: true,
    files: { 'bot.sh': 'exit 0\n' },
    // the warning counts the open orders
    ...{ mayFail: ['getOrders'], afterDecision: ['getOrders'] },
  },
  'Stop everything after a loss': {
    acts: true,
    afterDecision: ['getOrders'],
    change: (script) => script.replaceAll('10000', '1e12'),
  },
  'Run a bot that survives kills': {
    ...TRADES,
    mayLackPrices: ['depth'],
    // one order, no second try, and no wait for a fill
    change: (script) =>
      script.slice(0, script.lastIndexOf('while')).replace('range(1; 4)', '1').replace('5 | 6 | 7)', '77)'),
  },
  'Sum up the day': {},
  'Withdraw everything above 1 btc': {
    acts: true,
    before: 'order buy btc_usdt 0.05 --at ask+0.5% --ioc --yes',
    // whether its chain uses memos: what the exchange has verified is complete
    ...{ mayFail: ['getPayinAddress'], afterDecision: ['getPayinAddress'] },
  },
  'Settle unknown outcomes from cron': {
    unanswered: 'order buy btc_usdt 0.001 --at bid-2% --yes --timeout 5',
    // the order itself is asked for; the list only shows duplicates
    mayFail: ['getOrders'],
  },
};

/** What passes an answer of pit on, or decides on it, outside of the recipes. A view that goes on waits for the exchange instead. */
const OTHERS: Readonly<Record<string, Manner>> = {
  "README.md: depth=$(pit depth btc_usdt --json) && printf '%s' \"$depth\" | jq -er '.bids[0].price'": {},
  'README.md: order=$(pit order buy btc_usdt 100usdt --at bid --yes --json) && printf \'%s\' "$order" | jq -r .id':
    TRADES,
};
const GOES_ON = / --watch\b| --follow\b|^pit stream /;
const READS_SECRETS = /^pass show /;

/** The scripts that are in the documentation and have no manner here, and the manners that belong to none. */
export interface Unmatched {
  readonly unlisted: readonly string[];
  readonly listedOnly: readonly string[];
  /** Lines that go on without an answer, and could act. */
  readonly actOn: readonly string[];
}

/** Every script of the documentation that uses what it reads. */
export function documentedScripts(): { readonly scripts: readonly Script[]; readonly unmatched: Unmatched } {
  const pages = ['README.md', 'skills/pit/SKILL.md', ...namesIn('docs').filter((name) => name !== 'docs/recipes.md')];
  const lines = pages.flatMap((page) => combinedLines(page).map((text) => ({ title: `${page}: ${text}`, text })));
  const found = [...recipeScripts(), ...lines.filter(({ text }) => !GOES_ON.test(text) && !READS_SECRETS.test(text))];
  const manners = { ...RECIPES, ...OTHERS };
  const titles = new Set(found.map(({ title }) => title));
  return {
    scripts: found.flatMap(({ title, text }) => (manners[title] ? [{ title, text, ...manners[title] }] : [])),
    unmatched: {
      unlisted: [...titles].filter((title) => manners[title] === undefined),
      listedOnly: Object.keys(manners).filter((title) => !titles.has(title)),
      actOn: lines
        .filter(
          ({ text }) => GOES_ON.test(text) && /pit (order (buy|sell|batch|replace)|cancel|halt|withdraw)/.test(text),
        )
        .map(({ title }) => title),
    },
  };
}

function recipeScripts(): { readonly title: string; readonly text: string }[] {
  return read('docs/recipes.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0] ?? '',
      text: /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '',
    }));
}

/** The lines of a page's scripts that pass on what pit prints, or run something after it. */
function combinedLines(page: string): string[] {
  return [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .map((line) => line.replace(/ +# .*$/, ''))
      .filter((line) => /\bpit .*(\||&&|;)|\$\(pit /.test(line) || /\| pit /.test(line)),
  );
}

function read(page: string): string {
  return readFileSync(path.resolve(page), 'utf8');
}

function namesIn(folder: string): string[] {
  return readdirSync(path.resolve(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** Runs scripts, one at a time, against an exchange of which one operation fails. */
export class FailingExchange {
  readonly #folder: string;
  readonly #address: SandboxAddress;

  #seen: string[] = [];
  #failing: { readonly operations: readonly string[]; readonly fault: string } | undefined;
  readonly #servers: Server[] = [];
  readonly #hosts: Record<string, string> = {};

  readonly #environment: Readonly<Record<string, string>>;
  #verified = '';
  #tradedAt = Number.NEGATIVE_INFINITY;

  private constructor(folder: string, address: SandboxAddress) {
    this.#folder = folder;
    this.#address = address;

    const { baseUrl, tradeUrl, accessKey, secretKey } = address;
    const hosts = { PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl };
    this.#environment = { ...hosts, PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
  }

  /** @param folder for the homes of the runs */
  static async open(folder: string, address: SandboxAddress): Promise<FailingExchange> {
    const exchange = new FailingExchange(folder, address);
    mkdirSync(folder, { recursive: true });
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(shim, 0o755);
    const { printed } = await exchange.#shell("pit address btc --withdraw --json | jq -er '.[0].address'", folder);
    exchange.#verified = printed;
    exchange.#hosts.PIT_BASE_URL = await exchange.#proxy(address.baseUrl);
    exchange.#hosts.PIT_TRADE_URL = await exchange.#proxy(address.tradeUrl);
    return exchange;
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  /** Runs a script in an empty folder that is also the home of pit. */
  async run(script: Script, failing?: Failing): Promise<Ran> {
    const { text, files = {}, change = (same: string) => same, before, unanswered, acts } = script;
    const trades = acts === true || before !== undefined || unanswered !== undefined;
    if (trades) await this.#waitForNextMoment();
    const cwd = mkdtempSync(path.join(this.#folder, 'run-'));
    const all = { 'cold-wallet': this.#verified, 'fund-password': this.#address.safePwd, ...files };
    for (const [name, content] of Object.entries(all)) writeFileSync(path.join(cwd, name), content);
    if (before !== undefined) {
      const { code, errors } = await this.#shell(`pit ${before} --timeout 300`, cwd);
      if (code !== 0) throw new Error(`${before}: ${errors}`);
    }
    if (unanswered !== undefined) {
      this.#failing = { operations: ['order', 'getOrder', 'getOrders'], fault: NO_CONNECTION };
      let ran = await this.#shell(`pit ${unanswered}`, cwd, this.#hosts);
      // on a slow machine its time may be over before it is sent
      while (ran.code === UNREACHABLE) ran = await this.#shell(`pit ${unanswered}`, cwd, this.#hosts);
      if (ran.code !== UNKNOWN) throw new Error(`${unanswered}: ${ran.errors}`);
    }
    this.#seen = [];
    this.#failing = failing && { operations: [failing.operation], fault: failing.fault };
    const ran = await this.#shell(change(text), cwd, this.#hosts);
    this.#failing = undefined;
    if (trades) this.#tradedAt = performance.now();
    return { ...ran, seen: this.#seen };
  }

  /** Each run has a journal of its own: the same order of the run before would be a duplicate, if it is of the same moment. */
  async #waitForNextMoment(): Promise<void> {
    await delay(Math.max(0, this.#tradedAt + MOMENT_MS - performance.now()));
  }

  async #shell(script: string, cwd: string, hosts: Readonly<Record<string, string>> = {}) {
    const { PATH = '', HOME = '' } = process.env;
    const env = { HOME, TZ: 'UTC', PIT_HOME: cwd, ...this.#environment, ...hosts, PATH: `${this.#folder}:${PATH}` };
    const child = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { printed: '', errors: '' };
    child.stdout.on('data', (text) => {
      texts.printed += text;
    });
    child.stderr.on('data', (text) => {
      texts.errors += text;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, ...texts };
  }

  async #proxy(target: string): Promise<string> {
    const server = createServer((request, response) => {
      const operation = /\/(\w+)(\?|$)/.exec(request.url ?? '')?.[1] ?? '';
      this.#seen.push(operation);
      const fault = this.#failing?.operations.includes(operation) ? this.#failing.fault : undefined;
      fetch(`${target}${request.url}`).then(
        async (answer) => {
          const body = await answer.text();
          const fail = FAULTS[fault ?? ''];
          if (fail !== undefined) return fail(response, body);
          const date = answer.headers.get('date');
          const headers = { 'Content-Type': 'application/json', ...(date === null ? {} : { Date: date }) };
          return response.writeHead(answer.status, headers).end(fault === WITHOUT_PRICE ? withoutPrices(body) : body);
        },
        () => response.socket?.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** An answer in which no market of btc has a price. */
function withoutPrices(body: string): string {
  return body
    .replace(/"\w*btc\w*":\{[^{}]*\},?/g, '')
    .replace(/"ticker":\{[^{}]*\}/g, '"ticker":{}')
    .replace(/"(bids|asks)":\[(\[[^\]]*\],?)*\]/g, '"$1":[]')
    .replaceAll(',}', '}');
}

/** What was wrong with a script when a request of it failed. */
export interface Complaint extends Partial<Failing> {
  readonly title: string;
  readonly what: string;
  readonly ran: Ran;
}

/**
 * Runs a script once, and again for each of its operations as it fails: nothing may be traded, cancelled or halted on what could
 * not be read, and each run has to end with an error.
 * @param choose which of the faults of an operation are tried; it is the one with this index of so many
 */
export async function checkScript(
  exchange: FailingExchange,
  script: Script,
  choose: (faults: readonly string[], index: number, count: number) => readonly string[] = (faults) => faults,
): Promise<{ readonly runs: number; readonly complaints: readonly Complaint[] }> {
  const { title, acts = false, code = 0, mayFail = [], afterDecision = [], mayLackPrices = [] } = script;
  const right = await exchange.run(script);
  const hasActed = ({ seen, printed }: Ran) => seen.some((one) => WRITES.test(one)) || /^Halted/m.test(printed);
  const isRight = right.code === code && right.seen.length > 0 && hasActed(right) === acts;
  const complaints: Complaint[] = isRight
    ? []
    : [{ title, what: 'does not do what it should without a fault', ran: right }];
  const first = right.seen.findIndex((operation) => WRITES.test(operation));
  const operations = [...new Set(right.seen)];
  let runs = 0;
  for (const [index, operation] of operations.entries()) {
    const isDecidedOn = (first === -1 || right.seen.indexOf(operation) < first) && !afterDecision.includes(operation);
    const faults = [
      ...Object.keys(FAULTS),
      ...(PRICES.test(operation) && !mayLackPrices.includes(operation) ? [WITHOUT_PRICE] : []),
    ];
    for (const fault of choose(faults, index, operations.length)) {
      const ran = await exchange.run(script, { operation, fault });
      runs += 1;
      if (isDecidedOn && hasActed(ran))
        complaints.push({ title, operation, fault, what: 'acted on what it did not read', ran });
      // whether a write was carried out although its answer was lost can be found out
      if (ran.code === 0 && !WRITES.test(operation) && !mayFail.includes(operation))
        complaints.push({ title, operation, fault, what: 'ended without an error', ran });
    }
  }
  return { runs, complaints };
}

/** A complaint in a few lines. */
export function complaintText({ title, operation, fault, what, ran }: Complaint): string {
  const when = operation === undefined ? '' : ` (${operation}: ${fault})`;
  return `${title}${when}: ${what}; exit code ${ran.code}, asked for ${ran.seen.join(' ')}\n${ran.printed}${ran.errors.slice(-600)}`;
}
