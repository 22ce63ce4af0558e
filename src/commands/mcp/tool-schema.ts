import * as shape from '../../cli/shapes.js';
import { FROM_OUTSIDE } from './outside-texts.js';
import type { Parameter, Tool } from './tool.js';

/** A tool as the protocol's `tools/list` has it. */
export function describeTool({ name, title, description, parameters, output, effect }: Tool): object {
  const required = Object.entries(parameters).flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(parameters).map(([key, one]) => [key, parameterSchema(one)])),
      ...(required.length === 0 ? {} : { required }),
    },
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

/** Numbers are accepted for text too, but a schema with two types is more than some clients can read. */
function parameterSchema({ type, description, choices }: Parameter): object {
  const values = choices === undefined ? {} : { enum: choices };
  if (type === 'texts') return { type: 'array', items: { type: 'string', ...values }, description };
  const name = { text: 'string', integer: 'integer', switch: 'boolean' }[type];
  return { type: name, description, ...values };
}

/** The shape without patterns and lists of required fields: they cost an agent more tokens than they are worth. */
function brief(output: shape.Shape): shape.Shape {
  return shape.mapShape(output, ({ pattern: _pattern, required: _required, title: _title, fromOutside, ...shown }) => {
    if (fromOutside === undefined) return shown;
    const { description, ...rest } = shown;
    return { ...rest, description: description === undefined ? FROM_OUTSIDE : `${description} ${FROM_OUTSIDE}` };
  });
}
