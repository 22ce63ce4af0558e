import { listing } from '../../cli/answers.js';
import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { hostText, PROFILE, profileRow } from './rows.js';

export default define({
  summary: 'The profiles, and which one is in use',
  examples: ['profile list', 'profile list --json'],
  output: shape.list(shape.record(PROFILE)),
  async run({ session: { profiles } }) {
    const active = await profiles.active();
    return listing({
      rows: (await profiles.list()).map((profile) => profileRow(profile, active)),
      fields: ['name', 'baseUrl', 'tradeUrl', 'wsUrl', 'active'],
      columns: [
        { title: '', value: (row) => (row.active ? '*' : ''), importance: 8 },
        {
          title: 'profile',
          value: ({ name }) => name,
          importance: 9,
          paint: (text, row, paint) => (row.active ? paint.strong(text) : text),
        },
        { title: 'market data', value: ({ baseUrl, name }) => hostText(baseUrl, name), importance: 5 },
        { title: 'trading', value: ({ tradeUrl, name }) => hostText(tradeUrl, name), importance: 6 },
        { title: 'websocket', value: ({ wsUrl }) => wsUrl, importance: 2 },
      ],
      empty: 'No profiles.',
    });
  },
});
