import { type CommandTable, several } from '../cli/definition.js';
import { valueFields } from '../cli/row-fields.js';
import * as shape from '../cli/shapes.js';
import type { Answer } from '../terminal/answer.js';
import { word } from './inputs/parsers.js';
import { schemasOf } from './schemas.js';
import { define } from './session/command.js';

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
