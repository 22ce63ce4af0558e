import { deflateSync } from 'node:zlib';

/** A text that is sent to everyone who listens to a channel. */
export class Message {
  #zipped: string | undefined;

  constructor(readonly text: string) {}

  /** As it is, or as base64 of zlib, as observed with the flags `binary` and `isZip`. */
  as(zip: boolean): string {
    if (!zip) return this.text;
    this.#zipped ??= deflateSync(this.text).toString('base64');
    return this.#zipped;
  }
}
