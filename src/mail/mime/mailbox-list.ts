import { wireAddress } from '../address.ts'
import { withoutControls } from '../ascii.ts'
import type { Mailbox } from '../message.ts'
import { encodedWords } from './encoded-word.ts'
import { columnsAfter, fold, mustEncode } from './header-line.ts'

const ATOMS = /^[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*$/

/** `From`, `To` and their like, folded between and within mailboxes. */
export function mailboxHeader(name: string, mailboxes: readonly Mailbox[]): string {
  const spelled = mailboxes.map((mailbox, i) => {
    const address = wireAddress(mailbox.address).replace(/[\s\p{Cc}<>]/gu, '')
    const phrase = phraseFor(name, withoutControls(mailbox.name ?? ''), i === 0)
    return phrase === '' ? address : `${phrase} <${address}>`
  })
  return fold(name, spelled.join(', '))
}

/** The display name as atoms if it is made of them, else in quotes, else encoded. */
function phraseFor(header: string, name: string, isFirst: boolean): string {
  if (name === '' || (ATOMS.test(name) && !mustEncode(header, name))) return name
  const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`
  if (!mustEncode(header, quoted)) return quoted
  return encodedWords(name, isFirst ? { firstColumns: columnsAfter(header) } : {}).join(' ')
}
