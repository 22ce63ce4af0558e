import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Decimal } from '../../../src/domain/decimal.js';
import { COINS, UNIT_DECIMALS } from '../../../src/sandbox/markets/coins.js';
import { BILL_WORDS } from '../../../src/sandbox/server/interface-details.js';
import { killProcess, type ServedProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { nodeOptions, PIT } from '../../support/command.js';
import { randomNumbers } from '../../support/random.js';
import { CHECKS, type LedgerBill } from './bill-checks.js';

export interface BillOptions {
  readonly seed: number;
  /** How many bills the two accounts have. */
  readonly few: number;
  readonly many: number;
}

/** The cost of one output format in the real program. */
export interface Measured {
  readonly words: string;
  /** Peak resident memory in MiB, for few and for many bills. */
  readonly few: number;
  readonly many: number;
  /** For many bills. */
  readonly seconds: number;
}

interface Account {
  readonly id: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const LANES = 32;
const DAY_MS = 86_400_000;
const TELL_MEMORY = `process.on('exit', () => require('fs').writeSync(3, String(process.resourceUsage().maxRSS)));`;

/**
 * Gives two sandbox accounts bills younger and older than 48 hours, and lists, exports and sums them with the real program.
 * Throws if an answer differs from the sandbox's ledger in any digit.
 */
export async function billCampaign({ seed, few, many }: BillOptions): Promise<Measured[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-bills-'));
  const sandbox = await serveProcess(home);
  try {
    const admin = adminOf(sandbox);
    const small = (await admin('POST /accounts/add', { name: 'small' })) as Account;
    const large = (await admin('POST /accounts/add', { name: 'large' })) as Account;
    const draw = randomNumbers(seed);
    for (const [part, days] of [
      [0.6, 3],
      [0.4, 0],
    ] as const) {
      await transfer(admin, 'small', Math.round(few * part), draw);
      await transfer(admin, 'large', Math.round(many * part), draw);
      await admin('POST /clock/advance', { ms: days * DAY_MS });
    }
    const ledgers = await ledgersOf(admin, path.join(home, 'exported.ndjson'));
    const measured: Measured[] = [];
    for (const [words, check] of Object.entries(CHECKS)) {
      const ask = async (account: Account, count: number) => {
        const ledger = ledgers.get(account.id) ?? [];
        const ran = await run(home, sandbox, account, words);
        demand(ledger.length === count && check(ledger, ran.stdout), `${words} of ${count} bills is not the ledger`);
        return ran;
      };
      const [least, most] = [await ask(small, few), await ask(large, many)];
      measured.push({ words, few: least.memory, many: most.memory, seconds: most.seconds });
    }
    return measured;
  } finally {
    await killProcess(sandbox);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Admin = (call: string, input?: object) => Promise<unknown>;

/** The sandbox's administration over keep-alive connections. */
function adminOf({ address }: ServedProcess): Admin {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const headers = { authorization: `Bearer ${address.adminToken}` };
  return async (call, input = {}) => {
    const [method = '', target = ''] = call.split(' ');
    const asked = request(new URL(target, address.adminUrl), { method, headers, agent });
    asked.end(JSON.stringify(input));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const body = await text(response);
    demand(response.statusCode === 200, `${call}: ${body}`);
    return JSON.parse(body);
  };
}

/** Moves random amounts of coins to the account and sometimes back; each move makes a bill. */
async function transfer(admin: Admin, name: string, count: number, draw: () => number): Promise<void> {
  const coins = [...COINS.values()];
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const { coin, unitDecimal } = coins[Math.floor(draw() * coins.length)] ?? { coin: 'btc', unitDecimal: 8 };
      const units = BigInt(1 + Math.floor(draw() * 10 ** Math.ceil(draw() * 4)));
      const amount = Decimal.fromUnits(units, unitDecimal).toString();
      await admin('POST /transfer', { coin, amount, to: name });
      if (left === 0 || draw() < 0.6) continue;
      left -= 1;
      await admin('POST /transfer', { coin, amount, account: name, to: 'sandbox' });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** A whole number as an exported file has it. */
interface Units {
  readonly $bigint: string;
}

interface StoredBill {
  readonly id: Units;
  readonly coin: string;
  readonly change: Units;
  readonly balance: Units;
  readonly time: number;
  readonly kind: keyof typeof BILL_WORDS;
  readonly remark: string;
}

/** The bills of all accounts in the sandbox's ledger, newest first, by account id. */
async function ledgersOf(admin: Admin, file: string): Promise<Map<string, LedgerBill[]>> {
  await admin('POST /export', { file });
  const ledgers = new Map<string, LedgerBill[]>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, account] = /^\["bills\/([^/]+)\//.exec(line) ?? [];
    if (account === undefined) continue;
    // a row holds several bills, oldest first
    const [, bills] = JSON.parse(line) as [string, StoredBill[]];
    ledgers.set(account, [...(ledgers.get(account) ?? []), ...bills.map(shown)]);
  }
  for (const ledger of ledgers.values()) ledger.reverse();
  return ledgers;
}

function shown({ id, coin, change, balance, time, kind, remark }: StoredBill): LedgerBill {
  const plain = ({ $bigint }: Units) => Decimal.fromUnits(BigInt($bigint), UNIT_DECIMALS).trimmed().toString();
  const amounts = { change: plain(change), balance: plain(balance) };
  const moment = new Date(time).toISOString();
  // the zone of the sandbox's dates
  const inUtc = moment.slice(0, 19).replace('T', ' ');
  const bill = { id: id.$bigint, time: moment, coin, type: BILL_WORDS[kind], ...amounts, remark };
  return { ...bill, total: amounts.balance, timeRaw: inUtc };
}

/** Runs the real program, which reports its peak memory on a fourth stream. */
async function run(home: string, { address }: ServedProcess, account: Account, words: string) {
  const hook = path.join(home, 'tell-memory.cjs');
  writeFileSync(hook, TELL_MEMORY);
  const start = performance.now();
  const child = spawn(PIT.command, [...PIT.arguments, ...words.split(' ')], {
    env: { ...environment(home, address, account), ...nodeOptions('--require', hook) },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [code, stdout, memory] = await Promise.all([
    once(child, 'exit').then(([status]) => status as number | null),
    text(child.stdout as Readable),
    text(child.stdio[3] as Readable),
  ]);
  demand(code === 0, `${words} ended with ${code}`);
  return { stdout, memory: Number(memory) / 1024, seconds: (performance.now() - start) / 1000 };
}

function environment(home: string, { baseUrl, tradeUrl }: ServedProcess['address'], { accessKey, secretKey }: Account) {
  const { PATH = '' } = process.env;
  const hosts = { PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl };
  return { PATH, TZ: 'UTC', PIT_HOME: home, ...hosts, PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
}

function demand(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
