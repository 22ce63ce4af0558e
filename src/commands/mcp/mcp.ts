import type { CliContext } from '../../cli/context.js';
import { flag, type Parser, toggle, withCompletion } from '../../cli/definition.js';
import type { Program } from '../../cli/run.js';
import * as shape from '../../cli/shapes.js';
import { GUARD_SETTINGS } from '../../config/settings.js';
import { quoted, suggest, usage } from '../../errors.js';
import { marketName, oneOf, wholeNumber } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { createContext } from '../session/context.js';
import { READ_TOOLS } from './read-tools.js';
import { rehearsalCommands } from './rehearse-tool.js';
import { tradingTools } from './trading-tools.js';

/** The rule of the flags that limit what an agent trades. */
const TRADING = { needs: ['--allow-trading'] } as const;

/** The command that lets an agent use the other commands of a program. */
export const mcpCommand = (program: Program) =>
  define({
    summary: 'Serve an agent over the Model Context Protocol',
    flags: {
      allowTrading: toggle('--allow-trading', 'also offer tools that trade (default: only tools that read)'),
      commit: flag(
        '--commit <mode>',
        'ask for each write, or unattended: asks nobody and needs all limits (default: ask)',
        oneOf('--commit', 'ask', 'unattended'),
        TRADING,
      ),
      markets: flag('--markets <list>', 'trade only in these markets: btc_usdt,eth_usdt', markets, TRADING),
      maxOrder: flag('--max-order <value>', 'the largest order: 100usdt', quoteAmounts('--max-order'), TRADING),
      maxDay: flag('--max-day <value>', 'the most in a UTC day: 1000usdt', quoteAmounts('--max-day'), TRADING),
      maxOpen: flag('--max-open <n>', 'the most open orders', wholeNumber('--max-open', 1, 1_000), TRADING),
      allowBorrow: toggle('--allow-borrow', 'with --commit unattended: orders may borrow on margin', TRADING),
    },
    // --commit says how writes are confirmed, and without --allow-trading there are none
    excludes: ['--yes', '--dry-run'],
    timeout: 'stop each call of a tool after this time; the server itself has no limit',
    examples: ['mcp', 'mcp --allow-trading --profile live'],
    output: shape.anything,
    async run(context, { allowTrading, ...given }) {
      const { globals, budget, session, host, output, link } = context;
      const terms = { ...given, commit: given.commit ?? 'ask' } as const;
      if (given.allowBorrow && terms.commit === 'ask')
        throw usage(
          '--allow-borrow has no effect without --commit unattended.',
          'Leave it out: you confirm each loan with the order.',
        );
      const trading = allowTrading ? tradingTools(context, terms) : { tools: [], commands: {} };
      if (host.input.isTTY === true)
        output.note(['Waiting for a client on stdin.', suggest('Let one start it', 'mcp', 'config', 'CLIENT')]);
      host.holdProgram();
      // the profile at the start: if the user chose another one later, tools would answer from another exchange
      const { profile, hostFromEnvironment } = await session.connection();
      const { serve } = await import('./server.js');
      const { isTimeoutGiven, timeoutMs } = globals;
      const serving = {
        context,
        program: {
          ...program,
          commands: { ...program.commands, ...rehearsalCommands(program), ...trading.commands },
          createContext: async (base: CliContext) => createContext(base, program.commands, link),
        },
        tools: [...READ_TOOLS, ...trading.tools],
        environment: { PIT_PROFILE: profile },
        flags: [
          ...(hostFromEnvironment ? [] : [`--profile=${profile}`]),
          ...(isTimeoutGiven ? [`--timeout=${timeoutMs / 1_000}`] : []),
        ],
      };
      await budget.withoutDeadline(() => serve(serving));
      return undefined;
    },
  });

const markets = withCompletion({ of: 'market' }, (list): readonly string[] =>
  list.split(',').map((name) => marketName(name.trim())),
);

/** Amounts by quote coin, in the form in which settings keep them. */
function quoteAmounts(name: string): Parser<string> {
  return (word) => {
    const amounts = word === 'off' ? null : GUARD_SETTINGS.orderNotional.parse(word);
    if (amounts !== null) return amounts;
    throw usage(
      `${name} must be an amount of a quote coin, not ${quoted(word)}.`,
      'Write it like 100usdt or 100usdt,0.01btc.',
    );
  };
}
