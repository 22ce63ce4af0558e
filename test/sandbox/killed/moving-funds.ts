import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';

// Deposits and withdraws until it is killed, and reports each action once it is durable.

const [directory = '', start = '0'] = process.argv.slice(2);
const firstAccount = { accessKey: 'access', secretKey: 'secret', safePwd: 'pwd', username: 'tester' };
const clock = { time: Number(start) };
const exchange = await SandboxExchange.open({ directory, seed: 7, now: () => clock.time, firstAccount });
const found = exchange.customers.byAccessKey(firstAccount.accessKey);
if (found === undefined) throw new Error('no first account');
const account = found;
const address = exchange.funds.withdrawalAddress(account, 'btc');

/** Deposits and withdraws; every third withdrawal fails. */
async function move(worker: number): Promise<void> {
  for (let index = worker; ; index += 1) {
    clock.time += 997;
    exchange.advance();
    const deposit = exchange.funds.deposit(account, { coin: 'btc', amount: '0.01', fail: index % 4 === 0 });
    await exchange.durable();
    process.stdout.write(`deposited ${deposit}\n`);
    const request = { coin: 'btc', amount: '0.002', fee: '0.0005', internal: false, address, safePwd: 'pwd' };
    const withdrawal = exchange.funds.withdraw(account, request);
    await exchange.durable();
    process.stdout.write(`withdrawn ${withdrawal}\n`);
    if (index % 3 !== 0) continue;
    exchange.funds.endWithdrawal(account, 'btc', withdrawal, 'failed');
    await exchange.durable();
    process.stdout.write(`ended ${withdrawal}\n`);
  }
}

await Promise.all([0, 1, 2].map(move));
