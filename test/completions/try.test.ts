import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { ask } from './shells.js';

it('tries', async () => {
  const folder = mkdtempSync('/tmp/comp-try-');
  const symbols = `${folder}/home/cache/symbols/sandbox`;
  mkdirSync(symbols, { recursive: true });
  writeFileSync(`${symbols}/markets`, 'btc_usdt\nbtc_qc\neth_usdt\n');
  writeFileSync(`${symbols}/coins`, 'btc\nusdt\neth\n');
  writeFileSync(`${symbols}/orders`, 'btc_usdt 202611213892190900 mine1\neth_usdt 302611213892190900 other1\n');
  const shell = (process.env.TRY ?? 'bash') as 'bash';
  const typed = [
    'pit dep',
    'pit depth e',
    'pit depth b',
    'pit order buy BT',
    'pit orders --side=b',
    'pit orders --side s',
    'pit --profile sandbox cancel btc_usdt 2',
    'pit cancel btc_usdt --id m',
    'pit order sh',
    'pit order show eth_usdt ',
    'pit order --override price-band,p',
    'pit --json order b',
    'pit help order re',
    'pit depth --si',
    'pit depth --size 5 --si',
    'pit kline btc_usdt --type=1',
    'pit cancel-after btc_usdt --hold -- tou',
    'pit depth --merge -5 et',
    'pit balance --in=us',
    'pit account ',
    'pit keys set --file /etc/passw',
    'pit orders --si=',
    'FOO=1 pit dept',
    'pit --profile ',
    'pit profile set sandbox zo',
    'pit sandbox fau',
  ];
  const answers = await ask(shell, { folder, before: process.env.BEFORE ?? '' }, typed);
  for (const [i, t] of typed.entries())
    console.log(
      JSON.stringify(t),
      '=>',
      JSON.stringify(answers[i]?.line),
      answers[i]?.line === t ? JSON.stringify(answers[i]?.listed.slice(-300)) : '',
    );
}, 60_000);
