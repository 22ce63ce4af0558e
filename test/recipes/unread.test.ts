import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { usePitHome } from '../commands/pit-home.js';
import { afterFile } from '../support/after-file.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { requires } from '../support/tools.js';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/recipes.md'), 'utf8');

const scripts = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '']),
);

/** How an answer of the exchange fails, of which `body` is the right one. */
const FAULTS: Readonly<Record<string, (response: ServerResponse, body: string) => void>> = {
  'no connection': (response) => response.socket?.destroy(),
  'a server error': (response) => response.writeHead(500).end('oops'),
  'an empty answer': (response) => response.end(''),
  'an answer that is cut off': (response, body) => {
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  },
};

/** Only for answers that hold prices. */
const WITHOUT_PRICE = 'a coin without a price';

interface Failing {
  readonly operation: string;
  readonly fault: string;
}

const WRITES = /^(order|orderMoreV2|cancelOrder|cancelAllOrdersAfter|withdraw)$/;

/** Passes everything to a host, except the operation that fails. Names the operations in the order in which they first came. */
async function failingProxy(target: string, seen: string[], failing: Failing | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const operation = /\/(\w+)(\?|$)/.exec(request.url ?? '')?.[1] ?? '';
    seen.push(operation);
    void fetch(`${target}${request.url}`).then(
      async (answer) => {
        let body = await answer.text();
        if (failing?.operation === operation) {
          if (failing.fault !== WITHOUT_PRICE) return FAULTS[failing.fault]?.(response, body);
          body = withoutPrices(body);
        }
        const date = answer.headers.get('date');
        response.writeHead(answer.status, {
          'Content-Type': 'application/json',
          ...(date === null ? {} : { Date: date }),
        });
        return response.end(body);
      },
      () => response.socket?.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An answer in which no market of btc has a price. */
function withoutPrices(body: string): string {
  return body
    .replace(/"\w*btc\w*":\{[^{}]*\},?/g, '')
    .replace(/"ticker":\{[^{}]*\}/g, '"ticker":{}')
    .replace(/"(bids|asks)":\[.*?\](?=[,}])/g, '"$1":[]')
    .replaceAll(',}', '}');
}

interface Recipe {
  readonly files?: Readonly<Record<string, string>>;
  /** Makes the recipe act, and end. */
  readonly change?: (script: string) => string;
  /** Runs before each run, on the exchange without faults. */
  readonly before?: string;
  /** Operations that it reads only to say more, such as the checks for duplicates after an order. */
  readonly mayFail?: readonly string[];
  /** Operations of the act itself: what it was decided on had been read. */
  readonly afterDecision?: readonly string[];
}

const CHECKED_LATER = ['getOrders'];

const RECIPES: Readonly<Record<string, Recipe>> = {
  'Value everything you own': {},
  'Cancel orders older than an hour': {
    before: 'order buy btc_usdt 0.001 --at 20000 --override price-band --yes',
    change: (script) => script.replace('now - 3600', 'now + 3600'),
  },
  "Export this month's bills": {},
  "Report yesterday's profit and loss": { before: 'order buy eos_usdt 10 --at ask+1% --ioc --yes' },
  'Place orders from a file': { files: { 'ladder.csv': '26000,0.01\n26001.5,0.02\n' } },
  'Wait for a fill': { change: (script) => script.replace('3600', '4'), mayFail: CHECKED_LATER },
  'Buy at the market': { mayFail: CHECKED_LATER },
  'Watch the spread': {},
  'Sell when the price falls': {
    change: (script) => script.replace("'bid<27000'", "'bid<1e6' --timeout 2"),
    mayFail: CHECKED_LATER,
  },
  'Send a message for each fill': {
    files: { 'notify.sh': 'cat > sent.txt\n' },
    change: (script) => script.replace('86400', '2'),
  },
  'Rebalance to half btc, half usdt': { mayFail: CHECKED_LATER },
  'Cancel everything if a bot dies': { files: { 'bot.sh': 'exit 0\n' } },
  'Stop everything after a loss': {
    afterDecision: ['getOrders', 'cancelAllOrdersAfter'],
    change: (script) => script.replaceAll('10000', '1e12'),
  },
  'Run a bot that survives kills': {
    // one order, not followed until it is filled
    // one order, which it does not follow, and no second try
    change: (script) =>
      script.slice(0, script.lastIndexOf('while')).replace('range(1; 4)', '1').replace('5 | 6 | 7)', '77)'),
    mayFail: CHECKED_LATER,
  },
  'Sum up the day': {},
  'Withdraw everything above 1 btc': { mayFail: ['getFeeInfo', 'getWithdrawRecord'] },
  'Settle unknown outcomes from cron': {},
};

describe.skipIf(!requires('jq'))('a recipe that could not read', () => {
  const pit = usePitHome();
  const folder = temporaryHome();
  let safePassword = '';
  let verified = '';

  beforeAll(async () => {
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(shim, 0o755);
    safePassword = pit.served.address.safePwd;
    verified = (await pit.json<{ address: string }[]>('address btc --withdraw'))[0]?.address ?? '';
  });

  async function run(title: string, { files = {}, change = (script) => script, before }: Recipe, failing?: Failing) {
    if (before !== undefined) await pit.done(before);
    const seen: string[] = [];
    const { PIT_BASE_URL = '', PIT_TRADE_URL = '', ...keys } = pit.served.environment;
    const hosts = {
      PIT_BASE_URL: await failingProxy(PIT_BASE_URL, seen, failing),
      PIT_TRADE_URL: await failingProxy(PIT_TRADE_URL, seen, failing),
    };
    const cwd = mkdtempSync(path.join(folder, 'run-'));
    const all = { 'cold-wallet': `${verified}\n`, 'fund-password': safePassword, ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(path.join(cwd, name), text);
    const environment = plainEnvironment(cwd, { ...keys, ...hosts });
    const env = { ...environment, PATH: `${folder}:${environment.PATH}` };
    const child = spawn('sh', ['-c', change(scripts.get(title) ?? '')], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    let errors = '';
    child.stdout.on('data', (text) => {
      printed += text;
    });
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, printed, errors, seen };
  }

  it.for(Object.entries(RECIPES))(
    '%s neither trades nor halts on it, and ends with an error',
    { timeout: 180_000 },
    async ([title, recipe]) => {
      expect(scripts.get(title), title).toBeTruthy();
      const right = await run(title, recipe);
      const operations = [...new Set(right.seen)];
      const firstWrite = right.seen.findIndex((operation) => WRITES.test(operation));
      const cases = operations.flatMap((operation) =>
        [...Object.keys(FAULTS), ...(/^(allTicker|ticker|depth)$/.test(operation) ? [WITHOUT_PRICE] : [])].map(
          (fault) => ({ operation, fault }),
        ),
      );
      const wrong: unknown[] = [];
      const queue = cases.values();
      const worker = async () => {
        for (const failing of queue) {
          const { code, printed, errors, seen } = await run(title, recipe, failing);
          const at = right.seen.indexOf(failing.operation);
          const isReadFirst =
            (firstWrite === -1 || at < firstWrite) && recipe.afterDecision?.includes(failing.operation) !== true;
          const acted = seen.filter((operation) => WRITES.test(operation) && operation !== failing.operation);
          const hasActed = (isReadFirst && acted.length > 0) || (/^Halted/m.test(printed) && isReadFirst);
          const isSilent = code === 0 && recipe.mayFail?.includes(failing.operation) !== true;
          if (hasActed || isSilent) wrong.push({ ...failing, code, printed, errors: errors.slice(-300), acted });
        }
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      expect({ right: right.seen.length > 0, wrong }).toEqual({ right: true, wrong: [] });
    },
  );

  it('is each of those on the page', () => {
    expect([...scripts.keys()].sort()).toEqual(Object.keys(RECIPES).sort());
  });
});
