import type { Static } from 'typebox'
import { importAutomation } from '../../../features/automations/imported.ts'
import { CreateAutomation } from '../../../features/automations/schema.ts'
import { importBroadcast } from '../../../features/broadcasts/imported.ts'
import { importProperty } from '../../../features/contact-properties/imported.ts'
import { CreateContactProperty } from '../../../features/contact-properties/schema.ts'
import { importEventDefinition } from '../../../features/events/imported.ts'
import { CreateEvent } from '../../../features/events/schema.ts'
import { importSegment } from '../../../features/segments/imported.ts'
import { CreateSegment } from '../../../features/segments/schema.ts'
import { importSuppressions } from '../../../features/suppressions/imported.ts'
import { importTopic } from '../../../features/topics/imported.ts'
import { CreateTopic } from '../../../features/topics/schema.ts'
import { importWebhook } from '../../../features/webhooks/imported.ts'
import { WEBHOOK_EVENTS } from '../../../features/webhooks/schema.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { validate } from '../../../kernel/http/validate.ts'
import { isAddress } from '../../../mail/address.ts'
import { isId } from '../../../platform/ids.ts'
import { momentOf, type Named } from './account.ts'
import { readContacts } from './contacts.ts'
import { readDomains } from './domains.ts'
import type { Kind } from './report.ts'
import { type Import, idHere, importEach, type ReadKind } from './run.ts'
import { readTemplates } from './templates.ts'

/** Each kind: how it is read there and written here. */
export const READERS: Record<Kind, ReadKind> = {
  domains: readDomains,
  properties: readProperties,
  topics: readTopics,
  segments: readSegments,
  events: readEvents,
  templates: readTemplates,
  suppressions: readSuppressions,
  contacts: readContacts,
  broadcasts: readBroadcasts,
  automations: readAutomations,
  webhooks: readWebhooks,
  keys: readKeys,
}

const provenance = ({ now }: Import, { id, created_at }: Named) => ({ id, created_at: momentOf(created_at, now) })

/** Null where callers of ours leave something out. */
const given = (item: object) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))

function readProperties(running: Import) {
  const { target, state, report } = running
  return importEach<Named & { key?: string; type?: string }>(running, {
    ...{ kind: 'properties', path: '/contact-properties' },
    async write(item) {
      const property = validate(CreateContactProperty, given(item), 'body')
      const imported = await target.write((trx) =>
        importProperty(trx, target.team, { ...property, ...provenance(running, item) }),
      )
      if (imported.type !== property.type)
        report.note('properties', property.key, `It is a ${imported.type} here: values that are none are left out`)
      // Contacts name a property by its key.
      if (!(target.isDryRun && imported.outcome === 'created')) {
        state.progress.ids[`properties/${property.key}`] = imported.id
        state.progress.ids[`property-types/${property.key}`] = imported.type
      }
      return imported
    },
  })
}

function readTopics(running: Import) {
  const { target, report } = running
  return importEach<Named & { default_subscription?: string }>(running, {
    ...{ kind: 'topics', path: '/topics' },
    async write(item) {
      const topic = validate(CreateTopic, given(item), 'body')
      const imported = await target.write((trx) =>
        importTopic(trx, target.team, { ...topic, ...provenance(running, item) }),
      )
      if (imported.default_subscription !== topic.default_subscription)
        report.note('topics', topic.name, `Its default is ${imported.default_subscription} here, and stays so`)
      return imported
    },
  })
}

function readSegments(running: Import) {
  const { target } = running
  return importEach<Named>(running, {
    ...{ kind: 'segments', path: '/segments' },
    write(item) {
      const { name } = validate(CreateSegment, given(item), 'body')
      return target.write((trx) => importSegment(trx, target.team, { name, ...provenance(running, item) }))
    },
  })
}

function readEvents(running: Import) {
  const { target, now } = running
  return importEach<Named & { updated_at?: string | null }>(running, {
    ...{ kind: 'events', path: '/events' },
    write(item) {
      const event = validate(CreateEvent, given(item), 'body')
      const updated_at = item.updated_at ? momentOf(item.updated_at, now) : null
      return target.write((trx) =>
        importEventDefinition(trx, target.team, { ...event, ...provenance(running, item), updated_at }),
      )
    },
  })
}

interface SourceSuppression extends Named {
  readonly email?: string
  readonly origin?: string
  readonly source_id?: string | null
}

const ORIGINS = ['bounce', 'complaint', 'manual'] as const

async function readSuppressions(running: Import) {
  const { source, target, state, report } = running
  const { cursor } = state.progress
  for await (const { items, next } of source.pages<SourceSuppression>('/suppressions', {
    after: cursor?.after ?? null,
  })) {
    const valid = items.filter(({ email = '' }) => isAddress(email))
    for (const { id, email } of items)
      if (!isAddress(email ?? '')) report.skip('suppressions', email ?? id, 'Not an email address')
    const rows = valid.map((item) => {
      const origin = ORIGINS.find((one) => one === item.origin) ?? 'manual'
      const sourceId = origin !== 'manual' && item.source_id && isId(item.source_id) ? item.source_id : null
      return { ...provenance(running, item), email: item.email!, origin, sourceId }
    })
    const created = await target.write((trx) => importSuppressions(trx, target.team, rows))
    report.count('suppressions', 'created', created)
    report.count('suppressions', 'unchanged', rows.length - created)
    state.progress.cursor = { kind: 'suppressions', list: '/suppressions', after: next }
    if (next !== null) state.save()
    running.onProgress('suppressions', report.of('suppressions').read)
  }
}

