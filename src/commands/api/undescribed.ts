import { requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { Failure, type Hint, suggest } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { refuseTwin, sendCall } from '../../trading/call/call.js';
import { Departure } from '../../trading/departure.js';
import type { GuardName } from '../../trading/guards/names.js';
import type { CallTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/orders/client-id.js';
import { dryRun, NO_PREVIEW } from '../dry-run.js';
import { breachText, confirmGuarded } from '../guarding.js';
import { exchangeText } from '../session/exchange-text.js';
import { bodyAnswer } from './body.js';
import { guardLikely } from './likely-orders.js';
import { alike } from './parameters.js';
import { onlyByCommand } from './writes.js';

/** Calls an operation that the interface does not describe: as a write, since it may be one. */
export async function callUndescribed(
  context: Context,
  terms: CallTerms,
  { raw, overridden }: { readonly raw: boolean; readonly overridden: readonly GuardName[] },
): Promise<Answer> {
  const { output, globals, session, host } = context;
  const { method, parameters } = terms;
  if (movesCoins(terms)) throw onlyByCommand(parameters);
  const [close] = alike(method);
  const guess = close === undefined ? '' : ` Did you mean ${close}?`;
  output.note(`The interface does not describe ${method}: it counts as a write, and is signed and sent once.${guess}`);
  requireConsent(context);
  const account = await session.trading();
  refuseTwin(account, terms);
  const exchange = await exchangeText(context, account.client);
  const { breaches, warnings } = await guardLikely(context, account, parameters);
  const told = [...(globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : []), ...warnings];
  const show = (screen: Screen) =>
    record(screen, [
      ['operation', method],
      ...Object.entries(parameters),
      ['effect', 'not known'],
      ['exchange', exchange],
      ...told.map((text): Entry => ['warning', text]),
    ]);
  if (globals.dryRun)
    return dryRun(context, account.client, method, parameters, { ...NO_PREVIEW, warnings: told }, show);
  if (globals.yes) for (const warning of warnings) output.warn(warning);
  else output.preview(show);
  await confirmGuarded(context, `Send ${method}?`, breaches, overridden);
  const id = newClientId(host);
  const departure = new Departure();
  const forget = host.onInterrupt(() => {
    if (departure.takeBack()) output.note(`${method} was not sent.`);
    else output.warn([`${method} may have left.`, ...mend(id)]);
  });
  const fate = await sendCall(account, terms, id, departure);
  forget();
  if (fate.outcome === 'done') return bodyAnswer(fate.body, raw);
  if (fate.outcome === 'refused') throw refusal(fate.refusal, method);
  if (fate.outcome === 'notSent') {
    const hint = suggest('Check the host and the network', 'profile', 'show');
    throw new Failure(fate.failure, `${method} was not sent: ${fate.reason}.`, { hint });
  }
  const words = `It is not known what became of ${method}: ${fate.reason}.`;
  return {
    data: { operation: method, clientId: id, outcome: fate.outcome },
    failure: new Failure('unknown', words, { clientId: id, hint: mend(id) }),
    show: ({ paint }) => `${paint.warn('Unknown')}  ${method}  ${id}`,
  };
}

/** A withdrawal under another name: one that says where coins are to go. */
function movesCoins({ method, parameters }: CallTerms): boolean {
  return /withdraw/i.test(method) || Object.keys(parameters).some((name) => /addr/i.test(name));
}

function mend(id: string): (string | Hint)[] {
  return [
    'No operation tells what became of it: look at the exchange, then report what you found, done or notSent.',
    suggest('Report it', 'resolve', id, '--as', 'done'),
  ];
}
