import { lstatSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CommandTable, flag, required, several } from '../../cli/definition.js';
import type { Program } from '../../cli/run.js';
import * as shape from '../../cli/shapes.js';
import type { CandleType } from '../../domain/candle.js';
import { ORDER_TYPES, SIDES } from '../../domain/order.js';
import { Failure, quoted, usage } from '../../errors.js';
import { FILE_MODE } from '../../platform/files/private-files.js';
import { toJson } from '../../terminal/json.js';
import { isoTime } from '../../terminal/time.js';
import { marketName, wholeNumber, word } from '../inputs/parsers.js';
import { RehearsalFolder } from '../rehearse/rehearsal-folder.js';
import { funds } from '../rehearse/rehearse.js';
import { REPORT, type Report } from '../rehearse/report.js';
import { type Context, define } from '../session/command.js';
import { algoParameters } from './algo-parameters.js';
import { choice, type Given, integer, optional, text } from './parameters.js';
import { withParameters } from './prepare-request.js';
import { commandWords, type Tool, tool } from './tool.js';

/** The folder with the tapes that an agent may name, below the state folder. */
const TAPES = 'tapes';
const DEFAULT_DAYS = 3;
const MOST_DAYS = 30;
/** The kind of candle whose last thousand, which one answer has, reach back so many days. */
const CANDLES: readonly (readonly [days: number, type: CandleType, perDay: number])[] = [
  [2, '3min', 480],
  [3, '5min', 288],
  [10, '15min', 96],
  [20, '30min', 48],
  [MOST_DAYS, '1hour', 24],
];
/** Clients give up after a minute. */
const LONGEST_MS = 35_000;
/** So many events of an algo order, and rows of profit and loss, are in an answer. */
const MOST_ROWS = 30;

/** Those without a description are the same in `prepare`. */
const PARAMETERS = {
  market: text(''),
  side: choice('', ...SIDES),
  amount: text(''),
  price: optional(text('')),
  type: optional(choice('', ...ORDER_TYPES)),
  ...algoParameters(false),
  days: optional(integer(`up to ${MOST_DAYS} (default: ${DEFAULT_DAYS})`)),
  tape: optional(text('instead: a file in the folder of tapes')),
  funds: optional(text('at first: btc=1,usdt=10000')),
};

/** The command line that only this tool runs. */
export function rehearsalCommands(program: Program): CommandTable {
  return { 'rehearse-recent': async () => ({ default: recentCommand(program) }) };
}

export const REHEARSE: Tool = tool({
  name: 'rehearse',
  title: 'Rehearse an order',
  description:
    "Try an order with its exits on the market's last days, or on a tape, before you prepare it. Nothing is sent. Its parameters are those of prepare. Give relative prices (bid-2%): it begins in that market.",
  parameters: PARAMETERS,
  output: shape.anything,
  effect: 'read',
  answer: async ({ given, run }) => {
    const { days, tape, funds: list, market, ...order } = given;
    const words = commandWords('rehearse-recent', { days, tape, funds: list }, [market, ...orderWords(order, market)]);
    const { data, error, ...others } = await run(words);
    const renamed = error && {
      ...error,
      message: withParameters(error.message),
      hint: error.hint && withParameters(error.hint),
    };
    return { ...others, ...(data === undefined ? {} : { data: bounded(data as Report) }), error: renamed };
  },
});

function orderWords(
  {
    side,
    amount,
    price,
    type,
    when = [],
    ...flags
  }: Omit<Given<typeof PARAMETERS>, 'market' | 'days' | 'tape' | 'funds'>,
  market: string,
): string[] {
  const kind = { 'post-only': type === 'postOnly', ioc: type === 'ioc' };
  return commandWords('order', { at: price, ...kind, ...flags, when }, [side, market, amount]);
}

function bounded(report: Report): Report {
  const { algo, pnl } = report;
  return {
    ...report,
    pnl: pnl.slice(-MOST_ROWS),
    algo: algo === null ? null : { ...algo, events: algo.events.slice(-MOST_ROWS) },
  };
}

/** `pit rehearse` on the market's last days, or on a tape of the folder. Its last arguments are the order. */
const recentCommand = (program: Program) =>
  define({
    summary: '',
    arguments: { market: required('the market', marketName), command: several('the order', word) },
    flags: {
      days: flag('--days <n>', '', wholeNumber('days', 1, MOST_DAYS)),
      tape: flag('--tape <name>', '', tapeName, { excludes: ['--days'] }),
      funds: flag('--funds <list>', '', funds),
    },
    examples: [],
    output: REPORT,
    async run(context, { market, command, days, tape, funds: own }) {
      const { rehearse } = await import('../rehearse/run-rehearsal.js');
      const wanted = {
        ...{ command, isOwn: true, from: undefined, to: undefined, speed: undefined, latency: undefined },
        ...{ funds: own, fault: [], svg: undefined, out: undefined, force: false, longestMs: LONGEST_MS },
      };
      if (tape !== undefined) return rehearse(context, program, { ...wanted, files: [fileOf(context, tape)] });
      const folder = new RehearsalFolder(context.host);
      try {
        const file = await writeCandles(context, market, days ?? DEFAULT_DAYS, folder.path);
        return await rehearse(context, program, { ...wanted, files: [file] });
      } finally {
        folder.remove();
      }
    },
  });

/** Throws Failure `usage` for anything but the name of a file: an agent gives no path. */
function tapeName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) return name;
  throw usage(
    `${quoted(name)} is not the name of a tape.`,
    'Give the name of a file in the folder of tapes, not a path.',
  );
}

/** Throws Failure `usage` if there is no such file. A link could lead out of the folder. */
function fileOf({ host }: Context, name: string): string {
  const folder = path.join(host.directories.state, TAPES);
  const file = path.join(folder, name);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
  throw usage(`There is no tape ${quoted(name)}.`, `The user can put tapes into ${folder}.`);
}

/** Writes the candles of the last days as a tape. Throws Failure. */
async function writeCandles({ session }: Context, market: string, days: number, folder: string): Promise<string> {
  const [, type, perDay] = CANDLES.find(([reach]) => days <= reach) ?? ([0, '1hour', 24] as const);
  const client = await session.exchange();
  const { market: name } = await (await session.markets()).find(market);
  const { candles, failure } = await client.candles({ market: name, type, size: days * perDay });
  if (candles.length < 2)
    throw (
      failure ?? new Failure('refused', `The exchange shows no candles of ${name}.`, { hint: 'Name a tape instead.' })
    );
  const rows = candles.map(({ time, open, high, low, close, volume }) => {
    const row = { market: name, type, time: isoTime(time), open, high, low, close, volume };
    return `${toJson(row)}\n`;
  });
  const file = path.join(folder, `${name}.ndjson`);
  writeFileSync(file, rows.join(''), { mode: FILE_MODE });
  return file;
}
