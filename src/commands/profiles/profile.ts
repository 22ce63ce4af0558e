import { listing } from '../../cli/answers.js';
import { confirm, requireConsent } from '../../cli/consent.js';
import { flag, optional, required, requiredFlag, toggle, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { CompletionNames } from '../../config/completion-names.js';
import { hostsInUse, type OriginatedHost } from '../../config/connection.js';
import type { KeyPlace } from '../../config/keys.js';
import { nearest } from '../../config/nearest.js';
import { type Profile, type Profiles, SANDBOX } from '../../config/profiles.js';
import {
  checkSetting,
  coinAmounts,
  limitsOfWithdrawals,
  loosens,
  passwordsOf,
  redisProblem,
  SETTING_KEYS,
  SETTINGS,
  settingKey,
  shownSettings,
  withPassword,
} from '../../config/settings.js';
import { checkUrl } from '../../config/urls.js';
import { Failure, suggest, tryRead, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { type RecordLine, record } from '../../terminal/table.js';
import { filePath, profileName, word } from '../inputs/parsers.js';
import { readNamedFile, STDIN } from '../named-files/input.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';

const HOSTS = {
  name: shape.text(''),
  baseUrl: shape.nullable(shape.text('the market-data host; null for the sandbox, which has no fixed address')),
  tradeUrl: shape.nullable(shape.text('the trade host; null for the sandbox')),
  wsUrl: shape.nullable(shape.text('')),
  active: shape.boolean('used unless a command names another'),
};

const PROFILE = shape.object({ ...HOSTS, settings: shape.mapOf(shape.text(''), 'values by setting') });

/** The key of a setting; an unknown one is refused later. */
const readKey = withCompletion({ of: 'words', words: SETTING_KEYS }, settingKey);

/** Where a value comes from; `active` is what `profile use` chose. */
type Origin = 'flag' | 'environment' | 'active' | 'profile' | 'default';

const SHOWN_PROFILE = shape.object({
  ...HOSTS,
  settings: shape.mapOf(shape.text(''), 'values by setting'),
  keyStore: shape.nullable(
    shape.enumOf(
      ['file', 'keychain', 'environment'],
      'where its keys are; null if there are none, and for the sandbox',
    ),
  ),
  origins: shape.array(
    shape.object({
      name: shape.text('profile, baseUrl, tradeUrl, wsUrl or a setting'),
      value: shape.nullable(shape.text('the value that commands use')),
      origin: shape.enumOf(['flag', 'environment', 'active', 'profile', 'default'], 'where it comes from'),
    }),
    'each value in use with its origin: a flag beats the environment, which beats the profile',
  ),
});

/**
 * The profile that a command is for: `--profile` takes precedence over PIT_PROFILE, which takes precedence over the active
 * profile. Throws Failure `credentials` if there is none of that name.
 */
export async function chosenProfile({ session, globals, host }: Context): Promise<Profile> {
  const { profiles } = session;
  return profiles.toUse(globals.profile ?? (host.environment.PIT_PROFILE || (await profiles.active())));
}

export const list = define({
  summary: 'List profiles and mark the active one',
  examples: ['profile list', 'profile list --json'],
  output: shape.array(shape.object(HOSTS)),
  async run({ session: { profiles } }) {
    const active = await profiles.active();
    return listing({
      rows: (await profiles.list()).map((profile) => hostsOf(profile, active)),
      row: shape.object(HOSTS),
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

export const add = define({
  summary: 'Add a profile for an exchange',
  arguments: { name: required('a name: lower-case letters, digits, - and _', word) },
  flags: {
    baseUrl: requiredFlag('--base-url <url>', 'the market-data host, without /data/v1', word),
    tradeUrl: requiredFlag('--trade-url <url>', 'the trade host, without /api', word),
    wsUrl: flag('--ws-url <url>', 'the WebSocket address', word),
  },
  examples: [
    'profile add overseas --base-url https://api.example.com --trade-url https://trade.example.com',
    'profile add local --base-url http://127.0.0.1:8080 --trade-url http://127.0.0.1:8080',
  ],
  output: PROFILE,
  dryRunOutput: DRY_CHANGE,
  async run({ session: { profiles }, output, globals }, { name, baseUrl, tradeUrl, wsUrl }) {
    if (globals.dryRun) {
      const hosts = [checkUrl('base', '--base-url', baseUrl), checkUrl('trade', '--trade-url', tradeUrl)];
      return dryChange('profile add', `Would add ${name} with ${hosts.join(' and ')}.`);
    }
    const profile = await profiles.add({ name, baseUrl, tradeUrl, wsUrl: wsUrl ?? null });
    output.note([suggest('Next', 'keys', 'set', '--profile', name), suggest('Then', 'profile', 'use', name)]);
    return changed(profile, profiles, `Added ${name}.`);
  },
});

export const use = define({
  summary: 'Make a profile the active one',
  arguments: { name: required('the profile', profileName) },
  examples: ['profile use overseas', 'profile use sandbox'],
  output: PROFILE,
  dryRunOutput: DRY_CHANGE,
  async run({ session: { profiles }, globals }, { name }) {
    const profile = await profiles.get(name);
    if (globals.dryRun) return dryChange('profile use', `Would make ${name} the active profile.`);
    await profiles.use(name);
    return changed(profile, profiles, `${name} is now the active profile.`);
  },
});

export const show = define({
  summary: 'Show a profile and where each value comes from',
  arguments: { name: optional('the profile (default: the active one)', profileName) },
  examples: ['profile show', 'profile show overseas --json'],
  output: SHOWN_PROFILE,
  async run(context, { name }) {
    const { profiles } = context.session;
    const profile = name === undefined ? await chosenProfile(context) : await profiles.get(name);
    const row = hostsOf(profile, await profiles.active());
    const origins = originsOf(context, profile, name);
    // what most exchanges call things is not of interest before it is replaced
    const isUsual = ({ name: key, origin }: OriginatedValue) => key.startsWith('stream.') && origin === 'default';
    const entries = origins
      .filter((one) => !isUsual(one))
      .map(({ name: key, value, origin }): RecordLine => {
        if (key === 'profile' && name !== undefined) return [key, row.active ? `${name} (active)` : name];
        const shown = key === 'baseUrl' || key === 'tradeUrl' ? hostText(value, row.name) : value;
        const text = shown === null ? null : `${shown} (${ORIGIN_TEXTS[key]?.[origin] ?? origin})`;
        return [HOST_LABELS[key] ?? key, text, origin === 'default' ? (shown, paint) => paint.faint(shown) : undefined];
      });
    const keyStore = await keyStoreOf(context, profile, name);
    const keys: RecordLine = [
      'keys',
      profile.builtIn ? "the sandbox's own" : (KEY_STORE_TEXTS[keyStore ?? ''] ?? 'none'),
    ];
    const data = { ...row, settings: shownSettings(profile.settings), keyStore, origins };
    return { data, show: (screen) => record(screen, [...entries.slice(0, 4), keys, ...entries.slice(4)]) };
  },
});

/** Where the keys are that commands use; the keychain is not asked whether it still has them. */
async function keyStoreOf(
  { session, host: { environment } }: Context,
  profile: Profile,
  named: string | undefined,
): Promise<KeyPlace | 'environment' | null> {
  const isInEnvironment =
    named === undefined && environment.PIT_ACCESS_KEY?.trim() && environment.PIT_SECRET_KEY?.trim();
  if (isInEnvironment) return 'environment';
  // a damaged file is for commands that use the keys, and for pit doctor
  return (await tryRead(() => session.keys.find(profile.name)))?.store ?? null;
}

const KEY_STORE_TEXTS: Readonly<Record<string, string>> = {
  file: "in pit's own file",
  keychain: "in the system's keychain",
  environment: 'PIT_ACCESS_KEY and PIT_SECRET_KEY',
};

const HOST_LABELS: Readonly<Record<string, string>> = {
  baseUrl: 'market data',
  tradeUrl: 'trading',
  wsUrl: 'websocket',
};

/** The origins whose flag or variable has to be named. */
const ORIGIN_TEXTS: Readonly<Record<string, Partial<Record<Origin, string>>>> = {
  profile: { flag: '--profile', environment: 'PIT_PROFILE' },
  baseUrl: { environment: 'PIT_BASE_URL' },
  tradeUrl: { environment: 'PIT_TRADE_URL' },
};

interface OriginatedValue extends Omit<OriginatedHost, 'origin'> {
  readonly name: string;
  readonly origin: Origin;
}

/**
 * Each value of a profile that commands use, with where it comes from.
 * @param named the profile that the command line names; then the environment does not count
 */
function originsOf(
  { globals, host: { environment } }: Context,
  profile: Profile,
  named: string | undefined,
): OriginatedValue[] {
  const chosen = named === undefined ? chosenBy(globals.profile, environment.PIT_PROFILE) : 'flag';
  const hosts = hostsInUse(profile, named === undefined ? environment : {});
  const settings = shownSettings(profile.settings);
  const builtIn = (origin: Origin) => (profile.builtIn && origin === 'profile' ? 'default' : origin);
  return [
    { name: 'profile', value: profile.name, origin: chosen },
    ...Object.entries(hosts).map(([name, { value, origin }]) => ({ name, value, origin: builtIn(origin) })),
    { name: 'wsUrl', value: profile.wsUrl, origin: builtIn('profile') },
    ...Object.entries(settings).map(([name, value]) => ({ name, value, origin: 'profile' as const })),
    ...[...SETTINGS].flatMap(([name, { default: value }]): OriginatedValue[] => {
      return value === undefined || Object.hasOwn(settings, name) ? [] : [{ name, value, origin: 'default' }];
    }),
  ];
}

function chosenBy(flag: string | undefined, variable: string | undefined): Origin {
  if (flag !== undefined) return 'flag';
  return variable ? 'environment' : 'active';
}

export const set = define({
  summary: 'Set a host or a setting of a profile',
  arguments: {
    name: required('the profile', profileName),
    key: required('baseUrl, tradeUrl, wsUrl or a setting', readKey),
    value: required('its value', word),
  },
  flags: {
    passwordStdin: toggle('--password-stdin', 'for limiter: read the password of Redis from stdin'),
    passwordFile: flag('--password-file <path>', 'for limiter: read the password of Redis from a file', filePath, {
      excludes: ['--password-stdin'],
    }),
  },
  examples: [
    'profile set overseas tradeUrl https://trade.example.com',
    'profile set overseas zone +08:00',
    'profile set overseas withdrawDayLimit 0.5btc,1000usdt',
    'profile set overseas limiter rediss://pit@redis.example.com --password-file redis.txt',
  ],
  output: PROFILE,
  dryRunOutput: DRY_CHANGE,
  async run(context, { name, key, value: given, passwordStdin, passwordFile }) {
    const { output, globals } = context;
    const { profiles } = context.session;
    const profile = await profiles.get(name);
    const source = passwordFile ?? (passwordStdin ? STDIN : undefined);
    const value = key === 'limiter' ? await limiterUrl(context, given, source) : given;
    if (key !== 'limiter' && source !== undefined)
      throw usage(`${key} takes no password.`, '--password-stdin and --password-file belong to limiter.');
    const checked = checkSetting(key, value);
    const shown = shownSettings({ [key]: checked })[key] ?? '';
    for (const warning of unknownCoins(context.host.directories.cache, name, key, checked)) output.warn(warning);
    if (key === 'caFile') (await import('../../exchange/connect.js')).requireCertificates(shown);
    if (key === 'tradeUrl') {
      const { warnOfOrphanedWrites } = await import('../writes/orphaned-writes.js');
      await warnOfOrphanedWrites(context, profile, ({ accessKey }) => ({ tradeUrl: checked, accessKey }));
    }
    if (globals.dryRun) {
      const dropped = key === 'tradeUrl' ? ['Keys stored for another trade host would be removed.'] : [];
      return dryChange('profile set', `Would set ${key} of ${name} to ${shown}.`, ...dropped);
    }
    await confirmLoosening(context, name, key, value);
    const isOtherExchange = key === 'tradeUrl' && checked !== profile.tradeUrl && !profile.builtIn;
    const isKeyless = isOtherExchange && (await context.session.keys.remove(name));
    if ((await profiles.set(name, key, value)) || isKeyless) {
      output.warn([
        'Its keys were for another trade host and have been removed.',
        suggest('Store new ones', 'keys', 'set', '--profile', name),
      ]);
    }
    return changed(await profiles.get(name), profiles, `Set ${key} of ${name}.`);
  },
});

/** In bytes: far more than a password has. */
const PASSWORD_RULES = { max: 4_096, hint: 'It must hold the password of Redis, on one line.' };

/**
 * The URL of a Redis with the password from stdin or a file. Throws Failure `usage` for a Redis that must not be used, and for a
 * password on the command line, which other users of the machine and the shell's history see.
 */
async function limiterUrl(context: Context, given: string, source: string | undefined): Promise<string> {
  const url = checkSetting('limiter', given);
  if (passwordsOf(url).length > 0)
    throw usage('A password on the command line can be seen by others, so it is not taken from there.', [
      'Leave it out of the URL, and give it with --password-stdin or --password-file.',
      'Change the password if others may have seen it.',
    ]);
  const problem = redisProblem(url, context.host.environment);
  if (problem !== null)
    throw usage(`This Redis is not used: ${problem}.`, 'Its answers decide whether the account is halted.');
  if (source === undefined) return url;
  const bytes = await readNamedFile(context, source, PASSWORD_RULES);
  const password = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  if (password === '') throw usage('The password is empty.', PASSWORD_RULES.hint);
  if (/\p{Cc}/u.test(password))
    throw usage('The password has a line end or another control character.', PASSWORD_RULES.hint);
  return withPassword(url, password);
}

const LIMITS_BY_COIN: ReadonlySet<string> = new Set([
  'withdrawLimit',
  'withdrawDayLimit',
  'orderNotional',
  'dayNotional',
]);

/** Warnings about the coins of a limit that this exchange does not seem to have; none before its coins are known. */
function unknownCoins(cacheFolder: string, profile: string, key: string, value: string): string[] {
  const coins = LIMITS_BY_COIN.has(key) ? new CompletionNames(cacheFolder, profile).read('coins') : [];
  if (coins.length === 0) return [];
  return [...coinAmounts(value.toLowerCase()).keys()].flatMap((coin) => {
    if (coins.includes(coin)) return [];
    const [close] = nearest(coin, coins);
    const guess = close === undefined ? '' : ` Did you mean ${close}?`;
    return `This exchange has no coin ${coin}, so a limit on it has no effect.${guess}`;
  });
}

export const unset = define({
  summary: 'Remove a setting of a profile',
  arguments: { name: required('the profile', profileName), key: required('the setting', readKey) },
  examples: ['profile unset overseas zone', 'profile unset overseas wsUrl'],
  output: PROFILE,
  dryRunOutput: DRY_CHANGE,
  async run(context, { name, key }) {
    const { profiles } = context.session;
    await profiles.get(name);
    if (context.globals.dryRun) return dryChange('profile unset', `Would unset ${key} of ${name}.`);
    await confirmLoosening(context, name, key, undefined);
    await profiles.unset(name, key);
    return changed(await profiles.get(name), profiles, `Unset ${key} of ${name}.`);
  },
});

export const remove = define({
  summary: 'Remove a profile and its keys; asks',
  arguments: { name: required('the profile', profileName) },
  examples: ['profile remove overseas', 'profile remove overseas --yes'],
  output: shape.object({ removed: shape.text('its name') }),
  dryRunOutput: DRY_CHANGE,
  async run(context, { name }) {
    const { session } = context;
    requireConsent(context);
    const profile = await session.profiles.get(name);
    const { warnOfOrphanedWrites } = await import('../writes/orphaned-writes.js');
    await warnOfOrphanedWrites(context, profile, () => ({ tradeUrl: profile.tradeUrl, accessKey: null }));
    if (context.globals.dryRun) return dryChange('profile remove', `Would remove the profile ${name} and its keys.`);
    await confirmRemoval(context, profile);
    if (!profile.builtIn) await session.keys.remove(name);
    await session.profiles.remove(name);
    return { data: { removed: name }, show: () => `Removed ${name}.` };
  },
});

/** The sandbox's hosts are null: they are known only while it runs. */
function hostsOf({ name, baseUrl, tradeUrl, wsUrl }: Profile, active: string) {
  return { name, baseUrl: baseUrl || null, tradeUrl: tradeUrl || null, wsUrl, active: name === active };
}

function hostText(url: string | null, name: string): string | null {
  return url === null && name === SANDBOX ? 'the exchange in a box' : url;
}

async function changed(
  profile: Profile,
  profiles: Profiles,
  text: string,
): Promise<Answer<shape.Infer<typeof PROFILE>>> {
  return {
    data: { ...hostsOf(profile, await profiles.active()), settings: shownSettings(profile.settings) },
    show: () => text,
  };
}

/**
 * Asks before a withdrawal limit becomes less strict. Only a person at a terminal can answer: no flag does, so a broken or
 * foreign script cannot lift a limit.
 *
 * @param value undefined to unset it
 * @throws Failure `declined` unless the name of the setting is typed
 */
async function confirmLoosening(context: Context, name: string, key: string, value: string | undefined): Promise<void> {
  const { settings } = await context.session.profiles.get(name);
  const after = value === undefined ? undefined : checkSetting(key, value);
  if (!loosens(key, settings[key], after)) return;
  await requireTyped(context, key, {
    effect: `This loosens the limit ${key}`,
    warning: `${key} of ${name} is now ${settings[key]}; the new value is less strict.`,
    question: `Type ${key} to loosen it:`,
  });
}

/**
 * Asks before a profile is removed. If it has withdrawal limits, its name must be typed: adding it again would have none.
 *
 * @throws Failure `declined`
 */
async function confirmRemoval(context: Context, { name, builtIn, settings }: Profile): Promise<void> {
  const limits = builtIn ? [] : limitsOfWithdrawals(settings);
  if (limits.length === 0) return confirm(context, `Remove the profile ${name} and its keys?`);
  await requireTyped(context, name, {
    effect: `This removes limits of ${name}: ${limits.join(', ')}`,
    warning: `${name} limits withdrawals: ${limits.map((key) => `${key} is ${settings[key]}`).join(', ')}.`,
    question: `Type ${name} to remove it with its limits and keys:`,
  });
}

interface TypedQuestion {
  /** A clause without a full stop. */
  readonly effect: string;
  readonly warning: string;
  readonly question: string;
}

async function requireTyped(
  { prompts, consent, output }: Context,
  answer: string,
  asked: TypedQuestion,
): Promise<void> {
  if (!consent.available)
    throw new Failure('declined', `${asked.effect}, and ${prompts.whyUnavailable}.`, {
      hint: 'Loosen limits at a terminal; --yes does not confirm it. Making a limit stricter asks nothing.',
    });
  output.warn(asked.warning);
  if (await consent.ask({ text: asked.question, word: answer })) return;
  throw new Failure('declined', `You did not type ${answer}; nothing was changed.`, {
    hint: `Type ${answer} to confirm.`,
  });
}
