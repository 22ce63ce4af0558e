import type { CliContext, CommandContext } from '../../src/cli/context.js';
import type { Definition } from '../../src/cli/definition.js';
import { type Program, type RunningCommand, runAndReport } from '../../src/cli/run.js';
import * as shape from '../../src/cli/shapes.js';
import type { Host } from '../../src/platform/host.js';
import { fakeHost } from '../support/fake-host.js';
import { Kept } from '../terminal/screens.js';

/** A command without flags, whose answer is a line. It has the name of one of pit, because hints have to be lines of pit. */
export const DRAW: Definition = {
  summary: 'Draw a line',
  examples: ['ticker'],
  output: shape.array(shape.object({ id: shape.text(''), price: shape.nullable(shape.decimal('')) })),
  run: async () => ({ data: [{ id: '1', price: '2' }], show: () => 'a line' }),
};

interface Surroundings {
  readonly deadline?: Partial<RunningCommand['deadline']>;
  readonly host?: Partial<Host>;
  readonly program?: Partial<Program>;
}

/**
 * Runs a line of a program whose command `ticker` differs from {@link DRAW} in these parts. Returns its exit code, what it printed, the
 * order in which it was opened, run and closed, and its context.
 */
export async function draw(
  line: string | readonly string[],
  parts: Partial<Definition> = {},
  { deadline, host, program }: Surroundings = {},
) {
  const [output, errors] = [new Kept(), new Kept()];
  const steps: string[] = [];
  const contexts: CliContext[] = [];
  const definition: Definition = {
    ...DRAW,
    ...parts,
    run: (context, input) => {
      steps.push('run');
      return (parts.run ?? DRAW.run)(context, input);
    },
  };
  const note = (step: string) => async () => void steps.push(step);
  const code = await runAndReport(
    { ...fakeHost(), output, errors, arguments: typeof line === 'string' ? line.split(' ') : line, ...host },
    {
      ...{ commands: { ticker: async () => ({ default: definition }) }, groups: {}, synonyms: {}, sections: {} },
      correct: async () => undefined,
      createContext: async (base) => {
        contexts.push(base);
        return {
          context: base as CommandContext,
          activeProfile: async () => 'near',
          deadline: {
            leftMs: () => Number.POSITIVE_INFINITY,
            timeoutFailure: () => new Error('there is no deadline') as never,
            ...deadline,
          },
          open: note('open'),
          close: note('close'),
        };
      },
      ...program,
    },
  );
  const [context] = contexts;
  return { code, stdout: output.text, stderr: errors.text, steps, context };
}
