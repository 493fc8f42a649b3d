// Nobody looks further; what a server says is kept to 1,000 characters, what a report quotes to as many.
const MAX_TEXT_LENGTH = 2_000

// `someone@example.net` is whoever it is: an address that contains "spam" or "sender" says nothing. Of a URL the host may say something.
const ADDRESS = /[^\s<>"'(),;:@]{1,64}@[^\s<>"'(),;:@]{1,253}/g
const URL = /https?:\/\/([^\s/?#]{1,253})\S{0,1000}/g

/** An address of a machine, of either kind, in brackets or not. */
const IP = /\[?(?:\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{1,4}:[0-9a-f:]{2,38})\]?/g

/** How the rules read a reply: small letters, one space between words, `@` for an address, the host alone for a URL. */
export function wordsOf(text: string): string {
  const small = text.slice(0, MAX_TEXT_LENGTH).toLowerCase()
  return plain(small.includes('://') ? small.replace(URL, '$1') : small)
}

/** The same with its links, and `ip` for the address of a machine. */
export const wordsWithLinks = (text: string): string =>
  plain(text.slice(0, MAX_TEXT_LENGTH).toLowerCase()).replace(IP, 'ip')

const plain = (small: string): string =>
  (small.includes('@') ? small.replace(ADDRESS, '@') : small).replaceAll('’', "'").replace(/[\s_]+/g, ' ')
