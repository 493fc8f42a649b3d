import type { Link, MessageData } from './types.ts'

/** A message with all that is in it, and with two short ways to what tests want most. */
export interface Message extends MessageData {
  /** The likeliest one-time code in it. Throws when there is none. */
  code(): string
  /** Where a link leads: the first one, or the first whose text or address has this in it. Throws when there is none. */
  link(which?: string | RegExp): string
}

export function messageOf(data: MessageData): Message {
  const code = () => data.codes[0] ?? missing(`There is no code in ${nameOf(data)}. Its text:\n${indent(data.text)}`)
  const link = (which?: string | RegExp) => findLink(data, which)?.target ?? missing(noLink(data, which))
  // Not enumerable: a message that is printed, compared or kept as a snapshot is what the API says.
  return Object.defineProperties({ ...data } as Message, { code: { value: code }, link: { value: link } })
}

export const findLink = ({ links }: Pick<MessageData, 'links'>, which?: string | RegExp): Link | undefined =>
  which === undefined
    ? links[0]
    : links.find((link) => [link.text, link.target, link.href].some((one) => fits(one, which)))

/** A part of it, in any case; or a pattern. */
export const fits = (text: string, wanted: string | RegExp) =>
  typeof wanted === 'string' ? text.toLowerCase().includes(wanted.toLowerCase()) : isFound(text, wanted)

/** The whole of it; or a pattern. */
export const isText = (text: string, wanted: string | RegExp) =>
  typeof wanted === 'string' ? text === wanted : isFound(text, wanted)

/** Not `test`: a pattern with the flag `g` goes on where it was, and finds nothing the second time. */
const isFound = (text: string, pattern: RegExp) => text.search(pattern) !== -1

export const nameOf = ({ subject, to }: Pick<MessageData, 'subject' | 'to'>) => `"${subject}" to ${to.join(', ')}`

export const linksOf = ({ links }: Pick<MessageData, 'links'>) =>
  links.map(({ text, target }) => `  - ${text || '(no text)'}: ${target}`).join('\n') || '  (none)'

function noLink(data: MessageData, which?: string | RegExp) {
  const wanted = which === undefined ? 'no link' : `no link with ${which instanceof RegExp ? which : `"${which}"`}`
  return `There is ${wanted} in ${nameOf(data)}. Its links:\n${linksOf(data)}`
}

function missing(message: string): never {
  throw new Error(message)
}

export const indent = (text: string | null) =>
  (text ?? '(none)')
    .slice(0, 1_000)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
