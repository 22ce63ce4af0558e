/** The variables that name a proxy, as other programs know them, in the case that counts first. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** The secrets of the proxies in an environment: logins, passwords, and their encoded forms. */
export function proxySecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  return PROXY_VARIABLES.flatMap((name) => secretsOf(environment[name] ?? ''));
}

function secretsOf(text: string): string[] {
  // everything before the last @ may be a login, even if the text is not a URL
  const [, login = ''] = /^(?:[a-z0-9+.-]+:\/\/)?(.*)@/i.exec(text) ?? [];
  if (login === '') return [];
  const [, password = ''] = /^[^:]*:(.*)$/.exec(login) ?? [];
  const plain = decoded(login);
  return [login, plain, password, decoded(password), Buffer.from(plain).toString('base64')];
}

/** Decodes percent-encoding; returns the text itself if that is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
