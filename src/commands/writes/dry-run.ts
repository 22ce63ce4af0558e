import * as shape from '../../cli/shapes.js';
import type { Answer } from '../../terminal/answer.js';

/** What is known of any write before it is sent; an order's preview has more. */
export const PREVIEW_FIELDS = {
  price: shape.nullable(shape.decimal('')),
  amount: shape.nullable(shape.decimal('')),
  notional: shape.nullable(shape.decimal('price times amount, in the quote coin')),
  fee: shape.nullable(shape.decimal('an estimate')),
  warnings: shape.array(shape.text('')),
};

/** A request that is not sent. */
export const REQUEST = shape.mapOf(
  shape.text(''),
  'the address and the parameters; key, signature and fund password are masked',
);

/** What a dry run of a change to pit's own files, or the sandbox's, prints: there is no request, and nothing to preview. */
export const DRY_CHANGE = shape.object({
  dryRun: shape.boolean('always true'),
  operation: shape.text('what would be done'),
  request: shape.nullable(REQUEST),
  preview: shape.nullable(shape.object(PREVIEW_FIELDS)),
  change: shape.array(shape.text(''), 'what would be changed, a sentence each'),
});

/** What the dry run of a write to the exchange prints. */
export function dryRunShape(preview: shape.Fields = PREVIEW_FIELDS, more: shape.Fields = {}): shape.Shape {
  return shape.object({
    dryRun: shape.boolean('always true'),
    operation: shape.text("the operation's name in the exchange's API"),
    request: REQUEST,
    ...more,
    preview: shape.object(preview),
    halted: shape.boolean('pit halt is in effect: only cancellations are sent'),
  });
}

export type PreviewJson = shape.InferFields<typeof PREVIEW_FIELDS>;

/** For a write without an order. */
export const NO_PREVIEW: PreviewJson = { price: null, amount: null, notional: null, fee: null, warnings: [] };

/** What a change of pit's own files would have done, with nothing done. */
export function dryChange(operation: string, ...change: readonly string[]): Answer<shape.Infer<typeof DRY_CHANGE>> {
  return {
    data: { dryRun: true, operation, request: null, preview: null, change },
    show: (screen) => `${change.join('\n')}\n${screen.paint.faint('Dry run: nothing was changed.')}`,
  };
}
