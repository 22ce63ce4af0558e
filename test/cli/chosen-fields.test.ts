import { describe, expect, it } from 'vitest';
import type { Definition } from '../../src/cli/definition.js';
import { selectFields } from '../../src/cli/select-fields.js';
import * as shape from '../../src/cli/shapes.js';
import type { Live } from '../../src/terminal/answer.js';
import { Kept } from '../terminal/screens.js';
import { draw } from './made-up-program.js';

const FEE = shape.object({ coin: shape.text(''), amount: shape.decimal('') });
const ROW = {
  ...{ id: shape.text(''), price: shape.decimal(''), averagePrice: shape.decimal(''), stopPrice: shape.decimal('') },
  ...{ lastPrice: shape.decimal(''), fee: FEE, feeRate: shape.decimal('') },
};
const row = {
  ...{ id: '7', price: '2', averagePrice: '3', stopPrice: '4', lastPrice: '5' },
  ...{ fee: { coin: 'btc', amount: '1' }, feeRate: '0.2' },
};
const ROWS: Partial<Definition> = {
  output: shape.array(shape.object(ROW)),
  run: async () => ({ data: [row, { ...row, id: '8' }], show: () => 'all' }),
};

describe('--fields', () => {
  it('shows only the fields that it names, once and in its order, in tables and in CSV', async () => {
    expect((await draw('ticker --fields price,id,price', ROWS)).stdout).toBe('price  id\n    2  7\n    2  8\n');
    expect((await draw('ticker --csv --fields price,id,price', ROWS)).stdout).toBe('price,id\n2,7\n2,8\n');
  });

  it('takes the name of a nested object for all of its fields, and for no field with a longer name', async () => {
    expect((await draw('ticker --csv --fields fee', ROWS)).stdout).toBe('fee.coin,fee.amount\nbtc,1\nbtc,1\n');
    expect((await draw('ticker --csv --fields fee.amount', ROWS)).stdout).toBe('fee.amount\n1\n1\n');
  });

  it('shows a line for each field of a single thing', async () => {
    const single = { output: shape.object(ROW), run: async () => ({ data: row, show: () => 'all' }) };
    expect((await draw('ticker --fields id,fee.coin', single)).stdout).toBe('id        7\nfee.coin  btc\n');
  });

  it('leaves an empty list its own text, and gives its CSV the header', async () => {
    const none = { ...ROWS, run: async () => ({ data: [], show: () => 'No orders.' }) };
    expect((await draw('ticker --fields id', none)).stdout).toBe('No orders.\n');
    expect((await draw('ticker --fields id --csv', none)).stdout).toBe('id\n');
  });

  it('chooses from the rows of CSV if they are not the elements of the document', async () => {
    const answer = { data: { rows: [row] }, csv: [{ side: 'ask', id: '1' }], show: () => 'all' };
    const own = { row: shape.object({ side: shape.text(''), id: shape.text('') }), run: async () => answer };
    expect((await draw('ticker --fields side --csv', own)).stdout).toBe('side\nask\n');
    expect((await draw('ticker --fields side', own)).stdout).toBe('side\nask\n');
  });

  it('chooses from the rows of a long list', async () => {
    async function* rows() {
      yield [row];
    }
    const list = { rows: rows(), fields: Object.keys(ROW), columns: [], empty: '', what: 'orders' };
    expect((await draw('ticker --fields price,id --csv', { ...ROWS, run: async () => list })).stdout).toBe(
      'price,id\n2,7\n',
    );
  });

  it('chooses from each answer of a view that keeps changing, and is refused for one without answers', () => {
    const select = selectFields({ output: shape.array(shape.object(ROW)) } as never, ['id']);
    const live: Live = { events: (async function* () {})(), line: () => 'all', picture: null, end: () => undefined };
    const chosen = select({
      ...live,
      withView: (view) => ({ ...live, line: () => view({ data: [row], show: () => '' }).csvHeader?.join() }),
    });
    expect(chosen.line(undefined)).toBe('id');
    expect(() => select(live)).toThrow('--fields needs --csv here.');
  });

  it('leaves out the field that is named last first where a terminal is too narrow for all', async () => {
    const host = { output: new Kept(24), environment: { TERM: 'xterm-256color' } };
    await draw('ticker --no-color --fields id,averagePrice,stopPrice', ROWS, { host });
    expect(host.output.text.split('\n')[0]).toBe('id  averagePrice');
  });

  it.each([
    ['pirce', 'There is no field "pirce". Did you mean price?'],
    ['average', 'There is no field "average". Did you mean averagePrice?'],
    ['AVERAGE', 'There is no field "AVERAGE". Did you mean averagePrice?'],
    ['rice', 'There is no field "rice". Did you mean price or averagePrice or stopPrice?'],
    ['nothing', 'There is no field "nothing".'],
    ['e', 'There is no field "e".'],
  ])('refuses %s with the nearest names and all names', async (name, message) => {
    const { code, stdout, stderr, steps } = await draw(`ticker --fields ${name}`, ROWS);
    expect({ code, stdout, steps }).toEqual({ code: 2, stdout: '', steps: [] });
    expect(stderr).toBe(
      `pit: ${message}\n→ Fields: id, price, averagePrice, stopPrice, lastPrice, fee.coin, fee.amount, feeRate.\n`,
    );
  });

  it('is refused by a command without fields', async () => {
    const { code, stderr } = await draw('ticker --fields id', { output: shape.anything });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'pit: This command has no fields to choose from.\n→ Leave out --fields.\n',
    });
  });
});

describe('the header of --csv', () => {
  it('has the columns of a nested object of a single thing that has none, and what the command does not describe', async () => {
    const single = {
      output: shape.object({ id: shape.text(''), fee: shape.nullable(FEE) }),
      run: async () => ({ data: { id: '7', fee: null, more: 'a' }, show: () => '' }),
    };
    expect((await draw('ticker --csv', single)).stdout).toBe('id,fee.coin,fee.amount,more\n7,,,a\n');
  });

  it('is absent for an empty preview, and there for an empty list, also with --dry-run', async () => {
    const run = async () => ({ data: [], show: () => '' });
    const write = { run, dryRunOutput: shape.anything };
    expect((await draw('ticker --csv', { run })).stdout).toBe('id,price\n');
    expect((await draw('ticker --csv --dry-run', { run })).stdout).toBe('id,price\n');
    expect((await draw('ticker --csv', write)).stdout).toBe('id,price\n');
    expect((await draw('ticker --csv --dry-run', write)).stdout).toBe('');
  });

  it('of a preview names what the preview has', async () => {
    const run = async () => ({ data: { dryRun: true, size: '3' }, show: () => '' });
    const write = { run, output: shape.object({ size: shape.nullable(FEE) }), dryRunOutput: shape.anything };
    expect((await draw('ticker --csv --dry-run', write)).stdout).toBe('dryRun,size\ntrue,3\n');
  });

  it('is that of the rows of CSV if they are not the elements of the document', async () => {
    const answer = { data: { rows: [] }, csv: [{ side: 'ask', fee: null }], show: () => '' };
    const own = { row: shape.object({ side: shape.text(''), fee: shape.nullable(FEE) }), run: async () => answer };
    expect((await draw('ticker --csv', own)).stdout).toBe('side,fee.coin,fee.amount\nask,,\n');
  });

  it('is what the command says itself', async () => {
    const answer = { data: [], csvHeader: ['side', 'depth'], show: () => '' };
    expect((await draw('ticker --csv', { run: async () => answer })).stdout).toBe('side,depth\n');
  });
});
