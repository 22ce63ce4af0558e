import { rulesByKey } from '../../cli/flag-rules.js';
import * as shape from '../../cli/shapes.js';
import { parametersSchema } from './parameters.js';
import { FROM_OUTSIDE } from './run-command.js';
import type { Tool } from './tool.js';

/** A tool as the protocol's `tools/list` has it. */
export function describeTool({ name, title, description, parameters, follows, output, effect }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: parametersSchema(parameters, rulesByKey(follows ?? {}, Object.keys(parameters))),
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

/**
 * The shape without patterns and lists of required fields, and without the type of what is text or null: they cost an agent more tokens
 * than they are worth. The instructions of the server say what a field without a type is.
 */
function brief(output: shape.Shape): shape.Shape {
  return shape.mapShape(output, ({ pattern: _pattern, required: _required, title: _title, fromOutside, ...all }) => {
    const { type, ...rest } = all;
    const isTextOrNull = Array.isArray(type) && String(type) === 'string,null' && all.enum === undefined;
    const shown = withoutObvious(withoutRaw(isTextOrNull ? rest : all));
    if (fromOutside === undefined) return shown;
    const { description, ...others } = shown;
    return { ...others, description: description === undefined ? FROM_OUTSIDE : `${description} ${FROM_OUTSIDE}` };
  });
}

/** Descriptions that add nothing to the server's instructions, the name of the field or the description of the tool. */
const OBVIOUS: ReadonlySet<unknown> = new Set([
  ...['in the base coin', 'in the quote coin', 'so far', 'when it was placed'],
  ...['of the order', 'of the trade', 'of the bill', 'of the record'],
  ...['best bid', 'best ask', 'price of the last trade', 'amount less what has filled'],
  ...['what it does', 'the orders that it places, exactly', 'the orders that it cancels'],
]);

function withoutObvious({ description, ...others }: shape.Shape): shape.Shape {
  return description === undefined || OBVIOUS.has(description) ? others : { ...others, description };
}

/** Without what the exchange sends beside a field that says the same in words. */
function withoutRaw({ properties, ...others }: shape.Shape): shape.Shape {
  if (properties === undefined) return others;
  const { status: _status, timeRaw: _timeRaw, ...shown } = properties;
  return { ...others, properties: shown };
}
