import { type Facts, fieldsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import type { PlannedWrite } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { NO_PREVIEW, PREVIEW_FIELDS, type PreviewJson } from './preview-facts.js';

export const DRY_RUN = shape.boolean('always true');
const HALTED = shape.boolean('pit halt is in effect: only cancellations are sent');

/** A request that is not sent. */
export const REQUEST = shape.mapOf(
  shape.text(''),
  'the address and the parameters; key, signature and fund password are masked',
);

/** What would be sent, or done by pit itself, and what is known of it before. */
export interface DryRequest {
  readonly operation: string;
  readonly request: object | null;
  readonly preview: PreviewJson;
}

/** What the dry run of a write prints for each request. */
export interface DryRun extends DryRequest {
  readonly dryRun: boolean;
  readonly halted: boolean;
}

/** The request of a write with its secrets masked, and its preview. */
export function dryRequest(
  { trading }: { readonly trading: Pick<TradingContext, 'client'> },
  write: PlannedWrite,
  preview: PreviewJson = NO_PREVIEW,
): DryRequest {
  return { ...trading.client.requestOf(write), preview };
}

/** What the dry run of a write prints, whose preview says these facts. */
export function dryRunShape<Of>(facts: Facts<Of> = {}, custom: shape.Fields = {}): shape.Shape<DryRun> {
  return shape.object({
    dryRun: DRY_RUN,
    operation: shape.text("the operation's name in the exchange's API"),
    request: REQUEST,
    ...custom,
    preview: shape.object({ ...PREVIEW_FIELDS, ...fieldsOf(facts) }),
    halted: HALTED,
  }) as shape.Shape<DryRun>;
}

/** What a dry run of a change to pit's own files, or the sandbox's, prints: there is no request, and nothing to preview. */
export const DRY_CHANGE = shape.object({
  dryRun: DRY_RUN,
  operation: shape.text('what would be done'),
  request: shape.nullable(REQUEST),
  preview: shape.nullable(shape.object(PREVIEW_FIELDS)),
  change: shape.array(shape.text(''), 'what would be changed, a sentence each'),
});

/**
 * The answer of any dry run.
 * @param show what would be done
 * @param undone what was not done: `sent`
 */
export function dryAnswer<Data>(data: Data, show: (screen: Screen) => string, undone: string): Answer<Data> {
  return {
    data,
    show: (screen) => `${show(screen)}\n${screen.paint.faint(`Dry run: nothing was ${undone}.`)}`,
  };
}

/** What a change of pit's own files would have done, with nothing done. */
export function dryChange(operation: string, ...change: readonly string[]): Answer<shape.Infer<typeof DRY_CHANGE>> {
  const data = { dryRun: true, operation, request: null, preview: null, change };
  return dryAnswer(data, () => change.join('\n'), 'changed');
}
