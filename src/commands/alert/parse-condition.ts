import { withCompletion } from '../../cli/definition.js';
import { nearest, shown } from '../../config/nearest.js';
import { DECIMAL, Decimal, numberAdvice, plainNumber } from '../../domain/decimal.js';
import { type Failure, usage } from '../../errors.js';
import type { Condition } from '../../trading/alerts/condition.js';
import type { Operator } from '../../trading/alerts/crossing.js';
import { ALERT_FIELDS, type AlertField, type Field } from '../../trading/alerts/fields.js';
import type { Trail } from '../../trading/alerts/trail.js';
import { clientId, marketName, orderId, parseCandleType } from '../inputs/parsers.js';

const FIELDS = Object.keys(ALERT_FIELDS) as Field[];

/** What a comparison takes: a number of a market, and prices that are not of one moment. */
export const COMPARED: Readonly<Record<string, Pick<AlertField, 'example' | 'unit' | 'isSigned'>>> = {
  ...ALERT_FIELDS,
  close: { example: 'close:15min>28000', unit: 'price' },
  trail: { example: 'trail<-2%', unit: 'percent', isSigned: true },
};

const SIGNED = Object.keys(COMPARED).filter((name) => COMPARED[name]?.isSigned);

/** The conditions for the help. */
export const CONDITION_FORMS = `${FIELDS.join(', ')}, close:TYPE or trail with >, >=, < or <= and a number; fill; fill:ID; filled:ID; after MARKET: in another market`;

const EXAMPLES = `Write ${Object.values(COMPARED)
  .map(({ example }) => `'${example}'`)
  .join(', ')}, fill, fill:ID or filled:ID.`;

/** A shell takes an unquoted > for a redirection, so the condition ends before it. */
const QUOTE_IT = "Quote the condition, as in 'last>30000': without quotes, your shell takes > and < for itself.";

/**
 * Reads a condition such as `last>30000`, or `eth_usdt:last>2000` for another market. Throws Failure `usage` that names it and what
 * is expected.
 */
export const parseCondition = withCompletion(
  { of: 'words', words: [...FIELDS, 'close:', 'trail', 'fill', 'fill:', 'filled:'] },
  (word): Condition => {
    const [, prefix, text = ''] = /^\s*(?:([^:<>=]*[_/-][^:<>=]*):)?(.*?)\s*$/.exec(word) ?? [];
    if (prefix === undefined) return conditionOf(word, text);
    const market = marketName(prefix);
    const condition = conditionOf(word, text);
    return { ...condition, market, text: `${market}:${condition.text}` };
  },
);

function conditionOf(word: string, text: string): Condition {
  const [name = '', ...rest] = text.split(':');
  const kind = name.toLowerCase();
  if (kind === 'fill' || kind === 'filled')
    return fillCondition(word, kind, rest.length === 0 ? undefined : rest.join(':'));
  const [, typed = '', type, operator, number = ''] =
    /^([a-z]+)(?::([^<>=]*))?\s*(?:(>=|<=|>|<)\s*(.*))?$/i.exec(text) ?? [];
  const field = Object.keys(COMPARED).find((one) => one === typed.toLowerCase());
  if (field === undefined || (type !== undefined && field !== 'close')) throw unknownField(word, typed);
  if (field === 'close' && (type === undefined || type.trim() === ''))
    throw wrong(word, 'names no candles', "Name their type, as in 'close:15min>28000'.");
  if (operator === undefined) throw wrong(word, 'has nothing to compare with', QUOTE_IT);
  const { level, text: compared } = levelOf(word, field, operator, number);
  const comparison = { operator: operator as Operator, level };
  if (field === 'trail') return trail(word, { ...comparison, text: `trail${compared}` });
  if (field !== 'close')
    return { kind: 'threshold', text: `${field}${compared}`, field: field as Field, ...comparison };
  const candles = parseCandleType(`The candle type of ${shown(word)}`, type?.trim() ?? '');
  return { kind: 'close', text: `close:${candles}${compared}`, candles, ...comparison };
}

function fillCondition(word: string, name: 'fill' | 'filled', id: string | undefined): Condition {
  const isWhole = name === 'filled';
  if (id === undefined && !isWhole) return { kind: 'fill', text: 'fill', order: null, isWhole };
  if (id === undefined || id === '')
    throw wrong(
      word,
      'names no order',
      'Write fill for all orders of the market, fill:ID for more of one order, or filled:ID for all of it.',
    );
  const order = /^\d+$/.test(id) ? { id: orderId(id) } : { clientId: clientId(id) };
  return { kind: 'fill', text: `${name}:${id}`, order, isWhole };
}

/** The number of a comparison, and the operator and the number as they are reported. */
function levelOf(word: string, field: string, operator: string, number: string): { level: Decimal; text: string } {
  const [, sign = '', digits = '', percent = ''] = /^(-?)(.*?)\s*(%?)$/.exec(number) ?? [];
  const plain = plainNumber(digits);
  if (!DECIMAL.isExact(plain)) {
    const advice = numberAdvice(digits) ?? EXAMPLES;
    throw wrong(word, number === '' ? 'has no number' : `has ${shown(number)} in place of a number`, advice);
  }
  const { unit, isSigned = false } = COMPARED[field] ?? {};
  const isPercentage = unit === 'percent';
  if (isPercentage && percent === '')
    throw wrong(word, 'has no %', `${field} is a percentage: ${field}${operator}${number}%.`);
  if (!isPercentage && percent !== '') throw wrong(word, 'has a %', `${field} is not a percentage: ${EXAMPLES}`);
  if (sign !== '' && !isSigned)
    throw wrong(word, 'has a number below zero', `Only ${SIGNED.join(' and ')} can be below zero.`);
  return { level: Decimal.of(sign + plain), text: `${operator}${sign}${plain}${percent}` };
}

/** Throws Failure `usage` for one that holds at once, or can never hold. */
function trail(word: string, terms: Omit<Trail, 'kind'>): Trail {
  const { operator, level } = terms;
  const isFall = operator.startsWith('<');
  const hint = "'trail<-2%' holds 2% below the highest price since the alert began, 'trail>2%' 2% above the lowest.";
  if (level.sign === 0) throw wrong(word, 'has no distance', hint);
  if (isFall !== level.sign < 0) throw wrong(word, 'holds at once', hint);
  if (level.compare(Decimal.of('-100')) <= 0) throw wrong(word, 'can never hold', hint);
  return { kind: 'trail', ...terms };
}

function unknownField(word: string, typed: string): Failure {
  const near = nearest(typed.toLowerCase(), [...Object.keys(COMPARED), 'fill']);
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return usage(`There is no condition ${shown(word)}.${guess}`, EXAMPLES);
}

function wrong(word: string, what: string, hint: string): Failure {
  return usage(`The condition ${shown(word)} ${what}.`, hint);
}
