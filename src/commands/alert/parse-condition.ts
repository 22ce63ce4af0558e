import { withCompletion } from '../../cli/definition.js';
import { nearest, shown } from '../../config/nearest.js';
import { DECIMAL, Decimal, numberAdvice, plainNumber } from '../../domain/decimal.js';
import { type Failure, usage } from '../../errors.js';
import type { Condition } from '../../trading/alerts/condition.js';
import { FIELDS, type Field, type Operator } from '../../trading/alerts/crossing.js';
import { clientId, orderId } from '../inputs/parsers.js';

/** The fields that are percentages. */
const PERCENTAGES: readonly Field[] = ['change', 'spread'];

/** The conditions for the help. */
export const CONDITION_FORMS = `${FIELDS.join(', ')} with >, >=, < or <= and a number; fill; fill:ID; filled:ID`;

const EXAMPLES =
  "Write 'last>30000', 'bid<27000', 'change>5%', 'spread>0.1%', 'volume>1000', fill, fill:ID or filled:ID.";

/** A shell takes an unquoted > for a redirection, so the condition ends before it. */
const QUOTE_IT = "Quote the condition, as in 'last>30000': without quotes, your shell takes > and < for itself.";

/** Reads a condition such as `last>30000`. Throws Failure `usage` that names it and what is expected. */
export const parseCondition = withCompletion(
  { of: 'words', words: [...FIELDS, 'fill', 'fill:', 'filled:'] },
  (word): Condition => {
    const text = word.trim();
    const [name = '', ...rest] = text.split(':');
    const kind = name.toLowerCase();
    if (kind === 'fill' || kind === 'filled')
      return fillCondition(word, kind, rest.length === 0 ? undefined : rest.join(':'));
    const [, typed = '', operator, number = ''] = /^([a-z]+)\s*(?:(>=|<=|>|<)\s*(.*))?$/i.exec(text) ?? [];
    const field = FIELDS.find((one) => one === typed.toLowerCase());
    if (field === undefined) throw unknownField(word, typed);
    if (operator === undefined) throw wrong(word, 'has nothing to compare with', QUOTE_IT);
    return threshold(word, field, operator as Operator, number);
  },
);

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

function threshold(word: string, field: Field, operator: Operator, number: string): Condition {
  const [, sign = '', digits = '', percent = ''] = /^(-?)(.*?)\s*(%?)$/.exec(number) ?? [];
  const plain = plainNumber(digits);
  if (!DECIMAL.isExact(plain)) {
    const advice = numberAdvice(digits) ?? EXAMPLES;
    throw wrong(word, number === '' ? 'has no number' : `has ${shown(number)} in place of a number`, advice);
  }
  const isPercentage = PERCENTAGES.includes(field);
  if (isPercentage && percent === '')
    throw wrong(word, 'has no %', `${field} is a percentage: ${field}${operator}${number}%.`);
  if (!isPercentage && percent !== '') throw wrong(word, 'has a %', `${field} is not a percentage: ${EXAMPLES}`);
  if (sign !== '' && field !== 'change') throw wrong(word, 'has a number below zero', 'Only change can be below zero.');
  const level = sign + plain;
  return {
    kind: 'threshold',
    text: `${field}${operator}${level}${percent}`,
    field,
    operator,
    level: Decimal.of(level),
  };
}

function unknownField(word: string, typed: string): Failure {
  const near = nearest(typed.toLowerCase(), [...FIELDS, 'fill']);
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return usage(`There is no condition ${shown(word)}.${guess}`, EXAMPLES);
}

function wrong(word: string, what: string, hint: string): Failure {
  return usage(`The condition ${shown(word)} ${what}.`, hint);
}
