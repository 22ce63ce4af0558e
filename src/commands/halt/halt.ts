import { flag, toggle } from '../../cli/definition.js';
import { factsOf, fieldsOf, type JsonOf, shownOf, valuesOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { counted } from '../../domain/decimal.js';
import { Failure, failureOnly, type Hint, suggest, usage, withoutPeriod } from '../../errors.js';
import type { Latch, SetHalt } from '../../exchange/connect.js';
import type { Halt, NewHalt } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { safe, wrapped } from '../../terminal/text.js';
import { isoTime, zonedTime } from '../../terminal/time.js';
import { noteStillPaused, type PausedAlgos, pauseAlgoOrders } from '../algo/halted-algos.js';
import { CANCELLED } from '../cancel/cancel-result.js';
import { Cancelling } from '../cancel/cancelling.js';
import { coinName, durationAboveZero, profileName } from '../inputs/parsers.js';
import { SENT_ORDER } from '../order/order-result.js';
import { type Context, define } from '../session/command.js';
import { DRY_RUN, dryAnswer } from '../writes/dry-run.js';
import { interruptible } from '../writes/interruptible.js';
import { outcomeFailure } from '../writes/outcome-failure.js';
import {
  type CancelledEverywhere,
  cancelEverywhere,
  cancelledSoFar,
  NOTHING_CANCELLED,
  openEverywhere,
} from './cancel-everywhere.js';
import { type Flattened, flatten, NOTHING_FLATTENED, type PreviewedSale, previewSale, SALE_FACTS } from './flatten.js';
import { requestsUnderWay, underWayText } from './requests-under-way.js';

/** A latch that is set, or would be; null without one. */
interface Latched {
  readonly halt: NewHalt | null;
  readonly profiles: readonly string[];
}

const HALT_FACTS = {
  halt: factsOf<Latched>()({
    json: {
      halted: [shape.boolean('false after --lift, and if the halt could not be set'), ({ halt }) => halt !== null],
      since: [shape.nullable(shape.time('')), ({ halt }) => timeOrNull(halt?.since)],
      until: [shape.nullable(shape.time('when it ends by itself')), ({ halt }) => timeOrNull(halt?.until)],
      reason: [shape.nullable(shape.text('as you gave it')), ({ halt }) => halt?.reason ?? null],
      profiles: [
        shape.array(shape.text(''), 'those with the same key, which the halt covers'),
        ({ profiles }) => profiles,
      ],
    },
  }),
};

const HALTED = {
  ...fieldsOf(HALT_FACTS),
  cancelled: shape.array(shape.object(CANCELLED), 'by --cancel'),
  timers: shape.array(
    shape.object({ market: shape.outsideText(''), cancelsAt: shape.time("by the exchange's clock") }),
    'when the exchange itself cancels what is left',
  ),
  flattened: shape.array(SENT_ORDER, 'the orders of --flatten'),
  paused: shape.array(
    shape.object({
      id: shape.text('of the algo order'),
      market: shape.text(''),
      protected: shape.boolean('false for one with a stop, which is reported but not sent while it is paused'),
    }),
    'the algo orders that it pauses; --lift does not resume them',
  ),
};

/** What a dry run would do. */
interface PlannedHalt extends Latched {
  /** What it would say. */
  readonly text: (screen: Screen) => string;
  /** Those that it would cancel. */
  readonly orders: readonly { readonly market: string; readonly id: string }[];
  /** What it would sell; undefined for nothing. */
  readonly sale: PreviewedSale | undefined;
}

const planned = factsOf<PlannedHalt>();

const DRY_HALT_FACTS = {
  ...HALT_FACTS,
  text: planned({ above: ({ text }, screen) => text(screen) }),
  orders: planned({
    above: ({ orders }) => orders.map(({ market, id }) => `Would cancel ${id} in ${market}.`).join('\n'),
    json: {
      orders: [
        shape.array(shape.object({ market: shape.outsideText(''), id: shape.id('') }), 'that --cancel would cancel'),
        ({ orders }) => orders,
      ],
    },
  }),
  sale: planned({
    above: ({ sale }, screen) => sale?.show(screen) ?? '',
    json: { holdings: [fieldsOf(SALE_FACTS).holdings, ({ sale }) => sale?.holdings ?? []] },
  }),
};

const DRY_HALT = shape.object({ dryRun: DRY_RUN, ...fieldsOf(DRY_HALT_FACTS) });

type Halted = shape.InferFields<typeof HALTED>;
type DryHalt = shape.Infer<typeof DRY_HALT>;

export default define({
  summary: 'Stop every write of the account, except cancellations',
  flags: {
    cancel: toggle('--cancel', 'also cancel every open order in every market'),
    flatten: flag('--flatten <coin>', 'also sell what the account holds into this coin; previews and asks', coinName),
    for: flag('--for <duration>', 'end by itself: 30m, 2h, 1d (default: until --lift)', durationAboveZero),
    reason: flag('--reason <text>', 'shown by every command while it is halted', reasonText),
    lift: toggle('--lift', 'end it; asks for the name of the profile', {
      excludes: ['--cancel', '--flatten', '--for', '--reason'],
    }),
    confirm: flag('--confirm <name>', 'in a script: the name of the profile', profileName, { needs: ['--lift'] }),
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
  dryRunOutput: DRY_HALT,
  isQuietAtStart: ({ lift }) => lift,
  async run(context, { cancel, flatten: into, for: lastsMs, reason, lift, confirm }) {
    if (lift) return liftHalt(context, confirm);
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

/**
 * Halts the account, and then does what else is wanted, even if it could not be halted: the first words of the failure are what
 * could not be done. Throws Failure if nothing was done.
 */
async function haltAccount(context: Context, wanted: Wanted): Promise<Answer<Halted | DryHalt>> {
  const { session, globals } = context;
  if (globals.dryRun) return dryHalt(context, wanted);
  const fall = await fallOf(context, wanted);
  session.omitHaltWarning();
  const paused = await pauseAlgoOrders(context, fall.isHalted, wanted.reason);
  const done: Done = { fall, paused, cancelled: NOTHING_CANCELLED, flattened: NOTHING_FLATTENED };
  const cancelling = new Cancelling(context);
  const left = () => ({ advice: [stateText(fall), ...leftByInterruption(wanted)] });
  const soFar = () => haltAnswer({ ...done, cancelled: cancelledSoFar(cancelling) }, undefined);
  const underWay = fall.isHalted ? await interruptible(context, { left, soFar }, () => requestsUnderWay(context)) : 0;
  const cancelled = wanted.isCancelling
    ? await interruptible(context, { left, soFar, isWaitedFor: true }, (signal) =>
        cancelEverywhere(context, cancelling, signal),
      )
    : NOTHING_CANCELLED;
  const flattened = await flattenAfter(context, wanted, { ...done, cancelled });
  const isDone = fall.isHalted || cancelled.rows.length + flattened.rows.length > 0;
  const failures = [...fall.failures, paused.failure, notAnswered(underWay), cancelled.failure, flattened.failure];
  const failure = worst(failures, { fall, paused }, isDone);
  const answer = haltAnswer({ fall, paused, cancelled, flattened }, failure);
  if (failure?.kind !== 'declined' && isDone) return answer;
  throw failure ?? new Failure('internal', stateText(fall));
}

async function flattenAfter(context: Context, { into, reason, isCancelling }: Wanted, done: Done): Promise<Flattened> {
  if (into === undefined) return NOTHING_FLATTENED;
  const { fall, cancelled } = done;
  // what follows may wait at a question
  if (fall.isHalted)
    context.output.note(['The account is halted.', ...(reason === null ? [] : [`Reason: ${reason}.`])]);
  else context.output.warn(`${NOT_HALTED}.`);
  fall.latch?.exempt();
  const counts = cancelled.rows.length === 0 ? [] : [`${counted(cancelled.rows.length, 'order')} had been open.`];
  return flatten(context, into, {
    isCancelling,
    doneBefore: { advice: [stateText(fall), ...counts] },
    soFar: (flattened) => haltAnswer({ ...done, flattened }, undefined),
  });
}

/** What a halt has done. */
interface Done {
  readonly fall: Fall;
  readonly paused: PausedAlgos;
  readonly cancelled: CancelledEverywhere;
  readonly flattened: Flattened;
}

function haltAnswer({ fall, paused, cancelled, flattened }: Done, failure: Failure | undefined): Answer<Halted> {
  const { data } = fall;
  const parts = (screen: Screen) => [
    wrapped(fall.text, screen.width),
    screen.paint.warn(wrapped(paused.text, screen.width)),
    cancelled.show(screen),
    flattened.show(screen),
  ];
  return {
    data: {
      ...data,
      cancelled: cancelled.rows,
      timers: cancelled.timers,
      flattened: flattened.rows,
      paused: paused.rows,
    },
    csv: [data],
    show: (screen) =>
      parts(screen)
        .filter((part) => part !== '')
        .join('\n'),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** What became of the latch. */
interface Fall {
  /** Undefined if the account is unknown. */
  readonly latch: Latch | undefined;
  readonly isHalted: boolean;
  readonly data: JsonOf<typeof HALT_FACTS>;
  /** For people; empty if the account is not halted. */
  readonly text: string;
  /** Where it could not be set. */
  readonly failures: readonly Failure[];
}

const NOT_HALTED = 'The account is NOT HALTED';

/** Sets the latch. It needs no key, only the name of its account, and never throws a Failure. */
async function fallOf(context: Context, wanted: Wanted): Promise<Fall> {
  const { session, host } = context;
  try {
    const latch = await session.latch();
    const halt = haltOf(wanted, await latch.find(), host.now());
    const profiles = await session.profilesSharingKey();
    const { fileFailure, unshared } = await latch.set(halt);
    const isInRedis = latch.isShared && unshared === null;
    const isHalted = fileFailure === null || isInRedis;
    const data = valuesOf(HALT_FACTS, { halt: isHalted ? halt : null, profiles });
    const text = isHalted ? haltedText(halt, profiles, whereText(latch, { fileFailure, unshared })) : '';
    return { latch, isHalted, data, text, failures: setFailures({ fileFailure, unshared }, isInRedis) };
  } catch (error) {
    const failure = notHalted(failureOnly(error));
    const data = valuesOf(HALT_FACTS, { halt: null, profiles: [] });
    return { latch: undefined, isHalted: false, data, text: '', failures: [failure] };
  }
}

function setFailures({ fileFailure, unshared }: SetHalt, isInRedis: boolean): Failure[] {
  const ofRedis = () => {
    const message = `Other machines are NOT HALTED: Redis, which shares the halt, cannot be used (${unshared}).`;
    return new Failure('partial', message, { hint: suggest('Check the limits', 'doctor') });
  };
  const ofFile = (failure: Failure) => {
    if (!isInRedis) return notHalted(failure);
    const message = `This machine keeps no halt of its own, and is halted only by Redis: ${failure.message}`;
    return new Failure('partial', message, { hint: failure.hints });
  };
  return [...(fileFailure === null ? [] : [ofFile(fileFailure)]), ...(unshared === null ? [] : [ofRedis()])];
}

function notHalted({ kind, message, hints }: Failure): Failure {
  return new Failure(kind, `${NOT_HALTED}: ${message}`, { hint: hints });
}

function stateText({ isHalted }: Fall): string {
  return isHalted ? 'The account is halted.' : `${NOT_HALTED}.`;
}

/**
 * One failure that says all, beginning with what could not be done. The first one decides if nothing was done, and a declined sale if it
 * is alone.
 */
function worst(
  all: readonly (Failure | undefined)[],
  { fall, paused }: Pick<Done, 'fall' | 'paused'>,
  isDone: boolean,
): Failure | undefined {
  const failures = all.filter((failure) => failure !== undefined);
  const [first] = failures;
  const hints = new Map(failures.flatMap(({ hints: ofOne }) => ofOne).map((hint) => [JSON.stringify(hint), hint]));
  const unknown = failures.filter((failure) => failure.kind === 'unknown').length;
  const isDecided = !isDone || (failures.length === 1 && first?.kind === 'declined');
  const state = [...(fall.isHalted ? [stateText(fall)] : []), ...(isDecided ? pausedText(paused) : [])];
  return outcomeFailure({
    done: isDecided ? 0 : 1,
    unknown,
    refused: failures.length - unknown,
    left: 0,
    message: [...failures.map(({ message }) => `${withoutPeriod(message)}.`), ...state].join(' '),
    why: first?.kind,
    again: [...hints.values()],
  });
}

/** An answer shows it; a failure without one says it. */
function pausedText({ text }: PausedAlgos): string[] {
  return text === '' ? [] : [text];
}

function leftByInterruption({ isCancelling, into }: Wanted): Hint[] {
  const sold = into === undefined ? [] : ['--flatten', into];
  return isCancelling ? [suggest('Orders may still be open. Cancel what is left', 'halt', '--cancel', ...sold)] : [];
}

async function dryHalt(context: Context, wanted: Wanted): Promise<Answer<DryHalt>> {
  const { session, host } = context;
  const { isCancelling, into } = wanted;
  const latch = await session.latch();
  const halt = haltOf(wanted, await latch.find(), host.now());
  const profiles = await session.profilesSharingKey();
  const open = isCancelling ? await openEverywhere(context, await context.session.trading()) : [];
  const orders = open.map(({ market, id }) => ({ market, id }));
  const sale = into === undefined ? undefined : await previewSale(context, into, { isCancelling, freed: open });
  const says = haltedText(halt, profiles, whereText(latch, { fileFailure: null, unshared: null }));
  const text = ({ width }: Screen) => wrapped(`Would say: ${says}`, width);
  return { ...dryAnswerOf({ halt, profiles, text, orders, sale }, 'done'), csv: orders, csvHeader: ['market', 'id'] };
}

function dryAnswerOf(halt: PlannedHalt, undone: string): Answer<DryHalt> {
  return dryAnswer({ dryRun: true, ...valuesOf(DRY_HALT_FACTS, halt) }, shownOf(DRY_HALT_FACTS, halt).above, undone);
}

/** @param underWay how many requests that were on their way before are not answered, or why that is unknown */
function notAnswered(underWay: number | string): Failure | undefined {
  if (underWay === 0) return undefined;
  return new Failure('partial', underWayText(underWay), {
    hint: suggest('Halt again to wait for the answers', 'halt'),
  });
}

/** The halt to set. A latch that is set stays set at least as long as it would have. */
function haltOf({ lastsMs, reason }: Wanted, earlier: Halt | undefined, now: number): NewHalt {
  const ends = lastsMs === undefined ? null : now + lastsMs;
  if (earlier === undefined || earlier.problem !== null) return { since: now, until: ends, reason };
  const until = ends === null || earlier.until === null ? null : Math.max(ends, earlier.until);
  return { since: earlier.since, until, reason: reason ?? earlier.reason };
}

function timeOrNull(time: number | null | undefined): string | null {
  return time == null ? null : isoTime(time);
}

function haltedText({ until, reason }: NewHalt, profiles: readonly string[], where: string): string {
  const end = until === null ? 'until you lift it' : `until ${zonedTime(until)}`;
  const why = reason === null ? '' : ` Reason: ${reason}.`;
  return `Halted ${namesText(profiles)} ${end}, ${where}: pit sends nothing but cancellations.${why}`;
}

/** `main`, or `main and backup, which have the same key,`. */
function namesText(profiles: readonly string[]): string {
  if (profiles.length < 2) return profiles.join('');
  return `${profiles.slice(0, -1).join(', ')} and ${profiles.slice(-1).join('')}, which have the same key,`;
}

function whereText(latch: Latch, { fileFailure, unshared }: SetHalt): string {
  if (!latch.isShared || unshared !== null) return 'on this machine';
  return fileFailure === null ? 'on every machine that shares its Redis' : 'over Redis';
}

/** Lifts the latch once the name of the profile was given. Throws Failure `declined` if it was not. */
async function liftHalt(context: Context, confirm: string | undefined): Promise<Answer<Halted | DryHalt>> {
  // what it lifts is no news, and once it is lifted no warning either
  context.session.omitHaltWarning();
  const { session, globals } = context;
  const latch = await session.latch();
  const { profile } = await session.connection();
  const profiles = await session.profilesSharingKey();
  const names = namesText(profiles);
  const lifted = valuesOf(HALT_FACTS, { halt: null, profiles });
  const data = { ...lifted, cancelled: [], timers: [], flattened: [], paused: [] };
  const halt = await latch.find();
  if (halt === undefined) return { data, show: () => `${profile} is not halted.` };
  if (globals.dryRun) {
    const text = () => `Would lift the halt of ${names} and let writes leave again.`;
    return dryAnswerOf({ halt: null, profiles, text, orders: [], sale: undefined }, 'lifted');
  }
  await confirmName(context, profile, confirm);
  await latch.lift();
  noteStillPaused(context, profiles);
  return {
    data,
    show: ({ paint, width }) =>
      `${paint.strong(`Lifted the halt of ${profiles.join(', ')}: writes are sent again.`)}\n${wrapped(TIMERS_GO_ON, width)}`,
  };
}

/** pit keeps no record of timers, and the exchange shows none. */
const TIMERS_GO_ON =
  'A timer that halt --cancel started in the last minute goes on: it cancels every order of its market, also new ones.';

async function confirmName({ prompts, consent }: Context, profile: string, confirm: string | undefined): Promise<void> {
  if (confirm === profile) return;
  if (confirm !== undefined)
    throw usage(
      `--confirm must name the halted profile, ${profile}, not ${confirm}. Nothing was lifted.`,
      LIFT_BY_NAME,
    );
  if (!consent.available)
    throw new Failure('declined', `Lifting a halt needs confirmation, and ${prompts.whyUnavailable}.`, {
      hint: suggest('In a script, give the name of the profile', 'halt', '--lift', '--confirm', profile),
    });
  const question = `Lift the halt? Type ${profile} to let writes leave again:`;
  if (await consent.ask({ text: question, word: profile })) return;
  throw new Failure('declined', `${profile} was not typed; the account is still halted.`, {
    hint: 'Type the name of the profile exactly.',
  });
}

const LIFT_BY_NAME = suggest('See the profile in use', 'profile', 'list');
