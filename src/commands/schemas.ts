import type { CommandTable, Definition } from '../cli/definition.js';
import * as shape from '../cli/shapes.js';
import { unknownWord } from '../config/nearest.js';
import { FAILURES, INTERRUPTED, suggest } from '../errors.js';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const MESSAGE = {
  message: shape.text('what happened'),
  hint: shape.nullable(shape.text('what to do next')),
};

const ERROR = shape.object({
  kind: shape.enumOf([...Object.keys(FAILURES), INTERRUPTED], ''),
  ...MESSAGE,
  exitCode: shape.integer(''),
  code: shape.nullable(shape.integer("the exchange's return code")),
  clientId: shape.nullable(shape.text('the id of the write that it is about')),
});

/** The lines of stderr with `--json`; an error is the last one. */
const ON_STDERR: Readonly<Record<string, shape.Shape>> = {
  warning: shape.object({ warning: shape.object(MESSAGE) }),
  error: shape.object({
    error: {
      ...ERROR,
      properties: { ...ERROR.properties, halted: shape.boolean('true if pit halt stopped the write, else missing') },
    },
  }),
};

/** A complete schema, as `pit schema` prints it. */
interface Schema extends shape.Shape {
  readonly $schema: string;
  readonly title: string;
}

/** All that `--json` may print for a command, a dry run included. @internal for its test */
export function schemaOf(commandPath: string, { output, dryRunOutput }: Definition): Schema {
  return whole(
    `pit ${commandPath}`,
    dryRunOutput === undefined ? output : shape.anyOf(output, { ...dryRunOutput, title: 'with --dry-run' }),
  );
}

function whole(title: string, document: shape.Shape): Schema {
  return { $schema: DRAFT, title, ...document };
}

/**
 * The schema of a command, or of all that its words group; of every one, and of the lines on stderr, without words.
 * Throws Failure `usage` with the nearest names.
 */
export async function schemasOf(commandPath: string, commands: CommandTable): Promise<Record<string, Schema>> {
  const names = [...Object.keys(commands), ...Object.keys(ON_STDERR)];
  const below = names.filter((name) => commandPath === '' || name.startsWith(`${commandPath} `));
  const wanted = names.includes(commandPath) ? [commandPath] : below;
  if (wanted.length === 0)
    throw unknownWord('command', commandPath, names).hinting(suggest('List the commands', '--help'));
  const loaded = async (name: string) => {
    const load = commands[name];
    return load === undefined
      ? whole('pit --json, on stderr', ON_STDERR[name] ?? shape.anything)
      : schemaOf(name, (await load()).default);
  };
  return Object.fromEntries(await Promise.all(wanted.map(async (name) => [name, await loaded(name)])));
}
