import { Failure } from '../../errors.js';

/** What the user may type instead of an answer; it does what Escape does. */
export const BACK = '<';

/** The user cancelled a question instead of answering it: nothing was done. */
export class PromptCancelled extends Failure {
  /** @param isBack by Escape or {@link BACK}, so that an earlier question may be meant; not by the end of the input */
  constructor(readonly isBack: boolean) {
    super('declined', 'The question was not answered.', { hint: 'Nothing was done.' });
  }
}
