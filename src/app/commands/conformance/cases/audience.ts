import type { CaseRun, Fixture } from '../suite/case-run.ts'
import { boolean, is, nullable, string, timestamp, uuid } from '../suite/shape.ts'

// What contacts, segments and topics need of each other.

export const segmentBody = (trial: CaseRun) => ({ name: trial.fresh('Segment') })

export const topicBody = (trial: CaseRun) => ({
  ...{ name: trial.fresh('Topic'), description: 'Made by a test', default_subscription: 'opt_in' },
})

export const propertyBody = (trial: CaseRun) => ({
  ...{ key: trial.fresh('property').replaceAll('-', '_'), type: 'string', fallback_value: 'none' },
})

export const contactBody = (trial: CaseRun) => ({
  ...{ email: trial.address(), first_name: 'Ada', last_name: 'Lovelace', unsubscribed: false },
})

export const segment: Fixture<{ id: string }> = {
  make: (trial) => trial.made('POST /segments', { body: segmentBody(trial) }),
}

export const topic: Fixture<{ id: string }> = {
  make: (trial) => trial.made('POST /topics', { body: topicBody(trial) }),
}

export const property: Fixture<{ id: string; key: string }> = {
  async make(trial) {
    const body = propertyBody(trial)
    const { id } = await trial.made('POST /contact-properties', { body })
    return { id, key: body.key }
  },
}

export const contact: Fixture<{ id: string; email: string }> = {
  async make(trial) {
    const body = contactBody(trial)
    const { id } = await trial.made('POST /contacts', { body })
    return { id, email: body.email }
  },
}

/** A contact in a list. */
export const LISTED_CONTACT = {
  id: uuid,
  email: string,
  first_name: nullable(string),
  last_name: nullable(string),
  created_at: timestamp,
  unsubscribed: boolean,
}

export const MADE_CONTACT = { object: is('contact'), id: uuid }
