import type { GuardReport } from '../guards/guards.js';
import type { OrderPlan, PreviewData } from './preview.js';

/** Up to this age of the preview, confirmed orders only have to pass the guards and raise no new warning. */
export const PREVIEW_VALID_MS = 10_000;

/** Orders with the results of the guards and the preview. */
export interface Assessment extends GuardReport {
  readonly plan: OrderPlan;
  /** Null if no preview is shown. */
  readonly preview: PreviewData | null;
}

/** What the user confirmed, and the market after the reply. */
interface Reply {
  /** What the user confirmed. Every guard in it has been overridden. */
  readonly shown: Assessment;
  /** The same orders in the market as it is after the reply. */
  readonly afterReply: GuardReport & Pick<Assessment, 'preview'>;
  /** What the user's expressions evaluate to in that market. */
  readonly current: Pick<Assessment, 'plan'>;
  /** How old the book was at the reply. */
  readonly ageMs: number;
}

/** Why orders that the user confirmed have to be shown and confirmed again, as a sentence; undefined if they may be sent. */
export function reasonToAskAgain({ shown, afterReply, current, ageMs }: Reply): string | undefined {
  const overridden = shown.breaches.map(({ guard }) => guard);
  const notOverridden = afterReply.breaches.flatMap(({ guard }) => (overridden.includes(guard) ? [] : guard));
  if (notOverridden.length > 0)
    return `${notOverridden.join(' and ')} now ${notOverridden.length === 1 ? 'blocks' : 'block'} this.`;
  const shownAbout = shown.warnings.map(({ about }) => about);
  const warning = afterReply.warnings.find(({ about }) => !shownAbout.includes(about));
  if (warning !== undefined) return warning.text;
  if (ageMs <= PREVIEW_VALID_MS) return undefined;
  const old = `The preview was ${Math.round(ageMs / 1_000)} s old`;
  if (!areSameOrders(shown.plan, current.plan)) return `${old}, and its price or amount would be different now.`;
  return fillsAlike(shown.preview, afterReply.preview)
    ? undefined
    : `${old}, and a different part would fill at once now.`;
}

function areSameOrders({ orders }: OrderPlan, { orders: otherOrders }: OrderPlan): boolean {
  const isSame = (index: number) =>
    orders[index]?.price === otherOrders[index]?.price && orders[index]?.amount === otherOrders[index]?.amount;
  return orders.length === otherOrders.length && orders.every((_, index) => isSame(index));
}

function fillsAlike(shown: PreviewData | null, afterReply: PreviewData | null): boolean {
  const before = shown?.fills ?? null;
  const after = afterReply?.fills ?? null;
  const isSameFill =
    before === null || after === null
      ? before === after
      : before.amount.equals(after.amount) && before.value.equals(after.value);
  return isSameFill && shown?.crossing === afterReply?.crossing;
}
