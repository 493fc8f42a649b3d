import { choiceOf, partsOf } from '../../../../features/contacts/imports/contact-row.ts'
import { MAX_NAME_LENGTH } from '../../../../features/contacts/schema.ts'
import { isAddress } from '../../../../mail/address.ts'
import { short } from '../account.ts'
import { Fields, plain } from './fields.ts'

// What the lists of other services look like, and what their rows mean here.

export const PROVIDERS = ['ses', 'sendgrid', 'mailgun', 'postmark', 'csv'] as const
export type Provider = (typeof PROVIDERS)[number]

export type Origin = 'bounce' | 'complaint' | 'manual'

export interface ListedSuppression {
  readonly id: string
  readonly email: string
  readonly origin: Origin
  readonly created_at: Date | undefined
}

export interface ListedContact {
  readonly id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean
  readonly created_at: Date | undefined
  readonly properties: Readonly<Record<string, string | number>>
  /** Names or ids. */
  readonly segments: readonly string[]
  /** Names or ids. */
  readonly topics: readonly { readonly topic: string; readonly subscription: 'opt_in' | 'opt_out' }[]
}

/** A row that is nothing to import here, and why. `bad`: nobody could make sense of it. */
export interface Left {
  readonly left: string
  readonly isBad?: true
}

/** Whose list it is, by the names in its first row; null: nobody's that is known. */
export function providerOf(record: Readonly<Record<string, unknown>>): Provider | null {
  const fields = new Fields(record)
  if (fields.has('suppressionreason', 'bouncedat', 'messagestream')) return 'postmark'
  if (fields.has('emailaddress')) return 'ses'
  if (fields.has('address')) return 'mailgun'
  const names = Object.keys(record)
  if (names.includes('CONTACT_ID') || names.includes('EMAIL') || names.includes('contact_id')) return 'sendgrid'
  if (fields.has('email') && fields.has('created')) return 'sendgrid'
  return fields.has('email') ? 'csv' : null
}

const ADDRESS = ['email', 'emailaddress', 'address', 'recipient', 'bounceemail'] as const

const NOT_AN_ADDRESS: Left = { left: 'Not an email address', isBad: true }

function addressIn(fields: Fields): string | null {
  const email = fields.text(...ADDRESS)
  return isAddress(email) ? email : null
}

export function suppressionOf(provider: Provider, record: object): ListedSuppression | Left {
  const fields = new Fields(record as Record<string, unknown>)
  const email = addressIn(fields)
  if (email === null) return NOT_AN_ADDRESS
  const origin = ORIGIN_OF[provider](fields)
  if (typeof origin !== 'string') return origin
  const created_at = fields.moment(
    'createdat',
    'created',
    'lastupdatetime',
    'lastupdatedtimestamp',
    'bouncedat',
    'date',
  )
  return { id: fields.text('id'), email, origin, created_at }
}

const ORIGIN_OF: Record<Provider, (fields: Fields) => Origin | Left> = {
  ses(fields) {
    const reason = fields.text('reason').toUpperCase()
    return reason === 'BOUNCE' ? 'bounce' : reason === 'COMPLAINT' ? 'complaint' : 'manual'
  },
  // Which list it is shows in its columns: reports of spam have the address of the reporter, unsubscribes nothing but a time.
  sendgrid(fields) {
    if (/^4\./.test(fields.text('status'))) return { left: 'A temporary refusal: SendGrid goes on sending to it' }
    if (fields.has('reason', 'status')) return 'bounce'
    return fields.has('ip') ? 'complaint' : 'manual'
  },
  mailgun(fields) {
    if (fields.has('subscribed'))
      return { left: 'A member of a mailing list: import it with --kind contacts', isBad: true }
    if (fields.has('code', 'error')) return 'bounce'
    if (!fields.has('tags', 'tag')) return 'complaint'
    const given = fields.value('tags', 'tag') ?? '*'
    const tags = Array.isArray(given) ? given : String(given).split(/[,\s]+/)
    return tags.length === 0 || tags.includes('*') ? 'manual' : { left: 'Unsubscribed from a tag alone' }
  },
  postmark(fields) {
    const reason = plain(fields.text('suppressionreason', 'type', 'bouncetype', 'name')).slice(0, 40)
    if (['hardbounce', 'bademailaddress'].includes(reason)) return 'bounce'
    if (['spamcomplaint'].includes(reason)) return 'complaint'
    if (['manualsuppression', 'manuallydeactivated', 'unsubscribe'].includes(reason)) return 'manual'
    return { left: reason === '' ? 'No reason' : `Not for good: ${reason}`, ...(reason === '' && { isBad: true }) }
  },
  csv(fields) {
    const origin = fields.text('origin', 'reason').toLowerCase()
    if (origin === '') return 'manual'
    const known = (['bounce', 'complaint', 'manual'] as const).find((one) => one === origin)
    return known ?? { left: 'The origin must be bounce, complaint or manual', isBad: true }
  },
}

/** Names of columns that are no property: fields of a contact, and what only means something inside of the service. */
const KNOWN = new Set([
  ...[...ADDRESS, 'id', 'firstname', 'lastname', 'name', 'unsubscribed', 'subscribed', 'unsubscribeall'],
  ...['createdat', 'created', 'updatedat', 'lastupdatedtimestamp', 'segments', 'topics', 'topicpreferences'],
  ...['topicdefaultpreferences', 'attributesdata', 'vars', 'params', 'customfields', 'contactid', 'phonenumberid'],
  ...['externalid', 'anonymousid', 'listids', 'segmentids', 'alternateemails', 'metadata'],
])

export function contactOf(provider: Provider, record: Readonly<Record<string, unknown>>): ListedContact | Left {
  if (provider === 'postmark') return { left: 'Postmark keeps no contacts', isBad: true }
  const fields = new Fields(record)
  const email = addressIn(fields)
  if (email === null) return NOT_AN_ADDRESS
  const [first, ...rest] = fields.text('name').split(/\s+/)
  const isUnsubscribed = fields.flag('unsubscribed', 'unsubscribeall')
  return {
    ...{ id: fields.text('id'), email, created_at: fields.moment('createdat', 'created') },
    first_name: short(fields.text('firstname') || first, MAX_NAME_LENGTH),
    last_name: short(fields.text('lastname') || rest.join(' '), MAX_NAME_LENGTH),
    unsubscribed: isUnsubscribed ?? fields.flag('subscribed') === false,
    properties: propertiesIn(record, fields),
    segments: partsOf(fields.text('segments')),
    topics: [...partsOf(fields.text('topics')).map(choiceOf), ...preferencesIn(fields)],
  }
}

function propertiesIn(record: Readonly<Record<string, unknown>>, fields: Fields): Record<string, string | number> {
  const more = fields.object('attributesdata', 'vars', 'params', 'customfields')
  const values: Record<string, string | number> = {}
  const own = Object.entries(record).filter(([name]) => !KNOWN.has(plain(name)))
  for (const [name, value] of [...own, ...Object.entries(more)]) {
    const key = keyOf(name)
    if (key === '' || value === null || value === undefined || value === '') continue
    values[key] = typeof value === 'number' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return values
}

/** A property's key has letters, digits and underscores only. */
const keyOf = (name: string) =>
  name
    .trim()
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 50)

const preferencesIn = (fields: Fields) =>
  fields.list('topicpreferences').map((preference) => ({
    topic: String(preference.TopicName ?? ''),
    subscription: preference.SubscriptionStatus === 'OPT_OUT' ? ('opt_out' as const) : ('opt_in' as const),
  }))
