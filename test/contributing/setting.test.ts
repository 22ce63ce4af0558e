import { expect, it, vi } from 'vitest';

// what CONTRIBUTING says of a setting: a row in the table, and all else follows
vi.mock('../../src/config/settings.js', async (original) => {
  const module = await original<typeof import('../../src/config/settings.js')>();
  (module.SETTINGS as Map<string, unknown>).set('colourOfLoss', {
    about: 'the colour of what was lost',
    values: 'red or blue',
    default: 'red',
    parse: (value: string) => ['red', 'blue'].find((one) => one === value.toLowerCase()) ?? null,
  });
  // its module has read the table already
  (module.SETTING_KEYS as string[]).push('colourOfLoss');
  return module;
});

const [{ set }, { checkSetting }] = await Promise.all([
  import('../../src/commands/profiles/profile.js'),
  import('../../src/config/settings.js'),
]);

it('a setting that is added to the table is checked, and its message says its values', () => {
  expect(checkSetting('colourOfLoss', 'BLUE')).toBe('blue');
  expect(() => checkSetting('colourOfLoss', 'green')).toThrow(
    expect.objectContaining({ message: '"green" is not a value of colourOfLoss.', hints: ['Use red or blue.'] }),
  );
});

it('a setting that is added to the table is parsed and completed by pit profile set', () => {
  const key = set.arguments?.key;
  expect(key?.parse('colourOfLoss')).toBe('colourOfLoss');
  expect(key?.parse.completes).toMatchObject({ words: expect.arrayContaining(['colourOfLoss']) });
});
