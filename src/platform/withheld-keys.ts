/** Set in the environment of programs that pit starts, if that of pit itself has keys. */
export const KEYS_WITHHELD = 'PIT_KEYS_WITHHELD';

/** What is shorter may be a part of any text. */
const SHORTEST_KEY = 8;

/**
 * The environment for a program that pit starts. It has no keys, because the program needs none, nor a variable of another name that
 * has them. If that program is pit, it must not fall back on the keys of another account, so a variable says that keys were withheld.
 */
export function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PIT_ACCESS_KEY = '', PIT_SECRET_KEY = '', ...others } = environment;
  if (PIT_ACCESS_KEY === '' && PIT_SECRET_KEY === '') return others;
  const keys = [PIT_ACCESS_KEY, PIT_SECRET_KEY].map((key) => key.trim()).filter(({ length }) => length >= SHORTEST_KEY);
  const harmless = Object.entries(others).filter(([, value = '']) => !keys.some((key) => value.includes(key)));
  return { ...Object.fromEntries(harmless), [KEYS_WITHHELD]: '1' };
}
