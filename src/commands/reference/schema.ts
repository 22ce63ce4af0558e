import { type CommandTable, type Definition, several } from '../../cli/definition.js';
import { valueFields } from '../../cli/row-fields.js';
import * as shape from '../../cli/shapes.js';
import { unknownWord } from '../../config/nearest.js';
import { FAILURES, INTERRUPTED, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { word } from '../inputs/parsers.js';
import { define } from '../session/command.js';

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
      properties: {
        ...ERROR.properties,
        order: shape.id('the id of the order that has the client id already, else missing'),
        halted: shape.boolean('true if pit halt stopped the write, else missing'),
      },
    },
  }),
};

/** The command that prints the schemas of commands. */
export const schemaCommand = (commands: CommandTable) =>
  define({
    summary: 'Print the JSON Schema of command output',
    arguments: { command: several('the words of a command, warning or error; without them, all', word) },
    examples: ['schema order', 'schema order show', 'schema error', 'schema --csv'],
    output: shape.anything,
    row: shape.object({
      command: shape.text(''),
      field: shape.text('its name, with [] for the elements of a list'),
      type: shape.text(''),
      description: shape.text(''),
      fromOutside: shape.boolean('whether the exchange, or a stranger through it, has chosen the text'),
    }),
    async run(_context, { command }) {
      const commandPath = command.join(' ');
      const schemas = await schemasOf(commandPath, commands);
      const published = Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, publishedSchema(one)]));
      const data = published[commandPath] ?? published;
      return {
        data,
        csv: Object.entries(schemas).flatMap(([name, schema]) => rowsOf(name, schema)),
        show: () => JSON.stringify(data, null, 2),
      } satisfies Answer;
    },
  });

function rowsOf(command: string, schema: shape.Shape): object[] {
  return valueFields(schema).map(([field, { type = 'any', description, fromOutside = false }]) => ({
    command,
    field,
    type: typeof type === 'string' ? type : type.join(' or '),
    description: description ?? '',
    fromOutside,
  }));
}

/** A schema as JSON Schema knows it. Checkers may refuse keywords of pit, so the mark becomes a comment for readers. */
function publishedSchema(schema: shape.Shape): object {
  return shape.mapShape(schema, ({ fromOutside, ...rest }) => ({
    ...rest,
    ...(fromOutside && { $comment: 'from outside: the exchange, or a stranger through it, has chosen this text' }),
  }));
}

/** A complete schema, as `pit schema` prints it. */
interface Schema extends shape.Shape {
  readonly $schema: string;
  readonly title: string;
}

/** All that `--json` may print for a command, a dry run included. */
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
