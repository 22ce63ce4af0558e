import type { Host } from '../../../platform/host.js';
import { DigestKey, digestOf, isDigestOf } from '../../prepared/digest-key.js';
import { encodeFact, type FactOf } from './facts.js';

/** Before the digest at the end of the line. */
const DIGEST = ',"digest":';
const DIGEST_AT_END = new RegExp(`^(.*)${DIGEST}"([0-9a-f]{64})"}$`);

/** The first lines of the records of an account. Each has a keyed digest, so that only pit makes an algo order. */
export class FirstLines {
  readonly #account: string;
  readonly #key: DigestKey;

  /**
   * @param root `directories.state`, which has the key
   * @param account the folder of the records
   */
  constructor(host: Pick<Host, 'randomBytes'>, root: string, account: string) {
    this.#account = account;
    this.#key = new DigestKey(host, root);
  }

  /** The first line of a record. Throws Failure if there is no key and none can be made. */
  encode(fact: FactOf<'began'>): string {
    const key = this.#key.readOrMake();
    const text = encodeFact(fact);
    return `\n${text.slice(0, -1)}${DIGEST}"${digestOf(this.#signed(text), key)}"}\n`;
  }

  /** Whether this pit has written the first line of a record, for this account. */
  isOwn(line: string): boolean {
    const key = this.#key.read();
    const [, text = '', digest = ''] = DIGEST_AT_END.exec(line) ?? [];
    return key !== undefined && isDigestOf(digest, this.#signed(`${text}}`), key);
  }

  /** What the digest is of: the terms have the id of the algo order. */
  #signed(text: string): string {
    return `${this.#account}\n${text}`;
  }
}
