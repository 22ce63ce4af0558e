import { Decimal } from '../../domain/decimal.js';
import { CANDLE_ROWS, DEFAULT_CANDLE_TYPE, DEFAULT_PAGE, type Dialect } from './interface-details.js';

/*
 * Clients write some parameters in ways that the document does not show. Each function writes one as the document does; what
 * it cannot read is left as it is, to be refused like any other wrong value. Signatures are checked before, over what was sent.
 */

type Normalize = (sent: string) => string;

const NUMBER_PARAMETERS: Readonly<Record<string, Normalize>> = {
  price: plainNumber,
  amount: plainNumber,
  fees: plainNumber,
  merge: plainNumber,
  tradeParams: plainPairs,
};

const KLINE_PARAMETERS: Readonly<Record<string, Normalize>> = {
  type: (sent) => (sent === '' ? DEFAULT_CANDLE_TYPE : sent),
  size: (sent) => (isAbove(sent, CANDLE_ROWS) ? String(CANDLE_ROWS) : sent),
};

const PAGE_PARAMETERS: Readonly<Record<string, Normalize>> = {
  pageIndex: (sent) => (isNothing(sent) ? DEFAULT_PAGE.index : sent),
  pageSize: (sent) => (isNothing(sent) ? DEFAULT_PAGE.size : sent),
};

/** Parameters that name a market or a coin. */
const MARKET_NAMES: ReadonlySet<string> = new Set(['market', 'currency']);

/** The text of a parameter as the operation is described to take it; `sent` is empty if it was not sent. */
export function normalizeParameter(operation: string, name: string, sent: string, dialect: Dialect): string {
  if (dialect === 'observed' && MARKET_NAMES.has(name)) return sent.toLowerCase();
  const normalize =
    (operation === 'kline' ? KLINE_PARAMETERS[name] : undefined) ?? PAGE_PARAMETERS[name] ?? NUMBER_PARAMETERS[name];
  return normalize === undefined ? sent : normalize(sent);
}

function isAbove(sent: string, max: number): boolean {
  return /^\d{1,30}$/.test(sent) && BigInt(sent) > BigInt(max);
}

function isNothing(sent: string): boolean {
  return sent === '' || /^0{1,30}$/.test(sent);
}

/** `1e-05` as 0.00001. */
function plainNumber(sent: string): string {
  if (!/^\d{1,40}(\.\d{1,40})?e[+-]?\d{1,2}$/i.test(sent)) return sent;
  return Decimal.parse(sent)?.toString() ?? sent;
}

const LONGEST_PAIRS = 4_000;

/** `[["1", 1e-05], …]` as `[[1,0.00001],…]`. */
function plainPairs(sent: string): string {
  if (sent.length > LONGEST_PAIRS) return sent;
  return sent
    .split(/([[\],])/)
    .map((part) => {
      const text = part.trim();
      return plainNumber(/^(["']).*\1$/.test(text) ? text.slice(1, -1) : text);
    })
    .join('');
}
