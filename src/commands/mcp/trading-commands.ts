import { type CommandTable, type Definition, required, several } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import { PREPARED_KINDS, type PreparedWrite } from '../../trading/prepared/prepared-write.js';
import { prepareWrite } from '../commit/prepare.js';
import { PREPARED, preparedRow } from '../commit/prepared-facts.js';
import { commitPrepared, findPrepared } from '../commit/send-prepared.js';
import { marketName, oneOf, preparedId, word } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { openWrite } from '../writes/write.js';

/**
 * The command lines that only the tools of an agent run. They hold its limits, and are no part of pit's own command line: an agent
 * prepares, and `pit commit` is for its user.
 */
export function tradingCommands(limits: AgentLimits): CommandTable {
  return {
    prepare: async () => ({ default: prepare(limits) }),
    prepared: async () => ({ default: showPrepared() }),
    commit: async () => ({ default: commit(limits) }),
  };
}

function prepare(limits: AgentLimits): Definition {
  return define({
    ...INTERNAL,
    arguments: {
      kind: required('what it is', oneOf('kind', ...PREPARED_KINDS)),
      market: required('the market', marketName),
      words: several('a command line of pit', word),
    },
    run: async (context, { kind, market, words: argv }) =>
      answerOf(await prepareWrite(context, limits, { kind, market, argv })),
  });
}

function showPrepared(): Definition {
  return define({
    ...INTERNAL,
    arguments: { id: required('the id of the prepared write', preparedId) },
    run: async (context, { id }) => answerOf(await findPrepared(await openWrite(context), id)),
  });
}

function commit(limits: AgentLimits): Definition {
  return define({
    ...INTERNAL,
    // it sends: what was done is not lost if it cannot be printed
    dryRunOutput: shape.anything,
    arguments: { id: required('the id of the prepared write', preparedId) },
    async run(context, { id }) {
      const write = await openWrite(context);
      return commitPrepared(context, write, await findPrepared(write, id), limits);
    },
  });
}

const INTERNAL = { summary: '', examples: [], output: shape.object(PREPARED) } as const;

function answerOf(prepared: PreparedWrite) {
  return { data: preparedRow(prepared), show: () => prepared.write.text };
}
