import { requireConsent } from '../../cli/consent.js';
import { flag, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { Failure, type Hint, suggest, usage } from '../../errors.js';
import type { Latch } from '../../exchange/connect.js';
import type { Halt } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { safe, wrapped } from '../../terminal/text.js';
import { isoTime, zonedTime } from '../../terminal/time.js';
import { CANCELLED } from '../cancel/cancel-result.js';
import { type Context, define } from '../command.js';
import { coinName, duration, profileName } from '../inputs.js';
import { SENT_ORDER } from '../order/order-result.js';
import { reportingSignals } from '../write.js';
import { cancelEverywhere, NOTHING_CANCELLED, openEverywhere } from './cancel-everywhere.js';
import { flatten, NOTHING_FLATTENED, sellEverything } from './flatten.js';

const HALT: shape.Fields = {
  halted: shape.boolean('false after --lift'),
  since: shape.nullable(shape.time('')),
  until: shape.nullable(shape.time('when it ends by itself')),
  reason: shape.nullable(shape.text('as you gave it')),
};

const HALTED: shape.Fields = {
  ...HALT,
  cancelled: shape.array(shape.object(CANCELLED), 'by --cancel'),
  timers: shape.array(
    shape.object({ market: shape.text(''), cancelsAt: shape.time("by the exchange's clock") }),
    'when the exchange itself cancels what is left',
  ),
  flattened: shape.array(SENT_ORDER, 'the orders of --flatten'),
};

export default define({
  summary: 'Stop every write of the account, except cancellations',
  flags: {
    cancel: toggle('--cancel', 'also cancel every open order in every market'),
    flatten: flag('--flatten <coin>', 'also sell what the account holds into this coin; previews and asks', coinName),
    for: flag('--for <duration>', 'end by itself: 30m, 2h, 1d (default: until --lift)', duration),
    reason: flag('--reason <text>', 'shown by every command while it is halted', reasonText),
    lift: toggle('--lift', 'end it; asks for the name of the profile'),
    confirm: flag('--confirm <name>', 'with --lift in a script: the name of the profile', profileName),
  },
  examples: [
    'halt',
    'halt --cancel',
    'halt --cancel --flatten usdt',
    'halt --for 2h --reason news',
    'halt --lift',
    'halt --lift --confirm sandbox',
  ],
  output: shape.object(HALTED),
  dryRunOutput: shape.object({
    dryRun: shape.boolean('always true'),
    ...HALT,
    orders: shape.array(shape.object({ market: shape.text(''), id: shape.id('') }), 'that --cancel would cancel'),
    holdings: shape.array(
      shape.object({ coin: shape.text(''), amount: shape.decimal('') }),
      'that --flatten would sell as far as there are buyers',
    ),
  }),
  async run(context, { cancel, flatten: into, for: lastsMs, reason, lift, confirm }) {
    if (lift) {
      if (cancel || into !== undefined || lastsMs !== undefined || reason !== undefined)
        throw usage('--lift ends a halt and takes only --confirm.', suggest('Write it as', 'halt', '--lift'));
      return liftHalt(context, confirm);
    }
    if (confirm !== undefined)
      throw usage('--confirm needs --lift.', suggest('To end a halt', 'halt', '--lift', '--confirm', confirm));
    return haltAccount(context, { lastsMs, reason: reason ?? null, isCancelling: cancel, into });
  },
});

/** Longer ones are cut off by some terminals. */
const MAX_REASON = 200;

/** Throws Failure `usage`. */
function reasonText(text: string): string {
  const cleaned = safe(text).trim();
  if (cleaned !== '' && cleaned.length <= MAX_REASON) return cleaned;
  throw usage(
    cleaned === '' ? 'The reason is empty.' : `The reason is too long: ${cleaned.length} characters.`,
    `Give 1 to ${MAX_REASON}.`,
  );
}

interface Wanted {
  /** How long it lasts, in milliseconds; until it is lifted if undefined. */
  readonly lastsMs: number | undefined;
  readonly reason: string | null;
  /** Whether open orders are cancelled, too. */
  readonly isCancelling: boolean;
  /** The coin that everything is sold into, if it is. */
  readonly into: string | undefined;
}

/** Halts the account, and then does what else is wanted. Throws Failure if it could not be halted: nothing else is done. */
async function haltAccount(context: Context, wanted: Wanted): Promise<Answer> {
  const { session, host, globals } = context;
  if (wanted.into !== undefined) requireConsent(context);
  const latch = await session.exchange.latch();
  const halt = haltOf(wanted, await latch.find(), host.now());
  const { profile } = await session.profile.connection();
  const { since, until, reason } = halt;
  const data = { halted: true, since: timeOrNull(since), until: timeOrNull(until), reason };
  const text = haltedText(halt, profile, latch);
  if (globals.dryRun) return dryHalt(context, wanted, data, text);
  const unshared = await latch.set(halt);
  session.exchange.omitHaltWarning();
  const interrupted = () => ({ advice: ['The account is halted.', ...leftByInterruption(wanted)] });
  const { underWay, cancelled } = await reportingSignals(context, { interrupted, stop: () => undefined }, async () => ({
    underWay: await requestsUnderWay(context),
    cancelled: wanted.isCancelling ? await cancelEverywhere(context) : NOTHING_CANCELLED,
  }));
  // what follows may wait at a question
  if (wanted.into !== undefined) context.output.note('The account is halted.');
  latch.exempt();
  const flattened = wanted.into === undefined ? NOTHING_FLATTENED : await flatten(context, wanted.into);
  const failure = worst([incompleteHalt(unshared, underWay), cancelled.failure, flattened.failure]);
  const parts = (screen: Screen) => [wrapped(text, screen.width), cancelled.show(screen), flattened.show(screen)];
  return {
    data: { ...data, cancelled: cancelled.rows, timers: cancelled.timers, flattened: flattened.rows },
    csv: [data],
    show: (screen) =>
      parts(screen)
        .filter((part) => part !== '')
        .join('\n'),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** One failure that says all: an unknown outcome counts more than what is left. */
function worst(all: readonly (Failure | undefined)[]): Failure | undefined {
  const failures = all.filter((failure) => failure !== undefined);
  const [first, ...others] = failures;
  if (first === undefined || others.length === 0) return first;
  const kind = failures.some((failure) => failure.kind === 'unknown') ? 'unknown' : 'partial';
  const hints = new Map(failures.flatMap(({ hints }) => hints).map((hint) => [JSON.stringify(hint), hint]));
  return new Failure(kind, failures.map(({ message }) => message).join(' '), { hint: [...hints.values()] });
}

function leftByInterruption({ isCancelling, into }: Wanted): Hint[] {
  const sold = into === undefined ? [] : ['--flatten', into];
  return isCancelling ? [suggest('Orders may still be open. Cancel what is left', 'halt', '--cancel', ...sold)] : [];
}

/** Waits for the requests that were on their way; returns how many are not answered, or why that is unknown. */
async function requestsUnderWay({ session, sandbox, budget }: Context): Promise<number | string> {
  // the permits of the sandbox have its key in their names
  if ((await session.profile.connection()).sandbox) await sandbox.findRunning();
  return (await session.exchange.connection()).waitForRequests(budget);
}

async function dryHalt(context: Context, { isCancelling, into }: Wanted, data: object, text: string): Promise<Answer> {
  const orders = isCancelling ? await openEverywhere(context, await context.trading.open()) : [];
  const lines = orders.map(({ market, id }) => `Would cancel ${id} in ${market}.`);
  const sales = into === undefined ? undefined : await sellEverything(context, into);
  const show = (screen: Screen) =>
    [`Would say: ${text}`, ...lines, sales?.show(screen) ?? 'Dry run: nothing was halted.'].join('\n');
  return { data: { dryRun: true, ...data, orders, holdings: sales?.data ?? [] }, csv: orders, show };
}

/**
 * @param unshared why other machines do not see the halt
 * @param underWay how many requests that were on their way before are not answered, or why that is unknown
 */
function incompleteHalt(unshared: string | null, underWay: number | string): Failure | undefined {
  if (unshared !== null) {
    const message = `The account is halted on this machine only: Redis, which shares the halt, cannot be used (${unshared}).`;
    return new Failure('partial', message, { hint: suggest('Check the limits', 'doctor') });
  }
  if (underWay === 0) return undefined;
  const requests = typeof underWay === 'number' ? counted(underWay, 'request') : 'requests';
  const why =
    typeof underWay === 'number' ? '' : `: Redis, which shows those of other machines, cannot be used (${underWay})`;
  const message = `The account is halted, but ${requests} that pit sent before may still be on the way${why}.`;
  return new Failure('partial', message, { hint: suggest('Halt again to wait for the answers', 'halt') });
}

/** The halt to set. A latch that is set stays set at least as long as it would have. */
function haltOf({ lastsMs, reason }: Wanted, earlier: Halt | undefined, now: number): Omit<Halt, 'problem'> {
  const ends = lastsMs === undefined ? null : now + lastsMs;
  if (earlier === undefined || earlier.problem !== null) return { since: now, until: ends, reason };
  const until = ends === null || earlier.until === null ? null : Math.max(ends, earlier.until);
  return { since: earlier.since, until, reason: reason ?? earlier.reason };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}

function haltedText({ until, reason }: Omit<Halt, 'problem'>, profile: string, latch: Latch): string {
  const end = until === null ? 'until you lift it' : `until ${zonedTime(until)}`;
  const where = latch.isShared ? 'on every machine that shares its Redis' : 'on this machine';
  const why = reason === null ? '' : ` Reason: ${reason}.`;
  return `Halted ${profile} ${end}, ${where}: pit sends nothing but cancellations.${why}`;
}

/** Lifts the latch once the name of the profile was given. Throws Failure `declined` if it was not. */
async function liftHalt(context: Context, confirm: string | undefined): Promise<Answer> {
  const { session, globals } = context;
  const latch = await session.exchange.latch();
  const { profile } = await session.profile.connection();
  const data = { halted: false, since: null, until: null, reason: null, cancelled: [], timers: [], flattened: [] };
  const halt = await latch.find();
  if (halt === undefined) return { data, show: () => `${profile} is not halted.` };
  if (globals.dryRun)
    return {
      data: { dryRun: true, ...data, orders: [], holdings: [] },
      show: () => `Would lift the halt of ${profile}. Nothing was lifted.`,
    };
  await confirmName(context, profile, confirm);
  await latch.lift();
  return { data, show: ({ paint }) => paint.strong(`Lifted the halt of ${profile}: writes are sent again.`) };
}

async function confirmName({ prompts, budget }: Context, profile: string, confirm: string | undefined): Promise<void> {
  if (confirm === profile) return;
  if (confirm !== undefined)
    throw usage(`--confirm names ${confirm}, and the halted profile is ${profile}. Nothing was lifted.`, LIFT_BY_NAME);
  if (!prompts.available)
    throw new Failure('declined', `Lifting a halt needs confirmation, and ${prompts.whyUnavailable}.`, {
      hint: suggest('In a script, give the name of the profile', 'halt', '--lift', '--confirm', profile),
    });
  const question = `Lift the halt? Type ${profile} to let writes leave again:`;
  if (await budget.pausedDuring(() => prompts.confirmTyping(question, profile))) return;
  throw new Failure('declined', `${profile} was not typed; the account is still halted.`, {
    hint: 'Type the name of the profile exactly.',
  });
}

const LIFT_BY_NAME = suggest('See the profile in use', 'profile', 'list');
