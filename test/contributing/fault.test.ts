import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../sandbox/admin/served.js';

// what CONTRIBUTING says of a fault: a row in the table, and all else follows
vi.mock('../../src/sandbox/faults/rules.js', async (original) => {
  const module = await original<typeof import('../../src/sandbox/faults/rules.js')>();
  const made = {
    does: 'execute the request twice and answer with an HTML page',
    executions: 2,
    sends: 'page',
  } as const;
  // the table itself: what reads it within its module has to see the row, too
  Object.assign(module.REQUEST_FAULTS, { 'page-twice': made });
  Object.assign(module.FAULT_KINDS, { 'page-twice': made });
  return module;
});

const [{ add }, { Faults }, { FaultLog }, { FAULT }, { rehearseCommand }] = await Promise.all([
  import('../../src/commands/sandbox/faults.js'),
  import('../../src/sandbox/faults/faults.js'),
  import('../../src/sandbox/faults/log.js'),
  import('../../src/sandbox/admin/parameters.js'),
  import('../../src/commands/rehearse/rehearse.js'),
]);

it('a fault that is added to the table is parsed, completed, described and in the schema', () => {
  const { arguments: args = {}, output } = add;
  expect(args.kind?.parse('page-twice')).toBe('page-twice');
  expect(args.kind?.parse.completes).toMatchObject({ words: expect.arrayContaining(['page-twice']) });
  expect(args.kind?.description).toContain('page-twice');
  expect(output.properties?.kind?.enum).toContain('page-twice');
  expect(rehearseCommand({} as never).flags?.fault?.parse?.('page-twice')).toBe('page-twice');
  expect(JSON.stringify(FAULT.kind)).toContain('page-twice');
});

it('a fault that is added to the table is carried out as it says', async () => {
  const faults = new Faults(1, new FaultLog(path.join(temporaryFolder(), 'log')), { now: () => 0 });
  faults.rules.add({ kind: 'page-twice' as 'twice' });
  const rule = faults.match('/api/order?method=order');
  const answers = ['{"code":1000,"id":"1"}', '{"code":1000,"id":"2"}'];
  let times = 0;
  const handler = {
    times: [],
    refuse: () => ({ body: '' }),
    answer: async () => ({ body: answers[times++] ?? '' }),
  };
  if (rule === undefined) throw new Error('no fault');
  const request = { url: '/api/order?method=order' };
  const { reply } = await faults.carryOut(rule, request as never, handler as never);
  expect(reply).toMatchObject({ kind: 'whole', status: 200, type: 'text/html' });
  expect(times).toBe(2);
  expect(faults.log.after(0)).toMatchObject([
    { kind: 'page-twice', executions: [{ placed: ['1'] }, { placed: ['2'] }] },
  ]);
});
