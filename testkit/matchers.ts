import { findLink, fits, indent, isText, linksOf, nameOf } from './message.ts'
import type { MessageData } from './types.ts'

/** What a matcher of vitest, jest and Playwright answers. */
export interface Verdict {
  pass: boolean
  message(): string
}

type Text = string | RegExp

const DELIVERED = ['delivered', 'opened', 'clicked', 'complained']
/** Of a message that was on its way when it was read. */
const UNDECIDED = ['queued', 'sent', 'delivery_delayed']
const READ_AGAIN = "It was on its way when it was read: await clock.advance('0 seconds'), then inbox.get(mail.id)."

const shown = (wanted: Text) => (typeof wanted === 'string' ? `"${wanted}"` : String(wanted))

/** `claim` is what was expected, in words that a "not" fits into; `instead` is what is there. */
function verdict(pass: boolean, mail: MessageData, claim: string, instead: string): Verdict {
  return {
    pass,
    message: () => `Expected ${nameOf(mail)} ${pass ? 'not ' : ''}${claim}.\n${instead}`,
  }
}

function requireMessage(given: unknown): MessageData {
  const mail = given as Partial<MessageData> | null
  if (mail?.object === 'message' && Array.isArray(mail.links)) return mail as MessageData
  throw new TypeError('This is about a message: give what inbox.waitFor() has answered.')
}

const addressesOf = ({ to, cc, bcc }: MessageData) => [...to, ...cc, ...bcc].map(bare)

/** Without the name that may be around it. */
const bare = (address: string) => (/<([^<>]+)>\s*$/.exec(address)?.[1] ?? address).trim().toLowerCase()

export const matchers = {
  toHaveSubject(given: unknown, subject: Text): Verdict {
    const mail = requireMessage(given)
    const pass = isText(mail.subject, subject)
    return verdict(pass, mail, `to have the subject ${shown(subject)}`, `Its subject: "${mail.subject}"`)
  },

  toHaveBodyText(given: unknown, text: Text): Verdict {
    const mail = requireMessage(given)
    const pass = mail.text !== null && fits(mail.text, text)
    return verdict(pass, mail, `to have the text ${shown(text)}`, `Its text:\n${indent(mail.text)}`)
  },

  toHaveCode(given: unknown, code?: Text): Verdict {
    const mail = requireMessage(given)
    const pass = mail.codes.some((one) => code === undefined || isText(one, code))
    const claim = code === undefined ? 'to have a code' : `to have the code ${shown(code)}`
    const instead =
      mail.codes.length > 0 ? `Its codes: ${mail.codes.join(', ')}` : `It has none. Its text:\n${indent(mail.text)}`
    return verdict(pass, mail, claim, instead)
  },

  toHaveLink(given: unknown, link?: Text): Verdict {
    const mail = requireMessage(given)
    const claim = link === undefined ? 'to have a link' : `to have a link with ${shown(link)}`
    return verdict(findLink(mail, link) !== undefined, mail, claim, `Its links:\n${linksOf(mail)}`)
  },

  toHaveAttachment(given: unknown, filename?: Text): Verdict {
    const mail = requireMessage(given)
    const names = mail.attachments.map((one) => one.filename ?? '(no name)')
    const isIt = (name: string) => filename === undefined || isText(name, filename)
    const claim = filename === undefined ? 'to have an attachment' : `to have the attachment ${shown(filename)}`
    return verdict(names.some(isIt), mail, claim, `Its attachments: ${names.join(', ') || 'none'}`)
  },

  toBeAddressedTo(given: unknown, address: string): Verdict {
    const mail = requireMessage(given)
    const addresses = addressesOf(mail)
    const instead = `Its recipients: ${addresses.join(', ') || 'none'}`
    return verdict(addresses.includes(bare(address)), mail, `to be addressed to ${address}`, instead)
  },

  toBeDeliveredTo(given: unknown, address: string): Verdict {
    const mail = requireMessage(given)
    const addresses = addressesOf(mail)
    const pass = addresses.includes(bare(address)) && DELIVERED.includes(mail.status ?? '')
    const hint = UNDECIDED.includes(mail.status ?? '') ? `\n${READ_AGAIN}` : ''
    const instead = `Its recipients: ${addresses.join(', ') || 'none'}. Its status: ${mail.status ?? 'none'}${hint}`
    return verdict(pass, mail, `to be delivered to ${address}`, instead)
  },
}

/** What `expect` of a message can say then; `R` is what it answers. */
export interface PostwrenMatchers<R = unknown> {
  /** The whole subject, or a pattern that it has. */
  toHaveSubject(subject: string | RegExp): R
  /** A part of the text, in any case, or a pattern that it has. */
  toHaveBodyText(text: string | RegExp): R
  /** Any one-time code; or this one. */
  toHaveCode(code?: string | RegExp): R
  /** Any link; or one with this in its text or address. */
  toHaveLink(link?: string | RegExp): R
  /** Any attachment; or one of this name. */
  toHaveAttachment(filename?: string | RegExp): R
  /** As a recipient of any kind. */
  toBeAddressedTo(address: string): R
  /** As a recipient of any kind, and what it was sent to has taken it. */
  toBeDeliveredTo(address: string): R
}
