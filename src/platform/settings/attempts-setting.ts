/** Where records of delivery attempts go. */
export type AttemptSink =
  | { readonly kind: 'off' | 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'webhook'; readonly url: string }

const EXPECTED = 'must be `off`, `stdout`, the path of a file that begins with `/` or `./`, or a URL'

export function readAttemptSink(text: string): AttemptSink {
  if (text === 'off' || text === 'stdout') return { kind: text }
  if (/^\.{0,2}\/./.test(text)) return { kind: 'file', path: text }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw new Error(EXPECTED)
  const { username, password, search, hash } = new URL(text)
  // It is in logs and in what `config show` says.
  if (username || password || search || hash)
    throw new Error('must be a plain URL: requests are signed with POSTWREN_ATTEMPTS_SECRET')
  return { kind: 'webhook', url: text }
}
