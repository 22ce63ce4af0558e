import { usage } from '../errors.js';
import type { Format } from '../terminal/output.js';
import { completing } from './completes.js';
import { type Flag, flag, toggle } from './definition.js';

/** The flags that every command takes. */
export interface Globals {
  readonly profile?: string;
  readonly format: Format;
  /** The fields to show in a table or CSV; undefined for all. */
  readonly fields: readonly string[] | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
  /** Whether the user gave `--timeout`. */
  readonly timeoutChosen: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

export interface GlobalFlags {
  readonly profile?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly fields?: string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly timeout?: number;
  readonly color: boolean;
  readonly verbose?: boolean;
}

const DEFAULT_TIMEOUT_S = 30;
const LONGEST_TIMEOUT_S = 86_400;

/** The flags that every command takes, before or after its name. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag(
    '--profile <name>',
    'use this profile',
    completing({ of: 'profile' }, (word) => word),
  ),
  toggle('--json', 'print one JSON document'),
  toggle('--csv', 'print comma-separated values'),
  flag('--fields <names>', 'show only these fields in tables and --csv: id,price', fields),
  toggle('--yes', 'confirm without asking'),
  toggle('--dry-run', 'check everything but send no write'),
  flag(
    '--timeout <seconds>',
    `time for the whole command (default: ${DEFAULT_TIMEOUT_S}; each page of a listing; as long as a batch needs)`,
    seconds,
  ),
  toggle('--no-color', 'print without colors'),
  toggle('--verbose', 'show each request on stderr'),
];

function seconds(word: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(word) ? Number(word) : 0;
  if (value > 0 && value <= LONGEST_TIMEOUT_S) return value;
  throw usage(`--timeout is "${word}".`, `It must be a number of seconds above 0, at most ${LONGEST_TIMEOUT_S}.`);
}

function fields(words: string): string[] {
  const names = words.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw usage(`--fields is "${words}".`, 'It is a list of names, as in --fields id,price.');
}

/** Throws Failure `usage` if two of the flags exclude each other. */
export function readGlobals(flags: GlobalFlags): Globals {
  if (flags.json && flags.csv) throw usage('--json and --csv exclude each other.', 'Give one of them.');
  if (flags.fields && flags.json)
    throw usage('--fields and --json exclude each other.', 'JSON has every field; pick from it with jq.');
  if (flags.fields && flags.dryRun) throw usage('--fields and --dry-run exclude each other.', 'Give one of them.');
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    format: formatOf(flags),
    fields: flags.fields,
    yes: flags.yes ?? false,
    dryRun: flags.dryRun ?? false,
    timeoutMs: (flags.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
    timeoutChosen: flags.timeout !== undefined,
    color: flags.color,
    verbose: flags.verbose ?? false,
  };
}

function formatOf({ json, csv }: GlobalFlags): Format {
  if (json) return 'json';
  return csv ? 'csv' : 'table';
}
