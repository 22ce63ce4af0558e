// `npm run campaign:bills [-- BILLS [SEED]]`
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { billCampaign } from '../commands/funds/bill-campaign.js';
import { type DrawnAccount, drawnAccount } from '../trading/pnl/drawn-account.js';

const FEW = 1_000;
/** Accounts at exchanges that list bills late, forget them, or book fees in another way. */
const ACCOUNTS = 500;
const [many = '100000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
process.stdout.write(`seed ${seed}, ${many} bills next to ${FEW}\n`);
const folder = mkdtempSync(path.join(tmpdir(), 'pit-bills-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const drawn: DrawnAccount[] = [];
for (let account = 0; account < ACCOUNTS; account += 1) drawn.push(await drawnAccount(Number(seed) + account, folder));
const sum = (of: (account: DrawnAccount) => number) => drawn.reduce((total, account) => total + of(account), 0);
process.stdout.write(
  `${ACCOUNTS} accounts at exchanges that list 90 days: ${sum(({ trades }) => trades)} trades in ${sum(({ readings }) => readings)} readings, ` +
    `${sum(({ late }) => late)} of them with late bills; fees none, apart or inside: ` +
    `${['none', 'apart', 'inside'].map((booking) => drawn.filter((one) => one.booking === booking).length).join(', ')}; nothing was lost\n`,
);
const options = { seed: Number(seed), few: FEW, many: Number(many) };
const measured = await billCampaign(options);
for (const { words, few, many: most, seconds } of measured) {
  process.stdout.write(
    `${(most / few).toFixed(2)} x the memory   ${words}: the ledger to the digit; wanted 1.3 at most ` +
      `(${most.toFixed(0)} MiB to ${few.toFixed(0)} MiB; ${seconds.toFixed(0)} s)\n`,
  );
}
