import { valueFields } from '../../src/cli/row-fields.js';
import type { Shape } from '../../src/cli/shapes.js';
import { ANSWER_FIELDS } from './answer-fields.js';

export interface FieldRow {
  readonly operation: string;
  readonly field: string;
  /** Commands with a field that carries it. */
  readonly appears: readonly string[];
  /** Why it appears nowhere, or where else. */
  readonly reason: string | undefined;
}

const CODE = 'error.code where it is not 1000; with 1000 the answer itself';
const MESSAGE = "error.message where it is refused; with 1000 it has the exchange's word for success";
const HOLDER = 'holds the other fields';
const PAGE = 'pit counts the pages; a note names the next one';

/** Fields of answers that no field of the output carries. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  code: CODE,
  message: MESSAGE,
  des: MESSAGE,
  isSuc: 'false is a refusal, exit code 3',
  'cancelOrder.isSuc': 'false is a refusal, exit code 3; with code 1000 the outcome is unknown',
  datas: HOLDER,
  result: HOLDER,
  list: HOLDER,
  coins: HOLDER,
  base: HOLDER,
  ticker: HOLDER,
  pageIndex: PAGE,
  pageSize: PAGE,
  totalCount: PAGE,
  totalPage: PAGE,
  total: PAGE,
  'kline.data': HOLDER,
  'kline.moneyType': 'the quote coin of the market that was asked for; pit api kline prints it as sent',
  'kline.symbol': 'the base coin of the market that was asked for; pit api kline prints it as sent',
};

/** Every field of every answer in the interface document, and its places in the output. */
export function fieldRows(schemas: Readonly<Record<string, Shape>>): FieldRow[] {
  const carried = carriers(schemas);
  return Object.entries(ANSWER_FIELDS).flatMap(([operation, names]) =>
    names.split(' ').map((field): FieldRow => {
      const name = `${operation}.${field}`;
      return { operation, field, appears: carried.get(name) ?? [], reason: ELSEWHERE[name] ?? ELSEWHERE[field] };
    }),
  );
}

function carriers(schemas: Readonly<Record<string, Shape>>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [command, schema] of Object.entries(schemas)) {
    for (const [field, name] of namesIn(schema)) {
      const known = found.get(name) ?? [];
      found.set(name, [...new Set([...known, `${command} ${field.replace(/^\[\]\./, '')}`])]);
    }
  }
  return found;
}

/** The fields of a schema with what they carry; a list as such, and an element of a list of numbers by its list. */
function namesIn(schema: Shape): (readonly [field: string, name: string])[] {
  const lists = Object.entries(schema.properties ?? {}).filter(([, { items }]) => items !== undefined);
  return [...lists, ...valueFields(schema)].flatMap(([field, one]) =>
    (one.$comment?.split(' ') ?? []).map((name) => [field, name.replace(/\[\d\]$/, '')] as const),
  );
}
