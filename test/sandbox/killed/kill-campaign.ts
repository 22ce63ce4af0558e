import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { randomNumbers } from '../../support/random.js';
import { killProcess, serveProcess } from '../support/served-process.js';
import { Acknowledged, Customer } from './customer.js';

export interface KillOptions {
  readonly seed: number;
  readonly kills: number;
}

/** What was compared with the sandbox after all restarts together. */
export interface Held {
  kills: number;
  orders: number;
  cancels: number;
  withdrawals: number;
  bills: number;
}

/** The longest that a sandbox lives under load before it is killed, in ms. */
const LONGEST_LIFE = 400;

/**
 * Kills a sandbox again and again while three customers trade, and after each restart holds it against every answer that
 * they received: nothing may be lost, nothing be there twice, every balance be what its bills say. A ledger that is out
 * of balance keeps the sandbox from starting. Throws on the first complaint.
 */
export async function killCampaign({ seed, kills }: KillOptions): Promise<Held> {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-kills-'));
  const draw = randomNumbers(seed);
  const held: Held = { kills: 0, orders: 0, cancels: 0, withdrawals: 0, bills: 0 };
  let sandbox = await serveProcess(home);
  try {
    const customers = await threeCustomers(sandbox.address);
    for (let round = 0; round < kills; round += 1) {
      const tolds = customers.map(() => new Acknowledged());
      const loads = customers.flatMap((customer, index) =>
        [0, 1, 2].map((lane) =>
          customer.trade(sandbox.address, tolds[index] ?? new Acknowledged(), draw, round * 3 + lane),
        ),
      );
      // on a busy machine all lives may be over before anything was cancelled
      const isIdle = () => round === 0 && tolds.every(({ cancelled }) => cancelled.size === 0);
      while (isIdle()) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, draw() * LONGEST_LIFE));
      await killProcess(sandbox);
      await Promise.all(loads);
      sandbox = await serveProcess(home);
      for (const [index, customer] of customers.entries()) {
        await hold(sandbox.address, customer, tolds[index] ?? new Acknowledged(), held);
      }
      held.kills += 1;
    }
    return held;
  } finally {
    await killProcess(sandbox);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function hold(where: SandboxAddress, customer: Customer, acknowledged: Acknowledged, held: Held): Promise<void> {
  await holdOrders(where, customer, acknowledged);
  await checkPages('withdrawal', acknowledged.withdrawn, (page) => customer.withdrawals(where, page));
  await checkPages('bill', acknowledged.bills, (page) => customer.bills(where, page));
  await checkBalances(where, customer);
  held.orders += acknowledged.placed.size;
  held.cancels += acknowledged.cancelled.size;
  held.withdrawals += acknowledged.withdrawn.size;
  held.bills += acknowledged.bills.size;
}

async function holdOrders(where: SandboxAddress, customer: Customer, acknowledged: Acknowledged): Promise<void> {
  for (const [id, clientId] of acknowledged.placed) {
    const body = await customer.ask(where, 'getOrder', { currency: 'btc_usdt', id });
    const [, found, status] = /^\{"id":"(\d+)".*"status":(\d)/.exec(body) ?? [];
    require(found === id, `the order ${id} is lost: ${body}`);
    if (acknowledged.cancelled.has(id))
      require(status === '1' || status === '2', `the order ${id} is no longer cancelled: ${body}`);
    if (clientId === '') continue;
    const named = await customer.ask(where, 'getOrder', { currency: 'btc_usdt', customerOrderId: clientId });
    require(named.includes(`{"id":"${id}",`), `the order ${id} of ${clientId} is doubled: ${named}`);
  }
}

/** Reads pages until all acknowledged ids are found, each once. */
async function checkPages(
  what: string,
  acknowledged: ReadonlySet<string>,
  read: (page: string) => Promise<string[]>,
): Promise<void> {
  const missing = new Set(acknowledged);
  const seen = new Set<string>();
  for (let page = 1; missing.size > 0; page += 1) {
    const ids = await read(String(page));
    require(ids.length > 0, `lost of ${what}: ${[...missing].join(', ')}`);
    for (const id of ids) {
      require(!seen.has(id), `the ${what} ${id} is there twice`);
      seen.add(id);
      missing.delete(id);
    }
  }
}

/** The newest bill of a coin shows its balance. ltc is left out: pending withdrawals are frozen and already billed. */
async function checkBalances(where: SandboxAddress, customer: Customer): Promise<void> {
  const info = await customer.ask(where, 'getAccountInfo', {});
  for (const coin of ['btc', 'usdt']) {
    const [, available = '', frozen = ''] =
      new RegExp(`"key":"${coin}".*?"available":"([\\d.]+)","freez":"([\\d.]+)"`).exec(info) ?? [];
    const bills = await customer.ask(where, 'getSpotBills', { currency: coin });
    const [, total = '0'] = /"total":"([\d.]+)"/.exec(bills) ?? [];
    const owned = units(available) + units(frozen);
    require(units(total) ===
      owned, `${customer.name} owns ${owned} units of ${coin}, and its bills say ${units(total)}`);
  }
}

function units(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(8, '0'));
}

function require(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}

async function threeCustomers(address: SandboxAddress): Promise<Customer[]> {
  const customers = [new Customer('one', address)];
  for (const name of ['two', 'three']) {
    const added = (await administer(address, '/accounts/add', { name })) as SandboxAddress;
    for (const [coin, amount] of Object.entries({ usdt: '60000', btc: '1', ltc: '100' })) {
      await administer(address, '/transfer', { coin, amount, to: name });
    }
    customers.push(new Customer(name, added));
  }
  return customers;
}

function administer({ adminUrl, adminToken }: SandboxAddress, call: string, input: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const asked = request(new URL(call, adminUrl), { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(input));
  });
}
