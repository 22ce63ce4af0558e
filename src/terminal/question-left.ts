import { Failure } from '../errors.js';

/** What may be typed in place of an answer, for what Escape does. */
export const BACK = '<';

/** A question was left without an answer: nothing was done. */
export class QuestionLeft extends Failure {
  /** @param isBack by Escape or {@link BACK}, so that an earlier question may be meant; not by the end of the input */
  constructor(readonly isBack: boolean) {
    super('declined', 'The question was not answered.', { hint: 'Nothing was done.' });
  }
}
