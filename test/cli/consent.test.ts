import { describe, expect, it } from 'vitest';
import { type Consent, confirm, consentAt, requireConsent } from '../../src/cli/consent.js';
import type { Failure } from '../../src/errors.js';
import type { Prompts } from '../../src/terminal/asking/prompts.js';

/** Somebody who gives this answer, and all that was asked. */
function somebody(answer: boolean, available = true) {
  const asked: unknown[] = [];
  const ask: Consent['ask'] = async (question) => {
    asked.push(question);
    return answer;
  };
  return { asked, consent: { available, ask } };
}

const asking = (consent: Consent, flags = {}) => ({ consent, globals: { yes: false, dryRun: false, ...flags } });

describe('a write that needs consent', () => {
  it('is refused at once without a terminal, unless --yes or --dry-run is given', () => {
    const { consent } = somebody(true, false);
    expect(() => requireConsent(asking(consent))).toThrow(
      'This needs confirmation, and there is no terminal to ask on.',
    );
    for (const flags of [{ yes: true }, { dryRun: true }]) requireConsent(asking(consent, flags));
    requireConsent(asking(somebody(true).consent));
  });

  it('is done after yes, and not after anything else', async () => {
    const { asked, consent } = somebody(true);
    const below = () => 'The price is 3.';
    await confirm(asking(consent), 'Buy?', below);
    expect(asked).toEqual([{ text: 'Buy?', below }]);
    const refusal = await confirm(asking(somebody(false).consent), 'Buy?').catch((thrown: Failure) => thrown);
    expect(refusal).toMatchObject({
      ...{
        kind: 'declined',
        exitCode: 8,
        message: 'Not confirmed; nothing was sent.',
        hints: ['Only y or yes confirms.'],
      },
    });
  });

  it('is done without a question with --yes', async () => {
    const { asked, consent } = somebody(false);
    await confirm(asking(consent, { yes: true }), 'Buy?');
    expect(asked).toEqual([]);
  });
});

/** The person at a terminal who confirms all, what was done to ask, and when the time of the command stood. */
function personAtTerminal() {
  const asked: string[] = [];
  const pauses: string[] = [];
  const prompts = {
    available: false,
    confirm: async (text: string, below?: () => string) => asked.push(`${text} ${below?.()}`) > 0,
    confirmTyping: async (text: string, word: string, below?: () => string) =>
      asked.push(`${text} ${word} ${below?.()}`) > 0,
  };
  const openPrompts = () => {
    asked.push('opened');
    return prompts as unknown as Prompts;
  };
  const consent = consentAt(openPrompts, {
    pausedDuring: async (work) => {
      pauses.push('paused');
      return work();
    },
  });
  return { asked, pauses, consent };
}

describe('the person at the terminal', () => {
  it('is not looked for before somebody has to answer', () => {
    const { asked, consent } = personAtTerminal();
    expect(asked).toEqual([]);
    expect([consent.available, asked]).toEqual([false, ['opened']]);
  });

  it('answers with yes, or types a word, while the time of the command does not run', async () => {
    const { asked, pauses, consent } = personAtTerminal();
    expect(await consent.ask({ text: 'Buy?', below: () => 'at 3' })).toBe(true);
    expect(await consent.ask({ text: 'Send?', word: 'btc', below: () => 'to x' })).toBe(true);
    expect([asked, pauses]).toEqual([
      ['opened', 'Buy? at 3', 'opened', 'Send? btc to x'],
      ['paused', 'paused'],
    ]);
  });
});
