// `npm start`: installs, builds, starts the exchange in a box and walks through the main job on it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { prepare, root } from './prepare.js';

prepare();

const program = path.join(root, 'bin', 'pit.js');
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
/** @type {(text: string) => string} */
const faint = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
/** @type {(text: string) => string} */
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);

/** The tour trades on the sandbox alone: whatever exchange the environment names is not its business. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^PIT_(?!HOME$|SANDBOX_)/.test(name)),
);

/** @param {string} text */
function say(text) {
  process.stdout.write(`\n${text}\n`);
}

/**
 * Shows a command line as it would be typed, and runs it.
 * @param {string[]} words
 */
function type(...words) {
  say(`${faint('$')} ${bold(`pit ${words.join(' ')}`)}`);
  const { status } = spawnSync(process.execPath, [program, '--profile', 'sandbox', ...words], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

const mine = `tour${Date.now()}`;

say(bold('A minute with pit, on an exchange that runs on this machine.'));
type('ticker', '--quote', 'usdt');
type('depth', 'btc_usdt', '--size', '5');
type('kline', 'btc_usdt', '--type', '15min', '--size', '6');

say('What you own:');
type('balance', 'btc', 'usdt');

say('An order a little above the best ask fills at once, at the best prices there are:');
type('order', 'buy', 'btc_usdt', '0.01', '--at', 'ask+0.1%', '--yes');
type('orders', 'btc_usdt', '--state', 'filled');

say('One above the market rests in the book, and is cancelled:');
type('order', 'sell', 'btc_usdt', '0.01', '--at', 'ask+5%', '--id', mine, '--yes');
type('orders', 'btc_usdt');
type('cancel', 'btc_usdt', '--id', mine);

say('And what you own now (the fee of a buy is paid in the coin bought):');
type('balance', 'btc', 'usdt');

const typed = path.relative(process.cwd(), program);
// an alias is a part of a command line: a name with a space in it needs quotes of its own
const aliased = /^[\w/.@+:-]+$/.test(program) ? program : `'${program}'`;
say(`${bold('Your turn.')} pit is ${path.isAbsolute(typed) || typed.startsWith('..') ? program : `./${typed}`}; to have it as \`pit\` in this shell:

  alias pit=${JSON.stringify(aliased)}

Then try

  pit order sell btc_usdt 0.005 --at bid     (asks before it sends)
  pit order                                  (asks for all that an order needs)
  pit trades btc_usdt
  pit --help`);
