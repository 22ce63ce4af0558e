/** Set in the environment of programs that pit starts, if that of pit itself has keys. */
export const KEYS_WITHHELD = 'PIT_KEYS_WITHHELD';

/**
 * The environment of a program that pit starts: without keys, which it does not need. A pit among them must not use the keys of
 * another account instead, so it is told that they were withheld.
 */
export function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PIT_ACCESS_KEY, PIT_SECRET_KEY, ...others } = environment;
  return PIT_ACCESS_KEY || PIT_SECRET_KEY ? { ...others, [KEYS_WITHHELD]: '1' } : others;
}
