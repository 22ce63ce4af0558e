import { define, optional } from '../../cli/definition.js';
import { SETTINGS, shownSettings } from '../../config/settings.js';
import { type Entry, record } from '../../terminal/table.js';
import { profileName } from '../inputs/words.js';
import { hostText, profileMeant, profileRow, WHOLE_PROFILE } from './rows.js';

export default define({
  summary: 'A profile with its settings',
  arguments: { name: optional('the profile; the one in use when none is named', profileName) },
  examples: ['profile show', 'profile show overseas --json'],
  output: WHOLE_PROFILE,
  async run(context, { name }) {
    const { profiles } = context.session;
    const profile = name === undefined ? await profileMeant(context) : await profiles.get(name);
    const settings = shownSettings(profile.settings);
    const row = profileRow(profile, await profiles.active());
    const entries: Entry[] = [
      ['profile', `${row.name}${row.active ? ' (in use)' : ''}`],
      ['market data', hostText(row.baseUrl, row.name)],
      ['trading', hostText(row.tradeUrl, row.name)],
      ['websocket', row.wsUrl],
      ...Object.entries(settings).map(([key, value]): Entry => [key, value]),
      ...defaultsBeside(settings),
    ];
    return { data: { ...row, settings }, show: (screen) => record(screen, entries) };
  },
});

/** What counts where nothing is set. */
function defaultsBeside(settings: Readonly<Record<string, string>>): Entry[] {
  const unset = [...SETTINGS].filter(([key]) => !Object.hasOwn(settings, key));
  return unset.flatMap(([key, { default: value }]): Entry[] =>
    value === undefined ? [] : [[key, `${value} (default)`, (text, paint) => paint.faint(text)]],
  );
}
