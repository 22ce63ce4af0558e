import type { Context } from '../../cli/context.js';
import * as shape from '../../cli/shapes.js';
import { type Profile, type Profiles, SANDBOX } from '../../config/profiles.js';
import { shownSettings } from '../../config/settings.js';
import type { Answer } from '../../terminal/answer.js';

/** A profile: its name and its hosts. */
export const PROFILE: shape.Fields = {
  name: shape.text(''),
  baseUrl: shape.orNull(shape.text('the market-data host; null for the sandbox, which is where it runs')),
  tradeUrl: shape.orNull(shape.text('the trade host; null for the sandbox')),
  wsUrl: shape.orNull(shape.text('')),
  active: shape.yesNo('in use where no other is named'),
};

/** A profile with what is set in it. */
export const WHOLE_PROFILE = shape.record({
  ...PROFILE,
  settings: shape.named(shape.text(''), 'what is set, by its name'),
});

/** A profile as people and programs read it. The sandbox's hosts are known only while it runs. */
export function profileRow({ name, baseUrl, tradeUrl, wsUrl }: Profile, active: string) {
  return { name, baseUrl: baseUrl || null, tradeUrl: tradeUrl || null, wsUrl, active: name === active };
}

/**
 * The profile to use: a name on the command line beats the environment, which beats the one in use. Throws Failure
 * `credentials` where there is none of that name.
 */
export async function profileMeant({ session, globals, host }: Context): Promise<Profile> {
  const { profiles } = session;
  return profiles.toUse(globals.profile ?? (host.environment.PIT_PROFILE || (await profiles.active())));
}

export function hostText(url: string | null, name: string): string | null {
  return url === null && name === SANDBOX ? 'the exchange in a box' : url;
}

/** What a command that changed a profile answers. */
export async function changed(profile: Profile, profiles: Profiles, words: string): Promise<Answer> {
  return {
    data: { ...profileRow(profile, await profiles.active()), settings: shownSettings(profile.settings) },
    show: () => words,
  };
}
