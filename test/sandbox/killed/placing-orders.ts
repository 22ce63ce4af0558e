import { Exchange } from '../../../src/sandbox/exchange/exchange.js';

// Places and cancels orders until it is killed, and reports each action once it is durable.

const [directory = '', start = '0'] = process.argv.slice(2);
const firstAccount = { accessKey: 'access', secretKey: 'secret', safePwd: 'pwd', username: 'tester' };
const clock = { time: Number(start) };
const exchange = await Exchange.open({ directory, seed: 7, now: () => clock.time, firstAccount });
const account = exchange.customers.byAccessKey(firstAccount.accessKey);
if (account === undefined) throw new Error('no first account');

function order(index: number) {
  const { bid, ask } = exchange.market.ticker('btc_usdt');
  const price = ['20000', '60000', ask, bid][index % 4] ?? bid;
  const side = index % 4 === 0 || index % 4 === 2 ? 'buy' : 'sell';
  return { market: 'btc_usdt', side, type: 'limit', price, amount: '0.001' } as const;
}

/** Several run at once, as in a server. */
async function trade(worker: number): Promise<void> {
  for (let index = worker; ; index += 1) {
    clock.time += 7;
    exchange.advance();
    const id = exchange.orders.place(account as NonNullable<typeof account>, order(index));
    await exchange.durable();
    process.stdout.write(`placed ${id}\n`);
    if (index % 5 !== 0) continue;
    try {
      exchange.orders.cancel(account as NonNullable<typeof account>, 'btc_usdt', { id });
    } catch {
      continue; // it traded before
    }
    await exchange.durable();
    process.stdout.write(`cancelled ${id}\n`);
  }
}

await Promise.all([0, 1, 2, 3].map(trade));
