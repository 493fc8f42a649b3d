import { bareAddress } from '../../mail/bare-address.ts'
import { plainLine } from '../../mail/plain-name.ts'

/** What is compared of mail that approvers are asked about. */
interface AskedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly bcc: readonly string[] | null
  readonly subject: string
  readonly holder: string
  readonly holderName: string | null
  readonly policyId: string
}

/** What all of some emails have in common; null: they differ. */
export interface SharedFields {
  /** The bare address. */
  readonly from: string | null
  /** In words. */
  readonly recipients: string | null
  readonly subject: string | null
  readonly holder: string | null
}

/** An address may have so many characters. A part of one may be somebody else's. */
const MAX_ADDRESS_CHARACTERS = 320
const MAX_NAMED = 3

/** Without the name that its sender has chosen: that may look like another address, and be as long as a line. */
export const addressIn = (mailbox: string): string => plainLine(bareAddress(mailbox), MAX_ADDRESS_CHARACTERS)

/** Who gets a mail: the first addresses, and how many more there are. */
export function recipientWords({ to, cc, bcc }: Pick<AskedMail, 'to' | 'cc' | 'bcc'>): string {
  const others = to.length - MAX_NAMED
  const named = to.slice(0, MAX_NAMED).map(addressIn).join(', ')
  const copies = [...countOf(cc, 'cc'), ...countOf(bcc, 'bcc')].join(', ')
  return [
    others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named,
    ...(copies === '' ? [] : [`+${copies}`]),
  ].join(' ')
}

const countOf = (copies: readonly string[] | null, name: string) => (copies?.length ? [`${copies.length} ${name}`] : [])

const HOLDERS: Readonly<Record<string, string>> = {
  api_key: 'API key',
  oauth_grant: 'app',
  inbox_agent: 'agent of the inbox',
}

/** `API key “Billing”`. Names are what people of the team, or programs, have chosen. */
export const holderWords = ({ holder, holderName }: Pick<AskedMail, 'holder' | 'holderName'>): string =>
  holderName === null ? `${HOLDERS[holder]} (deleted)` : `${HOLDERS[holder]} “${holderName}”`

/** What is alike is said once. Recipients are alike when all of them are, also those who are not named. */
export function sharedFieldsOf(mail: readonly AskedMail[]): SharedFields {
  const common = (fieldOf: (one: AskedMail) => string) => {
    const [first, ...others] = new Set(mail.map(fieldOf))
    return first !== undefined && others.length === 0 ? first : null
  }
  const isForTheSame = common(({ to, cc, bcc }) => JSON.stringify([to, cc ?? [], bcc ?? []])) !== null
  return {
    from: common(({ from }) => addressIn(from)),
    recipients: isForTheSame ? recipientWords(mail[0]!) : null,
    subject: common(({ subject }) => subject),
    holder: common(({ policyId }) => policyId) === null ? null : holderWords(mail[0]!),
  }
}
