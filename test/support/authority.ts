import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requires } from './tools.js';

/** openssl has a command for its version where other programs have a flag. */
export const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0 || requires('openssl');

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A private certificate authority, made by openssl. */
export class Authority {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'pit-ca-'));
  /** The PEM file to be trusted. */
  readonly file = path.join(this.#folder, 'ca.pem');

  constructor() {
    const ca = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=private-ca';
    this.#openssl(`${ca} -keyout ca.key -out ca.pem`);
  }

  /**
   * A certificate for these names, as `DNS:localhost,IP:127.0.0.1`.
   * @param days how long it is valid: with 0 it has expired already
   */
  sign(names: string, days = 30): Certificate {
    writeFileSync(path.join(this.#folder, 'names'), `subjectAltName=${names}\n`);
    this.#openssl(
      'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=host -keyout k.pem -out k.csr',
    );
    this.#openssl(
      `x509 -req -in k.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out c.pem -days ${days}`,
    );
    return { key: this.#text('k.pem'), cert: this.#text('c.pem') };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #text(name: string): string {
    return readFileSync(path.join(this.#folder, name), 'utf8');
  }

  #openssl(line: string): void {
    execFileSync('openssl', line.split(' '), { cwd: this.#folder, stdio: 'ignore' });
  }
}
