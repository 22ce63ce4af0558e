import { SANDBOX } from '../../config/profiles.js';
import { grouped } from '../../domain/decimal.js';
import type { Screen } from '../../terminal/screen.js';
import { displayWidth } from '../../terminal/text.js';
import { ageText } from '../../terminal/time.js';
import type { Price } from './live-price.js';

/** How often the prompt is looked at: a price may have changed, and an age has. */
export const PROMPT_REDRAW_MS = 500;

/** What a prompt shows. */
export interface PromptState {
  readonly profile: string;
  readonly market: string | undefined;
  readonly price: Price | undefined;
  /** Why the account is halted, or an empty text without a reason; null if it is not. */
  readonly halted: string | null;
  /** Of the last command. */
  readonly exitCode: number;
}

/**
 * `sandbox btc_usdt 29,031.50 ▲ > `, with the exit code of the last command before it if that is not 0, and with `HALTED` if only
 * cancellations are sent. A price that is not current shows its age instead of a direction. A narrow terminal gets less.
 */
export function promptText(screen: Screen, state: PromptState): string {
  const { paint, width } = screen;
  const { profile, market, price, halted, exitCode } = state;
  const code = exitCode === 0 ? [] : [paint.bad(`[${exitCode}]`)];
  // another profile may be real money
  const where = profile === SANDBOX ? paint.label(profile) : paint.warn(profile);
  const what = market === undefined ? [] : [paint.strong(market)];
  const parts = [
    ...code,
    where,
    ...(halted === null ? [] : [haltedText(screen, halted)]),
    ...what,
    ...(price === undefined ? [] : [priceText(screen, price)]),
  ];
  // half of the line is for what is typed
  while (parts.length > 1 && displayWidth(plain(parts)) > width / 2) parts.pop();
  return `${parts.join(' ')} > `;
}

/** `HALTED`, with the reason where there is room. */
function haltedText({ paint, width }: Screen, reason: string): string {
  const text = reason === '' ? 'HALTED' : `HALTED (${reason})`;
  return paint.bad(displayWidth(text) > width / 4 ? 'HALTED' : text);
}

function priceText({ paint, symbols }: Screen, { last, direction, ageMs, isCurrent }: Price): string {
  if (!isCurrent) return paint.faint(`${grouped(last)} (${ageText(ageMs, PROMPT_REDRAW_MS)} old)`);
  if (direction === 'same') return grouped(last);
  const [up, down] = symbols ? ['▲', '▼'] : ['up', 'down'];
  return paint[direction](`${grouped(last)} ${direction === 'up' ? up : down}`);
}

function plain(parts: readonly string[]): string {
  return parts.join(' ').replace(/\u001b\[[\d;]*m/g, '');
}