interface SourceBroadcast extends Named {
  readonly status?: string
  readonly segment_id?: string | null
  readonly audience_id?: string | null
  readonly topic_id?: string | null
  readonly scheduled_at?: string | null
  readonly sent_at?: string | null
  readonly from?: string | null
  readonly subject?: string | null
  readonly reply_to?: string[] | null
  readonly preview_text?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

/** Drafts can be sent from here; what was sent there is a record. What is scheduled there is sent there: here it is a draft. */
function readBroadcasts(running: Import) {
  const { source, target, report, now } = running
  return importEach<Named>(running, {
    ...{ kind: 'broadcasts', path: '/broadcasts' },
    async write({ id, name }) {
      const item = await source.get<SourceBroadcast>(`/broadcasts/${id}`)
      if (!item) throw new Problem('not_found', 'Deleted meanwhile')
      const { from, subject, html = null, text = null, status, sent_at } = item
      const segmentThere = item.segment_id ?? item.audience_id
      const isSent = status === 'sent' || status === 'queued'
      // Of a segment that is gone the record keeps the id, as it does here.
      const segment_id = idHere(running, 'segments', segmentThere) ?? (isSent || target.isDryRun ? segmentThere : null)
      if (!segment_id || !isId(segment_id)) throw new Problem('validation_error', 'Its segment is not here')
      if (html === null && text === null) throw new Problem('validation_error', 'It has no content')
      if (status === 'scheduled')
        report.note(
          'broadcasts',
          item.name ?? id,
          'It is scheduled there: a draft here. Cancel it there, or do not send it here',
        )
      return target.write((trx) =>
        importBroadcast(trx, target.team, {
          ...provenance(running, item),
          ...{ name: name || 'Untitled', segment_id, html, text },
          topic_id: idHere(running, 'topics', item.topic_id) ?? null,
          from: from ?? '',
          subject: subject ?? '',
          reply_to: item.reply_to?.length ? item.reply_to : null,
          preview_text: item.preview_text ?? null,
          status: isSent ? 'sent' : status === 'canceled' ? 'canceled' : 'draft',
          sent_at: isSent ? momentOf(sent_at ?? item.created_at, now) : null,
        }),
      )
    },
  })
}

type Steps = Static<typeof CreateAutomation>['steps']

function readAutomations(running: Import) {
  const { source, target, report, now } = running
  return importEach<Named>(running, {
    ...{ kind: 'automations', path: '/automations' },
    async write({ id }) {
      const item = await source.get<Named & { updated_at?: string; steps?: Steps }>(`/automations/${id}`)
      if (!item) throw new Problem('not_found', 'Deleted meanwhile')
      const body = validate(CreateAutomation, given(item), 'body')
      const automation = { ...body, steps: stepsHere(running, body.steps), ...provenance(running, item) }
      const updated_at = momentOf(item.updated_at ?? item.created_at, now)
      try {
        return await target.write((trx) => importAutomation(trx, target.team, { ...automation, updated_at }))
      } catch (error) {
        // What its steps speak of is written by a real import.
        if (!(target.isDryRun && error instanceof Problem)) throw error
        report.count('automations', 'created')
        return null
      }
    },
  })
}

/** What steps name has another id here where something of the same name was here before. */
const stepsHere = (running: Import, steps: Steps): Steps =>
  steps.map((step) => {
    const { template, segment_id } = step.config as { template?: { id: string }; segment_id?: string }
    if (step.type === 'send_email' && template)
      return {
        ...step,
        config: {
          ...step.config,
          template: { ...template, id: idHere(running, 'templates', template.id) ?? template.id },
        },
      }
    if (step.type === 'add_to_segment' && segment_id)
      return { ...step, config: { ...step.config, segment_id: idHere(running, 'segments', segment_id) ?? segment_id } }
    return step
  })

interface SourceWebhook extends Named {
  readonly endpoint?: string
  readonly events?: string[] | null
  readonly status?: string
  readonly signing_secret?: string
}

function readWebhooks(running: Import) {
  const { source, target, report } = running
  return importEach<SourceWebhook>(running, {
    ...{ kind: 'webhooks', path: '/webhooks' },
    async write({ id }) {
      const item = await source.get<SourceWebhook>(`/webhooks/${id}`)
      if (!item) throw new Problem('not_found', 'Deleted meanwhile')
      const { endpoint = '', events, signing_secret = null } = item
      const status = item.status === 'disabled' ? ('disabled' as const) : ('enabled' as const)
      const webhook = { ...provenance(running, item), endpoint, events: events ?? [], status, signing_secret }
      const imported = await target.write((trx) =>
        importWebhook(trx, target.team, { webhook, sealer: target.services.sealer }),
      )
      const unknown = webhook.events.filter((type) => !WEBHOOK_EVENTS.some((known) => known === type))
      if (unknown.length > 0)
        report.note('webhooks', endpoint, `Without events that are not known here: ${unknown.join(', ')}`)
      if (imported.outcome === 'created' && signing_secret === null)
        report.note('webhooks', endpoint, 'The source does not tell its signing secret: it has a new one')
      return imported
    },
  })
}

/** A token is shown once, when its key is made: all that an account tells of its keys is their names. */
async function readKeys({ source, report }: Import) {
  for await (const { items } of source.pages<Named & { last_used_at?: string | null }>('/api-keys'))
    for (const { name, last_used_at = null } of items) {
      report.data.keys.push({ name: name ?? '', last_used_at })
      report.skip('keys', name ?? '', 'Tokens cannot be read: create new keys')
    }
}
