import { expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

const CTRL_D = '\u0004';
const ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const IN_FOURS = '1Boa tSLR HtKN ngkd XEeo bR76 b53L ETtp yT';

/** All that came to the terminal, in one line. */
async function shownFor(line: string, answer: string): Promise<string> {
  const steps = [{ await: answer, type: CTRL_D }];
  const { screen } = await pit.terminal(line, { columns: 40, rows: 10, environment: { NO_COLOR: '1' }, steps });
  const plain = screen.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '');
  return plain.replace(/\s+/g, ' ');
}

it.each<[line: string, answer: string, question: string]>([
  ['order buy btc_usdt 0.01 --at 20000', '[y/N]', 'Place this order: buy 0.01 btc_usdt at 20,000? [y/N]'],
  [
    'order buy btc_usdt 0.01 --at 60000 --override price-band',
    '[y/N]',
    'Place this order: buy 0.01 btc_usdt at 60,000? [y/N]',
  ],
  [
    'order buy btc_usdt 0.01 --at 60000',
    'anyway:',
    'Place this order: buy 0.01 btc_usdt at 60,000? price-band blocks this. Type price-band to send it anyway:',
  ],
  [
    'order batch buy btc_usdt --ladder 20000:21000:5 --amount 0.1 --override price-band',
    '[y/N]',
    'Place these 5 orders: buy 0.1 btc_usdt in all at 20,000.00 to 21,000.00? [y/N]',
  ],
  ['api order currency=btc_usdt price=20000 amount=0.01 tradeType=1', '[y/N]', 'buy 0.01 btc_usdt at 20,000? [y/N]'],
  ['api setRepayState currency=btc_usdt on=1', '[y/N]', 'Send setRepayState currency=btc_usdt on=1? [y/N]'],
  ['cancel-after btc_usdt', '[y/N]', 'Cancel EVERY order of btc_usdt in one minute (now buys: '],
  [`withdraw btc 0.01 --to ${ADDRESS}`, 'send it:', `Withdraw 0.01 btc to ${IN_FOURS}? Type the last 6 characters`],
  [
    `withdraw btc 0.01 --to ${ADDRESS} --confirm-address ${ADDRESS}`,
    'password:',
    `Withdraw 0.01 btc to ${IN_FOURS}? Fund password:`,
  ],
  [
    'withdraw xrp 50 --to rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH --memo 1234',
    'send it:',
    'Withdraw 50 xrp to rN7n 7otQ Dd6F czFg LdSq tcsA UxDk w6fz RH with memo 1234? Type the last 6 characters',
  ],
])('the question of %s names what it confirms, at 40x10', async (line, answer, question) => {
  expect(await shownFor(line, answer)).toContain(question);
});

it('the questions of replacing and cancelling name the orders, at 40x10', async () => {
  const { id } = await pit.json<{ readonly id: string }>('order buy btc_usdt 0.01 --at 20000 --yes');
  expect(await shownFor(`order replace btc_usdt ${id} --at 20100`, '[y/N]')).toContain(
    `Cancel order ${id} and buy 0.01 btc_usdt at 20,100 instead? [y/N]`,
  );
  expect(await shownFor('cancel btc_usdt --all', '[y/N]')).toContain(
    'Cancel this order of btc_usdt (buys: 1 open, for 200 usdt)? [y/N]',
  );
});
