import { expect, it } from 'vitest';
import { Failure } from '../../src/errors.js';
import { Output } from '../../src/terminal/output.js';
import { hostWith, Kept } from './screens.js';

const ERASED = '\r\u001b[K';

function outputOn(errors: Kept, environment = {}): Output {
  return new Output(
    hostWith({ errors, output: errors, environment: { TERM: 'xterm', NO_COLOR: '1', ...environment } }),
    'table',
  );
}

it('is one line that changes, and is gone before anything else is printed', async () => {
  const errors = new Kept(80);
  const output = outputOn(errors);
  output.progress('50 bills …');
  output.progress('100 bills …');
  output.note('By the way.');
  output.progress('150 bills …');
  await output.answer({ data: null, show: () => 'done' });
  output.progress('200 bills …');
  output.endProgress();
  output.endProgress();
  output.error(new Failure('usage', 'Bad.'));
  expect(errors.text).toBe(
    [
      '\r50 bills …\u001b[K',
      '\r100 bills …\u001b[K',
      `${ERASED}By the way.\n`,
      '\r150 bills …\u001b[K',
      `${ERASED}done\n`,
      '\r200 bills …\u001b[K',
      `${ERASED}pit: Bad.\n`,
    ].join(''),
  );
});

it('writes over no line of the answer that is not finished', async () => {
  const errors = new Kept(80);
  const output = new Output(
    hostWith({ errors, output: errors, environment: { TERM: 'xterm', NO_COLOR: '1' } }),
    'json',
  );
  async function* rows() {
    for (const id of ['1', '2']) {
      output.progress('50 bills …');
      yield [{ id }];
    }
  }
  await output.answer({ rows: rows(), fields: ['id'], columns: [], empty: '', what: 'bills' });
  output.progress('100 bills …');
  expect(errors.text).toBe(`\r50 bills …\u001b[K${ERASED}[{"id":"1"},{"id":"2"}]\n\r100 bills …\u001b[K`);
});

it('is nothing in a pipe, where it could not be erased, and where it does not fit', () => {
  const [pipe, dumb, narrow] = [new Kept(), new Kept(80), new Kept(8)];
  const outputs = [outputOn(pipe), outputOn(dumb, { TERM: 'dumb' }), outputOn(narrow)];
  for (const output of outputs) {
    output.progress('50 bills …');
    output.endProgress();
  }
  expect([pipe.text, dumb.text, narrow.text]).toEqual(['', '', '']);
});
