import { define, flag, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import { checkUrl } from '../../config/urls.js';
import { suggest, usage } from '../../errors.js';
import { word } from '../inputs/words.js';
import { changed, WHOLE_PROFILE } from './rows.js';

export default define({
  summary: 'Name an exchange by its hosts',
  arguments: { name: required('a name for it: lower-case letters, digits, - and _', word) },
  flags: {
    baseUrl: flag('--base-url <url>', 'the market-data host, without /data/v1', word),
    tradeUrl: flag('--trade-url <url>', 'the trade host, without /api', word),
    wsUrl: flag('--ws-url <url>', 'the WebSocket address', word),
  },
  examples: [
    'profile add overseas --base-url https://api.example.com --trade-url https://trade.example.com',
    'profile add local --base-url http://127.0.0.1:8080 --trade-url http://127.0.0.1:8080',
  ],
  output: WHOLE_PROFILE,
  dry: DRY_CHANGE,
  async run({ session: { profiles }, output, globals }, { name, baseUrl, tradeUrl, wsUrl }) {
    if (baseUrl === undefined || tradeUrl === undefined) {
      throw usage(
        'A profile needs both hosts.',
        'Give --base-url for market data and --trade-url for signed requests.',
      );
    }
    if (globals.dryRun) {
      const hosts = [checkUrl('base', '--base-url', baseUrl), checkUrl('trade', '--trade-url', tradeUrl)];
      return dryChange('profile add', `Would add ${name} with ${hosts.join(' and ')}.`);
    }
    const profile = await profiles.add({ name, baseUrl, tradeUrl, wsUrl: wsUrl ?? null });
    output.note([suggest('Next', 'keys', 'set', '--profile', name), suggest('Then', 'profile', 'use', name)]);
    return changed(profile, profiles, `Added ${name}.`);
  },
});
