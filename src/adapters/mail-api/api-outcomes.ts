import { withoutControls } from '../../mail/ascii.ts'
import type { Outcome } from '../../mail/outcome.ts'
import type { ApiAnswer } from './api-sender.ts'

// What services that take mail over HTTP say, as the outcomes that mail servers have.

type Deferred = Extract<Outcome, { kind: 'deferred' }>

const MAX_REPLY_LENGTH = 1_000
const MAX_WAIT_SECONDS = 86_400

/** As it can be stored and shown. */
export const presentable = (text: string) =>
  withoutControls(text.replace(/\s+/g, ' ').slice(0, MAX_REPLY_LENGTH)).toWellFormed()

/** The fields of an answer; nothing, when it is no JSON object. */
export function fieldsOf({ body }: ApiAnswer): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export const textIn = (fields: Readonly<Record<string, unknown>>, ...names: readonly string[]): string => {
  const found = names.map((name) => fields[name]).find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : ''
}

const deferred = (reply: string, more: Partial<Deferred>): Deferred => ({
  kind: 'deferred',
  reply: presentable(reply),
  isThrottled: false,
  ...more,
})

/** The key is not good, or not for this. */
export const loginRefused = (said: string) =>
  deferred(`454 4.7.0 ${said}`, {
    unreachable: 'login',
    class: 'login_refused',
    rule: 'api/login',
    about: 'site',
    means: 'fix',
  })

/** It answers, and takes nothing. */
export const takesNothing = (said: string) =>
  deferred(`451 4.3.2 ${said}`, {
    unreachable: 'refused',
    class: 'policy_related',
    rule: 'api/refused',
    about: 'site',
    means: 'trouble',
  })

/** It wants less. What it counts by is us. */
export const throttled = (said: string, { headers }: Pick<ApiAnswer, 'headers'>) => {
  const after = Number(headers['retry-after'])
  const isKnown = Number.isFinite(after) && after > 0
  return deferred(`450 4.7.1 ${said}`, {
    isThrottled: true,
    class: 'throttled',
    rule: 'api/throttled',
    about: 'source',
    means: 'throttle',
    ...(isKnown && { retryAfterSeconds: Math.min(Math.ceil(after), MAX_WAIT_SECONDS) }),
  })
}

/** It does not send in the name of this domain. Elsewhere it may be known. */
export const senderRefused = (said: string) =>
  deferred(`451 4.7.1 ${said}`, { class: 'invalid_sender', rule: 'api/sender', about: 'spf_domain', means: 'fix' })

/** Something has answered, and whether the mail was taken before that is not known. */
export const uncertain = (said: string) =>
  deferred(`451 4.3.0 ${said}; it may have been delivered`, {
    isUncertain: true,
    ...{ class: 'transient_failure', rule: 'api/uncertain', about: 'site', means: 'trouble' },
  })

/** It is busy, and says so before it has looked at the mail. */
export const unavailable = (said: string) =>
  deferred(`451 4.3.2 ${said}`, {
    unreachable: 'connection',
    ...{ class: 'transient_failure', rule: 'api/unavailable', about: 'site', means: 'trouble' },
  })

/** This mail, for good. `about` null: nobody knows whether another service would take it. */
export const refused = (said: string, about: 'message' | null): Outcome => ({
  kind: 'bounced',
  reply: presentable(`554 5.6.0 ${said}`),
  bounce: { type: 'Undetermined', subType: 'General' },
  ...{ class: 'content_related', rule: 'api/refused', about, means: 'refused' },
})

export const tooLarge = (said: string): Outcome => ({
  kind: 'bounced',
  reply: presentable(`552 5.3.4 ${said}`),
  bounce: { type: 'Transient', subType: 'MessageTooLarge' },
  ...{ class: 'message_too_large', rule: 'api/size', about: 'message', means: 'refused' },
})

export const taken = (reply: string): Outcome => ({ kind: 'delivered', reply: presentable(reply) })
