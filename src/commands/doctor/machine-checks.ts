import fs, { type Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure, shellWord, suggest, systemErrorCode, withoutPeriod } from '../../errors.js';
import { proxyOf } from '../../exchange/connect.js';
import { requireOwnFolder } from '../../platform/files/private-files.js';
import { installationOf } from '../../platform/installation.js';
import { version } from '../../version.js';
import { completionState, SHELLS } from '../completion/installation.js';
import { type Check, type CheckResult, fail, ok, warn } from './check.js';

export const pitVersion: Check = {
  name: 'pit',
  run: async ({ context: { host } }) => {
    const { commit, source } = installationOf(host);
    const from = { package: 'an installed package', executable: 'a single executable', checkout: 'a checkout' }[source];
    return ok(`version ${version}${commit === null ? '' : `, commit ${shortened(commit)}`}, from ${from}`);
  },
};

/** As git shortens it; the mark of changed files stays. */
function shortened(commit: string): string {
  return commit.replace(/^([0-9a-f]{10})[0-9a-f]*/, '$1');
}

export const node: Check = {
  name: 'node',
  run: async () => nodeResult(process.versions.node),
};

/** `^20.19 || ^22.13 || >=24`: the lowest minor version of a major one. */
const LOWEST_MINOR: Readonly<Record<number, number>> = { 20: 19, 22: 13 };
const EVERY_VERSION_FROM = 24;

/** @internal for its test */
export function nodeResult(text: string): CheckResult {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  const lowest = LOWEST_MINOR[major];
  if (major >= EVERY_VERSION_FROM || (lowest !== undefined && minor >= lowest)) return ok(`version ${text}`);
  return warn(`pit is not tested with version ${text}`, 'Install Node 20.19 or later, 22.13 or later, or 24 and up.');
}

export const configuration: Check = {
  name: 'configuration',
  reportsKey: true,
  async run({ context: { session, host } }) {
    // reads every profile, also those not in use
    const profiles = await session.profiles.list();
    const { profile } = await session.connection();
    const from = host.environment.PIT_HOME ? 'PIT_HOME' : 'default folder';
    const count = profiles.length === 1 ? '1 profile' : `${profiles.length} profiles`;
    return ok(`${host.directories.config} (${from}): ${count}, "${profile}" in use`);
  },
};

/** More files than pit ever writes; a link to another folder could hold them. */
const MAX_FILES = 20_000;

/** Permission bits of the group and all others. */
const OTHERS = 0o077;

