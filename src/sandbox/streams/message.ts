import { deflateSync } from 'node:zlib';

/** A text that is sent to everyone who listens to a channel. The bytes of its frames are made once, when they are first needed. */
export class Message {
  private plain: Buffer | undefined;
  private zipped: Buffer | undefined;

  constructor(readonly text: string) {}

  /** As text, or as base64 of zlib, as observed with the flags `binary` and `isZip`. */
  frame(zip: boolean): Buffer {
    if (!zip) {
      this.plain ??= textFrame(this.text);
      return this.plain;
    }
    this.zipped ??= textFrame(deflateSync(this.text).toString('base64'));
    return this.zipped;
  }
}

/** FIN and the opcode of a text. */
const TEXT = 0x81;

/** The bytes of an unmasked text frame (RFC 6455, 5.2), as a server sends it. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = TEXT;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header);
  return frame;
}
