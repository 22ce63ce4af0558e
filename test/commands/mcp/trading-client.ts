import { expect } from 'vitest';
import { modernMeta, TestClient, type ToolResult } from './client.js';

/** What was prepared. */
export interface Prepared {
  readonly id: string;
  readonly text: string;
  readonly expires: string;
  readonly places: readonly { readonly price: string; readonly amount: string }[];
}

/** What was committed, or resolved. */
export interface Done {
  readonly outcome: string;
  readonly id: string | null;
  readonly clientId: string;
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly message: string };
}

/** An agent that trades, with a user who answers its questions. */
export class TradingClient extends TestClient {
  /** What the user was asked. */
  readonly questions: string[] = [];
  #next = 1_000;

  /** The tools that are offered. */
  async tools(): Promise<readonly { readonly name: string }[]> {
    const { result } = await this.ask('tools/list');
    return (result as { readonly tools: { readonly name: string }[] }).tools;
  }

  /** Calls a tool in the older protocol, which must not fail. */
  async done<Document>(name: string, given: object): Promise<Document> {
    const { structuredContent, isError } = await this.call(name, given);
    expect({ name, given, error: structuredContent.error, isError }).toEqual({ name, given });
    return structuredContent.data as Document;
  }

  /** The error of a tool that fails. */
  async failed(name: string, given: object): Promise<NonNullable<ToolResult['structuredContent']['error']>> {
    const { structuredContent, isError } = await this.call(name, given);
    expect({ name, given, isError, data: structuredContent.data }).toEqual({ name, given, isError: true });
    if (structuredContent.error === undefined) throw new Error('it has no error');
    return structuredContent.error;
  }

  /**
   * Commits in the older protocol, in which the server asks while the call runs.
   * @param reply what the user does, or the answer of a client that does something else
   */
  async commit(id: string, reply: 'accept' | 'decline' | 'untick' | object): Promise<ToolResult> {
    this.#next += 1;
    const call = {
      jsonrpc: '2.0',
      id: this.#next,
      method: 'tools/call',
      params: { name: 'commit', arguments: { id } },
    };
    let message = JSON.parse(await this.line(JSON.stringify(call))) as Partial<Question> & { result?: ToolResult };
    while (message.method === 'elicitation/create') {
      this.questions.push(message.params?.message ?? '');
      const result =
        reply === 'decline' ? { action: 'decline' } : { action: 'accept', content: { confirm: reply === 'accept' } };
      const answer = typeof reply === 'object' ? reply : { result };
      message = JSON.parse(await this.line(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer })));
    }
    if (message.result === undefined) throw new Error(JSON.stringify(message));
    return message.result;
  }

  /**
   * Commits in the newer protocol, in which the call is sent again with the reply.
   * @param confirm what a client sends as the reply
   */
  async commitAgain(
    id: string,
    confirm: unknown = { action: 'accept', content: { confirm: true } },
  ): Promise<ToolResult> {
    const params = { name: 'commit', arguments: { id }, _meta: modernMeta({ elicitation: {} }) };
    const asked = await this.ask('tools/call', params);
    const { requestState, inputRequests } = asked.result as {
      readonly requestState: string;
      readonly inputRequests: { readonly confirm: { readonly params: { readonly message: string } } };
    };
    this.questions.push(inputRequests.confirm.params.message);
    const inputResponses = { confirm };
    const done = await this.ask('tools/call', { ...params, requestState, inputResponses });
    return done.result as unknown as ToolResult;
  }
}
