/** The URL as the parser understands it, or the reason why we do not go there. */
export function checkUrl(text: string, base?: URL): URL | string {
  const url = parse(text, base)
  if (!url) return 'not a URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol}// is not http:// or https://`
  // They would end up in logs, in error texts and, after a redirect, with somebody else.
  if (url.username !== '' || url.password !== '') return 'a URL must not carry a user name or a password'
  return url
}

/** Asking first whether it can be parsed would parse it twice. */
function parse(text: string, base: URL | undefined): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
