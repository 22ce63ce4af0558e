import path from 'node:path';

/** The program as `npm test` has built it. */
export const BUILT = path.resolve('bin/pit.js');

/**
 * The program in its own process: the one that `npm test` has built, or the artifact that the variable PIT_BIN names, as
 * an installed package or the single file that holds Node too. Read from the project's folder, as tests and campaigns are run.
 */
export const PIT: { readonly command: string; readonly arguments: readonly string[] } =
  process.env.PIT_BIN === undefined
    ? { command: process.execPath, arguments: [BUILT] }
    : { command: path.resolve(process.env.PIT_BIN), arguments: [] };

/** The whole command line that runs pit with these words. */
export function pitLine(...words: readonly string[]): [command: string, ...words: string[]] {
  return [PIT.command, ...PIT.arguments, ...words];
}

/** What runs pit in a shell; its words follow. */
export const PIT_IN_SHELL = pitLine()
  .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  .join(' ');

/** The environment in which Node obeys options, whatever starts it. */
export function nodeOptions(...options: readonly string[]): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: options.join(' ') };
}
