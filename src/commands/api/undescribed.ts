import { refusal } from '../../client/failures.js';
import { Failure } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { record } from '../../terminal/table.js';
import { sendCall } from '../../trading/call/call.js';
import type { CallTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/order/client-id.js';
import { confirm, requireConsent } from '../frame/consent.js';
import type { Context } from '../frame/context.js';
import { dryRun, NO_PREVIEW } from '../frame/dry-run.js';
import { sameProfile } from '../frame/same-profile.js';
import { bodyAnswer } from './body.js';
import { alike } from './parameters.js';

/** Calls an operation that the interface does not describe: as a write, since it may be one. */
export async function callUndescribed(context: Context, terms: CallTerms, raw: boolean): Promise<Answer> {
  const { output, globals, session, host } = context;
  const { method, parameters } = terms;
  const [close] = alike(method);
  const guess = close === undefined ? '' : ` Did you mean ${close}?`;
  output.note(`The interface does not describe ${method}: it counts as a write, and is signed and sent once.${guess}`);
  requireConsent(context);
  const account = await session.trading();
  const { profile } = await session.connection();
  const exchange = `${account.client.hosts.tradeUrl} (profile ${profile})`;
  const show = (screen: Screen) =>
    record(screen, [
      ['operation', method],
      ...Object.entries(parameters),
      ['effect', 'not known'],
      ['exchange', exchange],
    ]);
  if (globals.dryRun) return dryRun(context, account.client, method, parameters, NO_PREVIEW, show);
  if (!globals.yes) output.preview(show);
  await confirm(context, `Send ${method}?`);
  const id = newClientId(host);
  const forget = host.onInterrupt(() =>
    output.warn(sameProfile(`${method} may have left. ${mend(id)}`, host.arguments)),
  );
  const fate = await sendCall(account, terms, id);
  forget();
  if (fate.outcome === 'done') return bodyAnswer(fate.body, raw);
  if (fate.outcome === 'refused') throw refusal(fate.refusal, method);
  if (fate.outcome === 'notSent') {
    const hint = 'Check the host and the network: pit profile show';
    throw new Failure(fate.failure, `${method} was not sent: ${fate.reason}.`, { hint });
  }
  const words = `It is not known what became of ${method}: ${fate.reason}.`;
  return {
    data: { operation: method, clientId: id, outcome: fate.outcome },
    failure: new Failure('unknown', words, { clientId: id, hint: mend(id) }),
    show: ({ paint }) => `${paint.warn('Unknown')}  ${method}  ${id}`,
  };
}

function mend(id: string): string {
  return `No operation tells what became of it: look at the exchange, then say it: pit resolve ${id} --as done (or notSent)`;
}
