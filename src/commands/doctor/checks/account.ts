import { type Advice, partsOf, suggest } from '../../../errors.js';
import type { Journal } from '../../../trading/journal/journal.js';
import { quietly } from '../../../trading/quietly.js';
import { PERMISSIONS } from '../../account/account.js';
import { type Check, type Found, fail, ok, skipped, warn } from '../check.js';
import type { Examination } from '../examination.js';
import { type UnknownElsewhere, unknownElsewhere } from '../other-keys.js';

const KEYS_FIRST = 'Mend the key first.';

export const account: readonly Check[] = [
  {
    name: 'key',
    tellsOfKey: true,
    async look(examination) {
      const { session } = examination.context;
      const { keysMissing, profile } = await session.connection();
      if (keysMissing !== null) return fail(keysMissing.message, keysMissing.hint);
      const { username } = await examination.account();
      return ok(`the key of "${profile}" is accepted: the account of ${username}`);
    },
  },
  {
    name: 'permissions',
    async look(examination) {
      const answer = await quietly(() => examination.account());
      if (answer === undefined) return skipped('the key could not be asked about', KEYS_FIRST);
      return permissionsFound(answer.permissions);
    },
  },
  {
    name: 'tolerance',
    async look({ context: { session } }) {
      if ((await session.connection()).keysMissing !== null) return skipped('there is no key', KEYS_FIRST);
      const { known } = (await session.trading()).tolerance;
      if (known === undefined)
        return ok('how old a request may be is not known yet; pit finds it out when it needs to');
      return ok(`the exchange takes requests for ${known / 1_000} s after their reqTime`);
    },
  },
  {
    name: 'journal',
    async look(examination) {
      const journal = await journalOf(examination);
      const elsewhere = await unknownElsewhere(examination.context, journal?.account ?? null);
      const { detail, fix } = journal === undefined ? NO_JOURNAL : unknownIn(journal);
      return joined(detail, fix, elsewhere);
    },
  },
  {
    name: 'records',
    async look(examination) {
      const journal = await journalOf(examination);
      if (journal === undefined) return skipped('there is no key, and the journal is by key', KEYS_FIRST);
      const [unreadable] = journal.unreadable();
      if (unreadable !== undefined)
        return warn(unreadable.failure.message, ['Fix that first.', suggest('Then ask', 'resolve')]);
      const damaged = journal.damaged();
      if (damaged.length === 0) return ok('none is damaged');
      const words = `of ${damaged.length === 1 ? damaged[0] : `${damaged.length} writes`} the record is damaged`;
      return warn(words, suggest('See what it was and put it aside', 'resolve'));
    },
  },
];

const NO_JOURNAL = skipped('there is no key, and the journal is by key', KEYS_FIRST);

function unknownIn(journal: Journal): Found {
  const left = journal.open().filter(({ isUnderWay }) => !isUnderWay);
  if (left.length === 0) return ok('nothing is unknown');
  const [first] = left;
  const what =
    left.length === 1 ? `the outcome of ${first?.intent.id} is` : `the outcomes of ${left.length} writes are`;
  return warn(`${what} not known`, suggest('Find out', 'resolve'));
}

function joined(detail: string, fix: Advice | null, elsewhere: UnknownElsewhere | null): Found {
  if (elsewhere === null) return fix === null ? ok(detail) : warn(detail, fix);
  const { words, mend } = elsewhere;
  return warn(`${detail}; ${words}`, [...partsOf(fix), ...mend]);
}

async function journalOf({ context: { session } }: Examination) {
  if ((await session.connection()).keysMissing !== null) return undefined;
  return (await session.trading()).journal;
}

type Permission = keyof typeof PERMISSIONS;

function permissionsFound(has: Readonly<Record<Permission, boolean>>) {
  const names = Object.keys(PERMISSIONS) as Permission[];
  const words = (some: readonly Permission[]) => some.map((name) => PERMISSIONS[name].allows).join('; ');
  const [granted, missing] = [names.filter((name) => has[name]), names.filter((name) => !has[name])];
  const may = granted.length === 0 ? 'it may do nothing' : `it may: ${words(granted)}`;
  const detail = missing.length === 0 ? may : `${may}. It may not: ${words(missing)}`;
  // who only trades needs no more than these
  const needed = missing.filter((name) => name === 'asset' || name === 'entrust');
  if (needed.length === 0) return ok(detail);
  const refused = needed.map((name) => PERMISSIONS[name].commands).join(', ');
  return warn(detail, `Grant it at the exchange; until then these are refused: ${refused}`);
}
