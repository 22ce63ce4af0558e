/** Set in the environment of programs that pit starts, if that of pit itself has keys. */
export const KEYS_WITHHELD = 'PIT_KEYS_WITHHELD';

/**
 * The environment for a program that pit starts. It has no keys, because the program needs none. If that program is pit, it must not
 * fall back on the keys of another account, so a variable says that keys were withheld.
 */
export function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PIT_ACCESS_KEY, PIT_SECRET_KEY, ...others } = environment;
  return PIT_ACCESS_KEY || PIT_SECRET_KEY ? { ...others, [KEYS_WITHHELD]: '1' } : others;
}
