import { expect, it, onTestFinished, vi } from 'vitest';
import { fieldColumns } from '../../src/cli/field-columns.js';
import * as shape from '../../src/cli/shapes.js';

it('the title of a column of times asks for the name of the time zone only when it is read, because that costs milliseconds', () => {
  const zone = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => zone.mockRestore());
  const column = fieldColumns<{ readonly time: string }>(shape.object({ time: shape.time('') }));
  const [plain, own] = [column('time'), column('time', { importance: 3 })];
  expect(zone).not.toHaveBeenCalled();
  expect([plain.title, own.title, own.importance]).toEqual(['time (UTC)', 'time (UTC)', 3]);
  expect(column('time', { title: 'when' }).title).toBe('when');
});
