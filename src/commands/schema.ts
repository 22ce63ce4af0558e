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
      interface: shape.text('the interface fields it comes from'),
    }),
    async run(_context, { command }) {
      const commandPath = command.join(' ');
      const schemas = await schemasOf(commandPath, commands);
      const data = schemas[commandPath] ?? schemas;
      return {
        data,
        csv: Object.entries(schemas).flatMap(([name, schema]) => rowsOf(name, schema)),
        show: () => JSON.stringify(data, null, 2),
      } satisfies Answer;
    },
  });

function rowsOf(command: string, schema: shape.Shape): object[] {
  return valueFields(schema).map(([field, { type = 'any', description, $comment }]) => ({
    command,
    field,
    type: typeof type === 'string' ? type : type.join(' or '),
    description: description ?? '',
    interface: $comment ?? '',
  }));
}
