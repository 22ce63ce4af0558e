import { flag, repeated, several, withCompletion } from '../../cli/definition.js';
import type { Program } from '../../cli/run.js';
import { Decimal } from '../../domain/decimal.js';
import { quoted, suggest, usage } from '../../errors.js';
import { FAULT_KINDS, type FaultKind } from '../../sandbox/faults/rules.js';
import { type CandlePath, DEFAULT_SEED } from '../../sandbox/replay/candle-path.js';
import { coinName, duration, filePath, marketName, moment, oneOf, requireRange } from '../inputs/parsers.js';
import { forceFlag } from '../named-files/force.js';
import { define } from '../session/command.js';
import { REPORT } from './report.js';

const MOST_SPEED = 1_000_000;
const FAULTS = Object.keys(FAULT_KINDS) as FaultKind[];

/** The command that tries other commands, and programs, on a recorded market. */
export const rehearseCommand = (program: Program) =>
  define({
    summary: 'Try a bot or an order on a recorded market',
    arguments: {
      files: several('tapes, or sandbox for 21 recorded days; then -- and the command or program', filePath),
    },
    flags: {
      from: flag('--from <time>', 'begin at this time (default: the beginning of the tape)', moment),
      to: flag('--to <time>', 'end before this time (default: the end of the tape)', moment),
      speed: flag('--speed <n>', 'for a program: run the clock n times as fast (default: 1)', speed),
      latency: flag('--latency <duration>', 'what a request and a push take: 80ms (default: 0ms)', duration),
      funds: flag('--funds <list>', 'what the account begins with: btc=1,usdt=10000 (default: as the sandbox)', funds),
      market: flag('--market <market>', 'of files that name none: CSV of other programs', marketName),
      fee: flag(
        '--fee <list>',
        'fees of the exchange that is meant: maker=0.02%,taker=0.05% (default: 0.2% for both)',
        fees,
      ),
      path: flag(
        '--path <order>',
        `how prices move within candles: random:SEED, worst, ohlc or olhc (default: random:${DEFAULT_SEED})`,
        pathWord,
      ),
      fault: repeated(
        '--fault <kind>',
        `apply this fault to every tenth request or frame: ${FAULTS.join(', ')}`,
        fault,
      ),
      svg: flag('--svg <file>', 'draw the candles, the fills and the value over time', filePath),
      out: flag('--out <file>', 'write the fills to this file, .csv or .ndjson', filePath),
      force: forceFlag('--svg', '--out'),
    },
    timeout: 'has no meaning: it runs until the command or the tape ends, or Ctrl-C',
    examples: [
      'rehearse sandbox --to 2023-03-01T02:00 -- order sell btc_usdt 0.5 --trail 1%',
      'rehearse tape.ndjson.gz --funds usdt=10000 --json -- order buy btc_usdt 0.1 --over 2h',
      'rehearse sandbox --speed 600 --svg grid.svg -- node bot.mjs',
    ],
    output: REPORT,
    async run(context, { files: words, from, to, ...given }) {
      const { host } = context;
      const { files, command } = split(host.arguments, words);
      requireRange([from, to], ['--from', '--to'], host.now());
      const isOwn = Object.keys(program.commands).some((name) => name.split(' ')[0] === command[0]);
      if (isOwn) requireTrading(command, given.speed);
      // it brings the exchange, which nothing else needs
      const { rehearse } = await import('./run-rehearsal.js');
      const now = host.now();
      return rehearse(context, program, { ...given, files, command, isOwn, from: from?.(now), to: to?.(now) });
    },
  });

/** The tapes, and the command after `--`. Throws Failure `usage` if one of them is missing. */
function split(args: readonly string[], words: readonly string[]) {
  const at = args.indexOf('--');
  const command = at === -1 ? [] : args.slice(at + 1);
  const files = words.slice(0, words.length - command.length);
  const example = suggest(
    'For instance',
    'rehearse',
    'sandbox',
    '--',
    'order',
    'sell',
    'btc_usdt',
    '0.5',
    '--trail',
    '2%',
  );
  if (command.length === 0) throw usage('There is no command after --.', example);
  if (files.length === 0) throw usage('There is no tape.', example);
  return { files, command };
}

/** The commands that can be rehearsed: those that trade and end by themselves. */
const REHEARSED: ReadonlySet<string> = new Set(['order', 'cancel']);

function requireTrading([name = '']: readonly string[], given: number | undefined): void {
  if (!REHEARSED.has(name))
    throw usage(
      `pit ${name} cannot be rehearsed: it places no orders.`,
      `Rehearse pit order or pit cancel. A program of this name is run by its path: ./${name}`,
    );
  if (given !== undefined)
    throw usage('--speed has no meaning for a command of pit.', 'It always runs as fast as this machine can.');
}

const HIGHEST_FEE = Decimal.of('10');

/** What makers and takers pay, in millionths. Throws Failure `usage` for anything but `maker=0.02%,taker=0.05%`. */
function fees(list: string): { readonly maker?: bigint; readonly taker?: bigint } {
  const pairs = list.split(',').map((pair) => {
    const [, who, percent = ''] = /^(maker|taker)=(\d{1,2}(?:\.\d{1,4})?)%$/.exec(pair) ?? [];
    if (who === undefined || Decimal.of(percent).compare(HIGHEST_FEE) > 0)
      throw usage(
        `--fee cannot read ${quoted(pair)}.`,
        'Give maker, taker or both, each from 0% to 10% with at most four decimals, such as maker=0.02%,taker=0.05%.',
      );
    return [who, Decimal.of(percent).rescaled(4, 'down').units] as const;
  });
  if (new Set(pairs.map(([who]) => who)).size < pairs.length)
    throw usage('--fee names one of them twice.', 'Give each once.');
  return Object.fromEntries(pairs);
}

const pathWord = withCompletion({ of: 'words', words: ['random', 'worst', 'ohlc', 'olhc'] }, (word): CandlePath => {
  const [random, seed = DEFAULT_SEED] = /^random(?::(\d{1,9}))?$/.exec(word) ?? [];
  if (random !== undefined) return { kind: 'random', seed: Number(seed) };
  if (word === 'worst' || word === 'ohlc' || word === 'olhc') return { kind: word };
  throw usage(
    `${quoted(word)} is no path within candles.`,
    'Give random:SEED with a number up to 999999999, worst, ohlc or olhc.',
  );
});

function speed(word: string): number {
  const value = /^\d{1,7}(\.\d{1,3})?$/.test(word) ? Number(word) : 0;
  if (value > 0 && value <= MOST_SPEED) return value;
  throw usage(`--speed must be above 0 and at most ${MOST_SPEED}, not ${quoted(word)}.`);
}

/** Throws Failure `usage` for anything but `btc=1,usdt=10000`. */
export function funds(list: string): Readonly<Record<string, string>> {
  const pairs = list.split(',').map((pair) => {
    const [coin = '', amount = '', ...rest] = pair.split('=');
    const value = Decimal.parse(amount);
    if (rest.length > 0 || value === undefined || value.sign < 0)
      throw usage(`${quoted(pair)} is no amount of a coin.`, 'Write it as in --funds btc=1,usdt=10000.');
    return [coinName(coin), value.toString()] as const;
  });
  const coins = pairs.map(([coin]) => coin);
  const twice = coins.find((coin, index) => coins.indexOf(coin) !== index);
  if (twice !== undefined) throw usage(`--funds names ${twice} twice.`, 'Give each coin once.');
  return Object.fromEntries(pairs);
}

const fault = oneOf('--fault', ...FAULTS);