interface FileProblem {
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

export const files: Check = {
  name: 'files',
  async run({ context: { host } }) {
    if (process.geteuid === undefined) return ok('permissions are not checked on this system');
    const { config, state, cache } = host.directories;
    // what every command refuses: another user can change or replace one of them, or a folder above
    const refused = [config, state, cache].map(refusalOf).find((failure) => failure !== undefined);
    if (refused !== undefined) return fail(withoutPeriod(refused.message), refused.hints);
    const seen: string[] = [];
    const problems = [...(await problemsIn(config, seen)), ...(await problemsIn(state, seen))];
    if (fs.existsSync(cache)) problems.push(...writeProblemOf(cache));
    const [first, ...more] = problems;
    if (first === undefined)
      return ok(seen.length === 0 ? 'no files yet' : `${seen.length} files and folders, private to the user`);
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    const fixes = [...new Set(problems.map(({ fix }) => fix))];
    return fail(
      `${first.file} ${first.problem}${others}`,
      fixes.length > 3 ? `${fixes.slice(0, 3).join('; ')} …` : fixes.join('; '),
    );
  },
};

/** Why every command refuses a folder; undefined if none does. */
function refusalOf(folder: string): Failure | undefined {
  try {
    requireOwnFolder(folder);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

async function problemsIn(root: string, seen: string[]): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  const queue = [root];
  for (let file = queue.pop(); file !== undefined && seen.length < MAX_FILES; file = queue.pop()) {
    try {
      // the folder itself may be a link
      const found = await (file === root ? stat : lstat)(file);
      seen.push(file);
      const open = problemOf(file, found);
      problems.push(...open);
      if (found.isDirectory() && open.length === 0) problems.push(...writeProblemOf(file));
      if (found.isDirectory()) queue.push(...(await readdir(file)).map((name) => path.join(file ?? '', name)));
    } catch (thrown) {
      // another process may just have removed it
      const code = systemErrorCode(thrown);
      if (code !== 'ENOENT')
        problems.push({
          file,
          problem: `cannot be read (${code})`,
          fix: `Check the permissions of ${file} and the folders above it.`,
        });
    }
  }
  return problems;
}

function problemOf(file: string, { mode, uid }: Stats): FileProblem[] {
  const isLink = (mode & 0o170000) === 0o120000;
  // a claim of the journal is a link that leads nowhere
  if (isLink) return leadsToFolder(file) ? [{ file, ...LINKED }] : [];
  if (uid !== process.geteuid?.()) {
    const fix = 'Run pit as its owner, or set PIT_HOME to a folder of your own.';
    return [{ file, problem: 'belongs to another user', fix }];
  }
  if ((mode & OTHERS) === 0) return [];
  const problem = `is open to other users (mode ${(mode & 0o777).toString(8)})`;
  return [{ file, problem, fix: `chmod go-rwx ${shellWord(file)}` }];
}

const LINKED = {
  problem: 'is a link, and pit follows none inside its folders',
  fix: 'Put the folder itself in its place, or set PIT_HOME to where it is.',
};

function leadsToFolder(link: string): boolean {
  return fs.statSync(link, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A block of a disk: an empty file may fit where nothing else does. */
const PROBE = Buffer.alloc(4_096);

const WRITE_PROBLEMS: Readonly<Record<string, Omit<FileProblem, 'file'>>> = {
  ENOSPC: { problem: 'has no room (ENOSPC)', fix: 'Free some space, or set PIT_HOME to a folder on another disk.' },
  EROFS: { problem: 'is on a read-only disk (EROFS)', fix: 'Set PIT_HOME to a folder on another disk.' },
};

/** Only writing shows whether a disk is full or read-only. */
function writeProblemOf(folder: string): FileProblem[] {
  const probe = path.join(folder, `.doctor.${process.pid}`);
  try {
    fs.writeFileSync(probe, PROBE, { mode: 0o600 });
    return [];
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    const fix = `Check the permissions of ${folder}.`;
    return [{ file: folder, ...(WRITE_PROBLEMS[code] ?? { problem: `cannot be written (${code})`, fix }) }];
  } finally {
    fs.rmSync(probe, { force: true });
  }
}

export const network: Check = {
  name: 'network',
  async run({ context: { host, session } }) {
    const { NODE_TLS_REJECT_UNAUTHORIZED: verification, NODE_EXTRA_CA_CERTS: extra } = host.environment;
    if (verification === '0')
      return fail(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off',
        'Unset it; pit signs no requests with it.',
      );
    if (extra && !fs.existsSync(extra))
      return warn(`NODE_EXTRA_CA_CERTS names a missing file: ${extra}`, 'Correct or unset it.');
    const { baseUrl, tradeUrl, settings } = await session.connection();
    const found = await Promise.all([baseUrl, tradeUrl].map((url) => (url === null ? undefined : proxyOf(url))));
    const proxies = new Set(found.filter((proxy) => proxy !== undefined));
    const route = proxies.size === 0 ? 'no proxy' : `through ${[...proxies].join(' and ')}`;
    return ok(settings.caFile === undefined ? route : `${route}, certificate authorities from ${settings.caFile}`);
  },
};

export const completion: Check = {
  name: 'completion',
  async run({ context: { host } }) {
    const ownShell = path.basename(host.environment.SHELL ?? '');
    const states = SHELLS.map((shell) => completionState(host, shell));
    const outdated = states.find(({ isInstalled, isCurrent }) => isInstalled && !isCurrent);
    if (outdated !== undefined)
      return warn(
        `completion for ${outdated.shell} is from another version`,
        suggest('Install it again', 'completion', 'install', outdated.shell),
      );
    const installed = states.filter(({ isInstalled }) => isInstalled).map(({ shell }) => shell);
    if (installed.length > 0) return ok(`installed for ${installed.join(' and ')}`);
    const isSupported = states.some(({ shell }) => shell === ownShell);
    return ok(isSupported ? `not installed for ${ownShell}` : 'not installed');
  },
};
