import { confirm, requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { Failure } from '../../errors.js';

/** The reason that the sandbox gives when something would be lost. */
const LOSES_STATE = 'losesState';

/**
 * An administration call that puts another exchange in the place of this one. Where customers have done something here that
 * would be lost, it asks first. Throws Failure `declined`.
 */
export async function losingState(context: Context, call: string, input: object): Promise<unknown> {
  const { session } = context;
  try {
    return await session.administer(call, { ...input, anew: false });
  } catch (error) {
    if (!(error instanceof Failure) || reasonOf(error.cause) !== LOSES_STATE) throw error;
    requireConsent(context);
    await confirm(context, `${error.message} Go on?`);
    const report = await session.administer(call, { ...input, anew: true });
    session.forgetSandboxJournal();
    return report;
  }
}

function reasonOf(cause: unknown): unknown {
  return cause instanceof Error && 'reason' in cause ? cause.reason : undefined;
}
