/** Answers as bytes in latin1, whole or damaged, for a network that writes its own. */

const JSON_TYPE = 'Content-Type: text/javascript;charset=utf-8';
export const PAGE = '<html><head><title>Please wait</title></head><body><h1>Please wait</h1></body></html>';

/** A whole answer after which the connection ends. */
export function answer(status: string, body: string, headers: readonly string[] = [JSON_TYPE]): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export function page(status: string, headers: readonly string[] = []): string {
  return answer(status, PAGE, ['Content-Type: text/html', ...headers]);
}

export function bodyOf(bytes: string): string {
  return bytes.slice(bytes.indexOf('\r\n\r\n') + 4);
}

export function headOf(bytes: string): string {
  return bytes.slice(0, bytes.indexOf('\r\n\r\n'));
}

/** The answer with another body, and a length that fits it. */
export function withBody(bytes: string, change: (body: string) => string): string {
  return answer('200 OK', change(bodyOf(bytes)));
}

/** The answer with more header lines. */
export function withHeaders(bytes: string, ...lines: readonly string[]): string {
  return `${headOf(bytes)}\r\n${lines.join('\r\n')}\r\n\r\n${bodyOf(bytes)}`;
}

/** The answer without these headers, for those that contradict each other. */
export function withoutHeader(bytes: string, name: RegExp): string {
  const lines = headOf(bytes).split('\r\n');
  return `${lines.filter((line, index) => index === 0 || !name.test(line)).join('\r\n')}\r\n\r\n${bodyOf(bytes)}`;
}

/** The body in chunks, without the last one if it breaks off. */
export function chunked(bytes: string, isWhole: boolean): string {
  const body = bodyOf(bytes);
  const half = body.length >> 1;
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const head = withoutHeader(bytes, /^content-length:/i).split('\r\n\r\n')[0];
  const rest = isWhole ? `${chunk(body.slice(half))}0\r\n\r\n` : '';
  return `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body.slice(0, half))}${rest}`;
}

/** A refusal as the exchange writes it: the operations about orders have a `code` in quotes. */
export function refusal(operation: string, code: number, message = 'refused'): string {
  const written = operation.startsWith('order') ? `"${code}"` : String(code);
  return answer('200 OK', `{"code":${written},"message":"${message}"}`);
}
