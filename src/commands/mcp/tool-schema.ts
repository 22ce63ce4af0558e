import * as shape from '../../cli/shapes.js';
import { FROM_OUTSIDE } from './outside-texts.js';
import { parametersSchema } from './parameters.js';
import type { Tool } from './tool.js';

/** A tool as the protocol's `tools/list` has it. */
export function describeTool({ name, title, description, parameters, output, effect }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: parametersSchema(parameters),
    outputSchema: { type: 'object', properties: { data: brief(output) } },
    annotations:
      effect === 'read'
        ? { readOnlyHint: true }
        : {
            readOnlyHint: false,
            destructiveHint: effect === 'destructive',
            idempotentHint: false,
            openWorldHint: true,
          },
  };
}

/** The shape without patterns and lists of required fields: they cost an agent more tokens than they are worth. */
function brief(output: shape.Shape): shape.Shape {
  return shape.mapShape(output, ({ pattern: _pattern, required: _required, title: _title, fromOutside, ...shown }) => {
    if (fromOutside === undefined) return shown;
    const { description, ...rest } = shown;
    return { ...rest, description: description === undefined ? FROM_OUTSIDE : `${description} ${FROM_OUTSIDE}` };
  });
}
