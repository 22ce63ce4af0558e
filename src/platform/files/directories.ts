import path from 'node:path';
import envPaths from 'env-paths';

/** The folders of pit. `config` is what the user set, `state` must survive, and `cache` can be made again. */
export interface Directories {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** `PIT_HOME` holds everything in one folder; without it the platform's own folders (XDG on Linux) are used. */
export function directoriesOf(home: string | undefined): Directories {
  if (home !== undefined && home !== '') {
    const root = path.resolve(home);
    return { config: path.join(root, 'config'), state: path.join(root, 'state'), cache: path.join(root, 'cache') };
  }
  const { config, data, cache } = envPaths('pit', { suffix: '' });
  return { config, state: data, cache };
}
