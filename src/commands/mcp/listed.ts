import type * as shape from '../../cli/shapes.js';
import type { Shape } from '../../cli/shapes.js';
import type { Parameter, Tool } from './tool.js';

/** A tool as the protocol lists it. */
export function listed({ name, title, description, parameters, output, effect }: Tool): object {
  const required = Object.entries(parameters).flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(parameters).map(([key, one]) => [key, parameterSchema(one)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { data: brief(output) } },
    annotations:
      effect === 'read'
        ? { readOnlyHint: true, openWorldHint: true }
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

/** The shape without what costs an agent more tokens than it tells: patterns, wire names, and lists of fields that are always there. */
function brief({
  type,
  description,
  enum: values,
  properties,
  items,
  additionalProperties,
  anyOf,
}: Shape): shape.Shape {
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, brief(one)])) }),
    ...(items === undefined ? {} : { items: brief(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: brief(additionalProperties) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(brief) }),
  };
}
