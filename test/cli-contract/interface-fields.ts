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

const CODE = 'error.code if it is not 1000; with 1000 the answer itself';
const MESSAGE = "error.message if it is refused; with 1000 it has the exchange's word for success";
const HOLDER = 'holds the other fields';
const PAGE = 'pit counts the pages itself';
const COUNT = 'a note, 10 of 37, and a warning if --all lists fewer';

/** Fields of answers that no field of the output carries. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  code: CODE,
  message: MESSAGE,
  des: MESSAGE,
  isSuc: 'false is a refusal, exit code 3',
  'cancelOrder.isSuc': 'false is a refusal, exit code 3, unless the order itself is closed',
  datas: HOLDER,
  result: HOLDER,
  list: HOLDER,
  coins: HOLDER,
  base: HOLDER,
  ticker: HOLDER,
  pageIndex: PAGE,
  pageSize: 'how many records a full page has',
  totalCount: COUNT,
  totalPage: 'a note, page 1 of 4',
  total: COUNT,
  'getPayinAddress.isUseMemo': 'address and memo are account and memo if it is true, else address is address',
  'kline.data': HOLDER,
  'kline.moneyType': 'a warning if it is not the quote coin of the market; pit api kline prints it',
  'kline.symbol': 'a warning if it is not the base coin of the market; pit api kline prints it',
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

/** A field of the output that carries a field of the interface. */
interface Claim {
  /** With `[]` for the elements of a list. */
  readonly field: string;
  readonly operation: string;
  readonly name: string;
}

/** What a schema says its fields carry; of a list of numbers, an element counts as the list. */
export function claimsOf(command: string, schema: Shape): Claim[] {
  const lists = Object.entries(schema.properties ?? {}).filter(([, { items }]) => items !== undefined);
  return [...lists, ...valueFields(schema)].flatMap(([field, { $comment }]) =>
    ($comment?.split(' ') ?? []).map((carried) => {
      const [operation = '', name = ''] = carried.replace(/\[\d\]$/, '').split('.');
      if (name === '') throw new Error(`${command} ${field} carries ${carried}`);
      return { field, operation, name };
    }),
  );
}

function carriers(schemas: Readonly<Record<string, Shape>>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [command, schema] of Object.entries(schemas)) {
    for (const { field, operation, name } of claimsOf(command, schema)) {
      const known = found.get(`${operation}.${name}`) ?? [];
      found.set(`${operation}.${name}`, [...new Set([...known, `${command} ${field.replace(/^\[\]\./, '')}`])]);
    }
  }
  return found;
}
