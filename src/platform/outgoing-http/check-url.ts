/** The URL as the parser understands it, or the reason why we do not go there. */
export function checkUrl(text: string, base?: URL): URL | string {
  if (!URL.canParse(text, base?.href)) return 'not a URL'
  const url = new URL(text, base?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol}// is not http:// or https://`
  // They would end up in logs, in error texts and, after a redirect, with somebody else.
  if (url.username !== '' || url.password !== '') return 'a URL must not carry a user name or a password'
  return url
}
